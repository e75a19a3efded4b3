import type { ObjectRow } from './format.ts'

/** The events of a row by the row numbers of their processes or customers. */
type Members = Record<string, unknown>

export interface ParsedRow {
  row: ObjectRow
  after: Members
  before: Members
}

const parseMembers = (json: string | null): Members => (json === null ? {} : (JSON.parse(json) as Members))

/** Throws where a part of the row is no JSON. */
export function parseRow(row: ObjectRow): ParsedRow {
  JSON.parse(row.by)
  return { row, after: parseMembers(row.after), before: parseMembers(row.before) }
}

/** One event of a row. It says where the event before is. */
export interface EventMember {
  row: ObjectRow
  /** Of all events in the row, in their order. */
  names: readonly string[]
  after: { last?: number | null }
  before: readonly unknown[] | undefined
  previous: number | null
}

/** Undefined where the row has no event of the process or customer. */
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
