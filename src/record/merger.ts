import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, select, statement } from '../db/statement.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { type CustomerRow, customerJson, readCustomer } from './customer.ts'
import { listIdentityValues, readIdentifying, toIdentityKey } from './drafts.ts'
import { identifying, insertFreeIdentities, removeIdentities } from './identity.ts'
import type { IdentityAttributes } from './rules.ts'
import { updateRecords } from './store.ts'
import { record } from './table.ts'
import { insertWords, listNameWords, planWordsChange, removeWords } from './words.ts'

/** A customer under their own id, merged or not. */
export interface MergeSide extends CustomerRow {
  identifying: string
  /** The id of the customer into whom they were merged; null if they were not. */
  mergedInto: string | null
}

interface MergerSide {
  row: string
  identifying: string
  mergedInto: string | null
}

export const selectSide = ({ team }: Scope, id: string): Statement<MergerSide> =>
  select(
    {
      row: customerJson,
      identifying,
      mergedInto: sql<
        string | null
      >`(SELECT survivor.id FROM ${record} AS survivor WHERE survivor.rid = ${record.mergedInto})`,
    },
    sql`FROM ${record} WHERE ${record.rid} = ${UUID.test(id) ? toRowNo(id) : -1} AND ${record.id} = ${id.toLowerCase()}
      AND +${record.team} = ${team.no}`,
  )

export const readSide = ({ row, ...side }: MergerSide): MergeSide => ({ ...readCustomer({ row }), ...side })

const selectMergedRows = (team: number, rids: SQL): SQL =>
  sql`${record} INDEXED BY record_team WHERE ${record.team} = ${team} AND ${record.mergedInto} IN (${rids})`

/** Counts the customers who were merged into two customers before, up to a limit. */
export const countMerged = ({ team }: Scope, rids: readonly [number, number], max: number) =>
  select(
    { merged: sql<number>`count(*)` },
    sql`FROM (SELECT 1 FROM ${selectMergedRows(team.no, sql`${rids[0]}, ${rids[1]}`)} LIMIT ${max})`,
  )

interface Absorption {
  goes: MergeSide
  stays: MergeSide
  /** The attributes that the record that stays gets from the other. */
  set: Record<string, unknown>
  last: IdentityAttributes
}

/**
 * Makes two records one: the one that stays gets data, numbers and addresses, and an event says so. The other identifies
 * nobody any more, and no name finds it. The transaction must have `guardVersion` of both.
 */
export function absorbRecord(scope: Scope, { goes, stays, set, last }: Absorption): Statement[] {
  const { rid, id } = stays
  const former = listIdentityValues(goes.data, goes).map(value => ({ ...value, record: goes.rid }))
  const known = new Set(listIdentityValues(stays.data, stays).map(toIdentityKey))
  const gained = listIdentityValues({ ...stays.data, ...set }, last)
    .filter(value => !known.has(toIdentityKey(value)))
    .map(value => ({ ...value, record: rid }))
  const { names } = readIdentifying(stays.identifying)
  const words = planWordsChange(rid, names, { ...names, ...set })
  return [
    removeIdentities(scope, former),
    ...updateRecords(scope, [
      { rid, id, identifying: stays.identifying, bytes: 0, last, set, unset: [], merged: goes.id },
    ]),
    insertFreeIdentities(scope, gained),
    ...removeWords(scope, [...listNameWords(goes.data).map(word => ({ word, record: goes.rid })), ...words.removed]),
    ...insertWords(scope, words.added),
    ...redirectRecord(scope, goes.rid, rid),
  ]
}

/** Lets a customer lead to another one, and those who were merged into them before as well, so that no chain is longer than one step. */
const redirectRecord = ({ team }: Scope, from: number, to: number): Statement[] => {
  const before = sql`SELECT ${record.rid} FROM ${selectMergedRows(team.no, sql`${from}`)}`
  return [
    statement(sql`UPDATE ${record} SET ${assignments(record, { mergedInto: to })} WHERE ${record.rid} IN (${before})`),
    statement(
      sql`UPDATE ${record} SET ${assignments(record, { mergedInto: to })} WHERE ${record.rid} = ${from} AND +${record.team} = ${team.no}`,
    ),
  ]
}
