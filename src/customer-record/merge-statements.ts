import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import type { IdentityAttributes } from './identity-rules.ts'
import { identifying, insertFreeIdentities, readIdentifying, removeIdentities } from './identity-statements.ts'
import { listIdentityValues, toIdentityKey } from './identity-values.ts'
import { insertWords, listNameWords, planWordsChange, removeWords } from './name-words.ts'
import { type RecordRow, readRecord, recordJson } from './rows.ts'
import { updateRecords } from './store.ts'
import { record } from './table.ts'

/** One of the two customers of a merge, under their own id, who may have been merged before. */
export interface MergeCandidate extends RecordRow {
  identifying: string
  /** The id of the customer into whom they were merged; null if they were not. */
  mergedInto: string | null
}

interface MergeCandidateRow {
  row: string
  identifying: string
  mergedInto: string | null
}

export const selectMergeCandidate = ({ team }: Scope, id: string): Statement<MergeCandidateRow> =>
  select(
    {
      row: recordJson,
      identifying,
      mergedInto: sql<
        string | null
      >`(SELECT survivor.id FROM ${record} AS survivor WHERE survivor.rid = ${record.mergedInto})`,
    },
    sql`FROM ${record} WHERE ${record.rid} = ${UUID.test(id) ? toRowNo(id) : -1} AND ${record.id} = ${id.toLowerCase()}
      AND +${record.team} = ${team.no}`,
  )

export const readMergeCandidate = ({ row, ...rest }: MergeCandidateRow): MergeCandidate => ({
  ...readRecord({ row }),
  ...rest,
})

const selectMergedRows = (team: number, rids: SQL): SQL =>
  sql`${record} INDEXED BY record_team WHERE ${record.team} = ${team} AND ${record.mergedInto} IN (${rids})`

/** Counts the customers who were merged into two customers before, up to a limit. */
export const countMerged = ({ team }: Scope, rids: readonly [number, number], max: number) =>
  select(
    { merged: sql<number>`count(*)` },
    sql`FROM (SELECT 1 FROM ${selectMergedRows(team.no, sql`${rids[0]}, ${rids[1]}`)} LIMIT ${max})`,
  )

interface RecordMerge {
  merged: MergeCandidate
  survivor: MergeCandidate
  /** The attributes that the survivor gets from the merged customer. */
  set: Record<string, unknown>
  last: IdentityAttributes
}

/**
 * Makes two records one: the survivor gets data, numbers and addresses, and an event says so. The merged record identifies
 * nobody any more, and no name finds it. The transaction must have `guardVersion` of both.
 */
export function mergeRecords(scope: Scope, { merged, survivor, set, last }: RecordMerge): Statement[] {
  const { rid, id } = survivor
  const removed = listIdentityValues(merged.data, merged).map(value => ({ ...value, record: merged.rid }))
  const known = new Set(listIdentityValues(survivor.data, survivor).map(toIdentityKey))
  const gained = listIdentityValues({ ...survivor.data, ...set }, last)
    .filter(value => !known.has(toIdentityKey(value)))
    .map(value => ({ ...value, record: rid }))
  const { names } = readIdentifying(survivor.identifying)
  const words = planWordsChange(rid, names, { ...names, ...set })
  return [
    removeIdentities(scope, removed),
    ...updateRecords(scope, [
      { rid, id, identifying: survivor.identifying, bytes: 0, last, set, unset: [], merged: merged.id },
    ]),
    insertFreeIdentities(scope, gained),
    ...removeWords(scope, [
      ...listNameWords(merged.data).map(word => ({ word, record: merged.rid })),
      ...words.removed,
    ]),
    ...insertWords(scope, words.added),
    ...redirectToSurvivor(scope, merged.rid, rid),
  ]
}

/** Lets a merged customer lead to the survivor, and those who were merged into them before as well, so that no chain is longer than one step. */
const redirectToSurvivor = ({ team }: Scope, merged: number, survivor: number): Statement[] => {
  const before = sql`SELECT ${record.rid} FROM ${selectMergedRows(team.no, sql`${merged}`)}`
  return [
    statement(
      sql`UPDATE ${record} SET ${assignments(record, { mergedInto: survivor })} WHERE ${record.rid} IN (${before})`,
    ),
    statement(
      sql`UPDATE ${record} SET ${assignments(record, { mergedInto: survivor })} WHERE ${record.rid} = ${merged} AND +${record.team} = ${team.no}`,
    ),
  ]
}
