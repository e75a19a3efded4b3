import { type SQL, sql } from 'drizzle-orm'
import type { Definition, StoredDefinition } from './model.ts'

/** Converts a row into exactly the members of a definition. A row has more. */
export function toStoredJson(row: StoredDefinition): SQL {
  const { name, states, startState, completedState, attributes, primaryKey, phoneAttribute, strict } = row
  const definition: Definition = {
    name,
    states,
    startState,
    completedState,
    attributes,
    primaryKey,
    phoneAttribute,
    strict,
  }
  const stored: StoredDefinition = {
    ...definition,
    slots: row.slots,
    clearing: row.clearing,
    ...(row.wordsReady === undefined ? {} : { wordsReady: row.wordsReady }),
    ...(Object.keys(row.unfitProcesses ?? {}).length === 0 ? {} : { unfitProcesses: row.unfitProcesses }),
  }
  return sql`jsonb(${JSON.stringify(stored)})`
}
