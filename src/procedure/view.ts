import type { Procedure } from './model.ts'
import type { ProcedureView } from './schema.ts'

export const viewProcedure = (procedure: Procedure): ProcedureView => ({
  id: procedure.id,
  shortId: procedure.shortId,
  name: procedure.name,
  states: procedure.states,
  startState: procedure.startState,
  completedState: procedure.completedState,
  attributes: procedure.attributes.map(({ searchable, ...attribute }) => ({
    ...attribute,
    ...(searchable === true ? { searchable, searchReady: procedure.wordsReady === true } : {}),
    // False while the slot is being filled for existing processes. Meanwhile filters work without the index.
    ...(attribute.indexed ? { indexReady: isReady(procedure, attribute.shortId) } : {}),
  })),
  primaryKey: procedure.primaryKey,
  phoneAttribute: procedure.phoneAttribute,
  strict: procedure.strict,
  createdAt: procedure.createdAt,
  updatedAt: procedure.updatedAt,
})

const isReady = ({ primaryKey, slots }: Procedure, shortId: string): boolean =>
  shortId === primaryKey || (slots[shortId]?.ready ?? false)
