import { sql } from 'drizzle-orm'
import { alignChanges, type DocumentChange, getSizeClass, toDocumentChange } from '../db/document/change.ts'
import { toStoredData } from '../db/document/json.ts'
import { BYTES_PER_CHARACTER_MAX, checkSize } from '../db/document/size.ts'
import { ridList, selectRowValue, selectRowValues, splitRowValues } from '../db/document/values-by-row.ts'
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
import { EVENT_ROW_BYTES_MAX, setByLastEvent } from '../event/append.ts'
import type { Scope } from '../scope.ts'
import { insertRecordChangeEvents } from './append-events.ts'
import type { Identity, IdentityAttributes } from './identity-rules.ts'
import { identifying, whereUnknown } from './identity-statements.ts'
import { IS_NOT_MERGED } from './survivor.ts'
import { record } from './table.ts'

export const RECORD_CHANGED = 'a record was changed meanwhile'

export interface NewRecord {
  rid: number
  id: string
  last: IdentityAttributes
  set: Record<string, unknown>
}

export const insertRecords = (scope: Scope, records: readonly NewRecord[]): Statement => {
  const member = (name: string) => sql`value ->> ${sql.raw(`'$.${name}'`)}`
  const values = records.map(({ rid, id, last, set }) => ({ rid, id, ...last, data: toStoredData(set) }))
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
  [Name in keyof (IdentityAttributes & Identity)]: string | null
}

const insertIfUnknown = prepared<InsertedRecord, never>(
  ['rid', 'id', 'team', 'now', 'data', 'phoneName', 'emailName', 'phone', 'email'],
  ({ now, data, phone, email, ...values }) => {
    const columns = { ...values, createdAt: now, updatedAt: now, data: sql`jsonb(${data})` }
    return statement(insertInto(record, columns, sql`WHERE ${whereUnknown(values.team, { phone, email })}`))
  },
)

/**
 * Inserts a record, unless its phone number or its e-mail address identifies somebody. Its data are not too large, because
 * one request has sent them: `findRecordDataFaults` in `process/validate.ts` checks that.
 */
export const insertRecordIfUnknown = (
  { team, now }: Scope,
  { rid, id, last, set }: NewRecord,
  identity: Identity,
): Statement =>
  insertIfUnknown({ rid, id, team: team.no, now, data: JSON.stringify(toStoredData(set)), ...last, ...identity })

export interface RecordChange {
  rid: number
  id: string
  /** The text of `identifying` as it was found. The change takes effect only while it is unchanged. */
  identifying: string
  /** The bytes of the document before. The event stores no more of it. */
  bytes: number
  last: IdentityAttributes
  set: Record<string, unknown>
  unset: readonly string[]
  /** The position of the entry in its job. */
  entry?: number | undefined
  /** The id of the customer who is merged into this one, which the event names. Such a change is alone in its group. */
  merged?: string
}

interface ChangeGroup {
  changes: { record: RecordChange; document: DocumentChange }[]
  /** An upper bound of the bytes that their events store. */
  bytes: number
}

/** Groups changes. Those of one size class share a group, as far as their events fit a row. */
function groupChanges(changes: readonly RecordChange[]): ChangeGroup[] {
  const groups: ChangeGroup[] = []
  const open = new Map<string, ChangeGroup>()
  for (const change of changes) {
    const document = toDocumentChange(change.set, change.unset)
    const key = getSizeClass(document)
    const bytes = change.bytes + BYTES_PER_CHARACTER_MAX * JSON.stringify(change.set).length
    const known = open.get(key)
    const group = known && known.bytes + bytes <= EVENT_ROW_BYTES_MAX ? known : { changes: [], bytes: 0 }
    group.changes.push({ record: change, document })
    group.bytes += bytes
    if (group === known) continue
    open.set(key, group)
    groups.push(group)
  }
  return groups
}

/** Sets and removes attributes. A group has one statement, after that of its events and before a guard that all its records were there. */
export function updateRecords(scope: Scope, changes: readonly RecordChange[]): Statement[] {
  return groupChanges(changes).flatMap(({ changes: group }) => {
    const { shape, changes: aligned } = alignChanges(group.map(each => each.document))
    const values = group.map(
      ({ record: { rid, identifying: before, last } }, nth) =>
        [rid, JSON.stringify({ before, ...last, ...aligned[nth] })] as const,
    )
    const given = splitRowValues(values)
    const { value, document, from } = selectRowValues({ rid: record.rid, document: record.data }, given, shape)
    const member = (name: string) => sql`${value} ->> ${sql.raw(`'$.${name}'`)}`
    const changed = { data: document, phoneName: member('phoneName'), emailName: member('emailName') }
    const set = [
      assignmentsFrom(record, changed, from),
      assignments(record, {
        version: sql`${record.version} + 1`,
        ...setByLastEvent(record, scope.team.no),
      }),
    ]
    const which = sql`${record.rid} IN ${ridList(group.map(each => each.record.rid))} AND +${record.team} = ${scope.team.no}
        AND ${IS_NOT_MERGED} AND ${identifying} = ${selectRowValue(record.rid, given)} ->> '$.before'`
    const update = sql`UPDATE ${record} SET ${sql.join(set, sql`, `)} WHERE ${which}`
    return [
      insertRecordChangeEvents(
        scope,
        group.map(each => each.record),
        which,
      ),
      returning(update, { size: checkSize(record.data, 'record') }),
      guardChanges(RECORD_CHANGED, group.length),
    ]
  })
}
