import type { Procedure, Process } from 'caseworker'

export type ProcedureAttribute = Procedure['attributes'][number]

/** The end of an id: its beginning is the time, and alike for what was made at once. */
const ID_SHOWN = 8

type ProcessIdentity = Pick<Process, 'id' | 'data'>

const getKey = (procedure: Pick<Procedure, 'primaryKey'> | undefined, { data }: ProcessIdentity): unknown =>
  procedure?.primaryKey ? (data[procedure.primaryKey] ?? undefined) : undefined

/** Returns the name of a process among others: its primary key, or the end of its id. */
export const formatProcessName = (
  procedure: Pick<Procedure, 'primaryKey'> | undefined,
  process: ProcessIdentity,
): string => String(getKey(procedure, process) ?? `…${process.id.slice(-ID_SHOWN)}`)

/** Returns the name of a process on its own page: without a primary key, the procedure says what it is. */
export const formatProcessTitle = (
  procedure: Pick<Procedure, 'primaryKey' | 'name'>,
  process: ProcessIdentity,
): string => String(getKey(procedure, process) ?? `${procedure.name} ${formatProcessName(procedure, process)}`)

/** The name of a state for people; a state that is gone has only its short id. */
export const getStateName = ({ states }: Pick<Procedure, 'states'>, shortId: string): string =>
  states.find(each => each.shortId === shortId)?.name ?? shortId

/** The states that may follow one; every other may, where the definition does not say. */
export function statesAfter({ states }: Pick<Procedure, 'states'>, shortId: string): string[] {
  const next = states.find(each => each.shortId === shortId)?.next
  return (next ?? states.map(each => each.shortId)).filter(each => each !== shortId)
}
