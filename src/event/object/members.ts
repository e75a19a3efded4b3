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

/** One event of a row. `previous` is the row of the event before. */
export interface EventMember {
  row: ObjectRow
  /** The names of all events of the row, in their order. */
  names: readonly string[]
  after: { last?: number | null }
  before: readonly unknown[] | undefined
  previous: number | null
}

/** Returns undefined if the row has no event of the process or customer. */
export function findMember({ row, after: all, before: replaced }: ParsedRow, key: string): EventMember | undefined {
  const after = all[key] as EventMember['after'] | undefined
  if (after === undefined) return undefined
  const before = replaced[key] as readonly unknown[] | undefined
  return {
    row,
    names: Object.keys(all),
    after,
    before,
    previous: (before?.[1] as number | null | undefined) ?? after.last ?? null,
  }
}
