import { sql } from 'drizzle-orm'
import { alignChanges, documentChange, sizeClassOf } from '../db/document/change.ts'
import { storedData } from '../db/document/json.ts'
import { checkSize } from '../db/document/size.ts'
import { ridList, rowValues, valueOfRow, valuesOfRow } from '../db/document/values-by-row.ts'
import { guardChanges } from '../db/guard.ts'
import {
  assignments,
  assignmentsFrom,
  insertInto,
  prepared,
  returning,
  type Statement,
  statement,
} from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { identifying, isUnknown } from './identity.ts'
import type { Identity, LastGiven } from './rules.ts'
import { record } from './table.ts'

export const RECORD_CHANGED = 'a record was changed meanwhile'

export interface NewRecord {
  rid: number
  id: string
  last: LastGiven
  set: Record<string, unknown>
}

export const insertRecords = (scope: Scope, records: readonly NewRecord[]): Statement => {
  const member = (name: string) => sql`value ->> ${sql.raw(`'$.${name}'`)}`
  const values = records.map(({ rid, id, last, set }) => ({ rid, id, ...last, data: storedData(set) }))
  const columns = {
    rid: member('rid'),
    id: member('id'),
    team: sql`${scope.team.no}`,
    data: sql`jsonb(value -> '$.data')`,
    phoneName: member('phoneName'),
    emailName: member('emailName'),
    createdAt: sql`${scope.now}`,
    updatedAt: sql`${scope.now}`,
  }
  return returning(insertInto(record, columns, sql`FROM json_each(${JSON.stringify(values)})`), {
    size: checkSize(record.data, 'record'),
  })
}

type InsertedRecord = { rid: number; id: string; team: number; now: number; data: string } & {
  [Name in keyof (LastGiven & Identity)]: string | null
}

const insertIfUnknown = prepared<InsertedRecord, never>(
  ['rid', 'id', 'team', 'now', 'data', 'phoneName', 'emailName', 'phone', 'email'],
  ({ now, data, phone, email, ...values }) => {
    const columns = { ...values, createdAt: now, updatedAt: now, data: sql`jsonb(${data})` }
    return statement(insertInto(record, columns, sql`WHERE ${isUnknown(values.team, { phone, email })}`))
  },
)

/**
 * Inserts nothing where its phone number or its e-mail address identifies somebody. What one request sends of a record is
 * not too large: `recordFaults` in `process/validate.ts` sees to it.
 */
export const insertRecordIfUnknown = (
  { team, now }: Scope,
  { rid, id, last, set }: NewRecord,
  identity: Identity,
): Statement =>
  insertIfUnknown({ rid, id, team: team.no, now, data: JSON.stringify(storedData(set)), ...last, ...identity })

export interface RecordMerge {
  rid: number
  /** `FoundIdentity.identifying`: the merge takes effect only while it is still so. */
  identifying: string
  last: LastGiven
  set: Record<string, unknown>
  unset: readonly string[]
}

/** Merges of one size class share a statement, each followed by a guard that all of its records were there. */
export function mergeRecords(scope: Scope, merges: readonly RecordMerge[]): Statement[] {
  const groups = new Map<string, { merge: RecordMerge; change: ReturnType<typeof documentChange> }[]>()
  for (const merge of merges) {
    const change = documentChange(merge.set, merge.unset)
    const key = sizeClassOf(change)
    groups.set(key, [...(groups.get(key) ?? []), { merge, change }])
  }
  return [...groups.values()].flatMap(group => {
    const { shape, changes } = alignChanges(group.map(({ change }) => change))
    const values = group.map(
      ({ merge: { rid, identifying: before, last } }, nth) =>
        [rid, JSON.stringify({ before, ...last, ...changes[nth] })] as const,
    )
    const given = rowValues(values)
    const { value, document, from } = valuesOfRow({ rid: record.rid, document: record.data }, given, shape)
    const member = (name: string) => sql`${value} ->> ${sql.raw(`'$.${name}'`)}`
    const changed = { data: document, phoneName: member('phoneName'), emailName: member('emailName') }
    const set = [
      assignmentsFrom(record, changed, from),
      assignments(record, { version: sql`${record.version} + 1`, updatedAt: scope.now }),
    ]
    const update = sql`UPDATE ${record} SET ${sql.join(set, sql`, `)}
      WHERE ${record.rid} IN ${ridList(group.map(({ merge }) => merge.rid))} AND +${record.team} = ${scope.team.no}
        AND ${identifying} = ${valueOfRow(record.rid, given)} ->> '$.before'`
    return [returning(update, { size: checkSize(record.data, 'record') }), guardChanges(RECORD_CHANGED, group.length)]
  })
}
