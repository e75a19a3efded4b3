import type { ObjectRow } from './format.ts'

/** A row with its events by the row numbers of their processes or customers. */
type Members = Record<string, unknown>

export interface ParsedRow {
  row: ObjectRow
  after: Members
  before: Members
}

const parseMembers = (json: string | null): Members => (json === null ? {} : (JSON.parse(json) as Members))

/** Parses a row, and throws if a part of it is no JSON. */
export function parseRow(row: ObjectRow): ParsedRow {
  JSON.parse(row.by)
  return { row, after: parseMembers(row.after), before: parseMembers(row.before) }
}

/** One event of a row. */
export interface EventMember {
  row: ObjectRow
  /** The names of all events of the row, in their order. */
  names: readonly string[]
  after: { last?: number | null; version?: number | null }
  before: StoredBefore | undefined
  /** The version before the event, or of a process that was made or restored, the one that it has since. */
  version: number | null
  /** The row of the event before. */
  previous: number | null
}

/** The stored state of a process or customer before a change. It begins with these two members. */
type StoredBefore = readonly [version: number, lastEvent: number | null, ...rest: unknown[]]

/** Returns undefined if the row has no event of the process or customer. */
export function findMember({ row, after: all, before: replaced }: ParsedRow, key: string): EventMember | undefined {
  const after = all[key] as EventMember['after'] | undefined
  if (after === undefined) return undefined
  const before = replaced[key] as StoredBefore | undefined
  const [version, lastEvent] = before ?? []
  return {
    row,
    names: Object.keys(all),
    after,
    before,
    version: version ?? after.version ?? null,
    previous: lastEvent ?? after.last ?? null,
  }
}
