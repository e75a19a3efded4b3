import { type SQL, sql } from 'drizzle-orm'
import { alignChanges, documentChange, sizeClassOf } from '../db/document-change.ts'
import { checkSize } from '../db/document-size.ts'
import { guard } from '../db/guard.ts'
import { jsonPath, storedData } from '../db/json.ts'
import {
  assignments,
  assignmentsFrom,
  columnName,
  insertInto,
  jsonObject,
  returning,
  type Statement,
  select,
  statement,
} from '../db/statement.ts'
import { bucketsOf, ridList, valueOfRow, valuesOfRow } from '../db/values-by-row.ts'
import type { Scope } from '../scope.ts'
import { IDENTITY_NAMES, type LastGiven } from './rules.ts'
import { record, recordIdentity } from './table.ts'

export const RECORD_CHANGED = 'a record was changed meanwhile'

/** What identifies a record: the attributes that can, and which of them were given last. It is compared as text. */
const identifying: SQL<string> = jsonObject({
  phoneName: record.phoneName,
  emailName: record.emailName,
  data: jsonObject(
    Object.fromEntries(IDENTITY_NAMES.map(name => [name, sql`${record.data} -> ${sql.raw(`'${jsonPath(name)}'`)}`])),
  ),
})

/** A phone number or an e-mail address, normalised. */
export interface IdentityValue {
  kind: number
  value: string
}

/** The same, and which record it identifies. */
export interface IdentityRow extends IdentityValue {
  record: number
}

export interface FoundIdentity extends IdentityRow {
  identifying: string
}

/** The team's records that some phone numbers and e-mail addresses identify, the oldest first. */
export async function findIdentities(scope: Scope, wanted: readonly IdentityValue[]): Promise<FoundIdentity[]> {
  if (wanted.length === 0) return []
  const { kind, value } = recordIdentity
  const [rows] = await scope.db.read(
    select(
      { kind, value, record: record.rid, identifying },
      sql`FROM json_each(${JSON.stringify(wanted)}) wanted
        CROSS JOIN ${recordIdentity} ON ${recordIdentity.team} = ${scope.team.no}
          AND ${kind} = wanted.value ->> '$.kind' AND ${value} = wanted.value ->> '$.value'
        CROSS JOIN ${record} ON ${record.rid} = ${recordIdentity.record}
        ORDER BY ${record.rid}`,
    ),
  )
  return rows
}

/** What identifies nobody any more, or somebody else from now on. */
export const removeIdentities = ({ team }: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(
    sql`DELETE FROM ${recordIdentity} WHERE (${columnName(recordIdentity.team)}, ${columnName(recordIdentity.kind)}, ${columnName(recordIdentity.value)}, ${columnName(recordIdentity.record)})
      IN (SELECT ${team.no}, value ->> '$.kind', value ->> '$.value', value ->> '$.record' FROM json_each(${JSON.stringify(rows)}))`,
  )

/** Fails the transaction where one of them identifies a record already: then it has to be decided anew. */
export const insertIdentities = (scope: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(insertedIdentities(scope, rows))

/** The same for those that were not looked up before: where one identifies a record already, it goes on to do so. */
export const insertFreeIdentities = (scope: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(sql`${insertedIdentities(scope, rows)} WHERE true ON CONFLICT DO NOTHING`)

const insertedIdentities = ({ team }: Scope, rows: readonly IdentityRow[]): SQL =>
  insertInto(
    recordIdentity,
    {
      team: sql`${team.no}`,
      kind: sql`value ->> '$.kind'`,
      value: sql`value ->> '$.value'`,
      record: sql`value ->> '$.record'`,
    },
    sql`FROM json_each(${JSON.stringify(rows)})`,
  )

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
      ({ merge: { rid, identifying: before, last } }, nth) => [rid, { before, ...last, ...changes[nth] }] as const,
    )
    const buckets = bucketsOf(values)
    const { value, document, from } = valuesOfRow({ rid: record.rid, document: record.data }, buckets, shape)
    const member = (name: string) => sql`${value} ->> ${sql.raw(`'$.${name}'`)}`
    const changed = { data: document, phoneName: member('phoneName'), emailName: member('emailName') }
    const set = [
      assignmentsFrom(record, changed, from),
      assignments(record, { version: sql`${record.version} + 1`, updatedAt: scope.now }),
    ]
    const update = sql`UPDATE ${record} SET ${sql.join(set, sql`, `)}
      WHERE ${record.rid} IN ${ridList(group.map(({ merge }) => merge.rid))} AND +${record.team} = ${scope.team.no}
        AND ${identifying} = ${valueOfRow(record.rid, buckets)} ->> '$.before'`
    return [
      returning(update, { size: checkSize(record.data, 'record') }),
      guard(RECORD_CHANGED, sql`changes() = ${sql.raw(String(group.length))}`),
    ]
  })
}
