import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../db/document/json.ts'
import { IF_CHANGED } from '../db/guard.ts'
import { columnName, insertInto, jsonObject, type Statement, select, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { IDENTITY_NAMES } from './rules.ts'
import { record, recordIdentity } from './table.ts'

/** All that `identityOf` depends on, as one JSON text. A merge compares it: it takes effect only while it is unchanged. */
export const identifying: SQL<string> = jsonObject({
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
export function selectIdentities({ team }: Scope, wanted: readonly IdentityValue[]): Statement<FoundIdentity> {
  const { kind, value } = recordIdentity
  return select(
    { kind, value, record: record.rid, identifying },
    sql`FROM json_each(${JSON.stringify(wanted)}) wanted
      CROSS JOIN ${recordIdentity} ON ${recordIdentity.team} = ${team.no}
        AND ${kind} = wanted.value ->> '$.kind' AND ${value} = wanted.value ->> '$.value'
      CROSS JOIN ${record} ON ${record.rid} = ${recordIdentity.record}
      ORDER BY ${record.rid}`,
  )
}

export async function findIdentities(scope: Scope, wanted: readonly IdentityValue[]): Promise<FoundIdentity[]> {
  if (wanted.length === 0) return []
  const [rows] = await scope.db.read(selectIdentities(scope, wanted))
  return rows
}

/** Whether none of a few values identifies anybody. */
export const areUnknown = ({ team }: Scope, values: readonly IdentityValue[]): SQL =>
  sql.join(
    values.map(
      ({ kind, value }) =>
        sql`NOT EXISTS (SELECT 1 FROM ${recordIdentity} WHERE ${recordIdentity.team} = ${team.no} AND ${recordIdentity.kind} = ${kind} AND ${recordIdentity.value} = ${value})`,
    ),
    sql` AND `,
  )

/** Removes values that no longer identify their record. */
export const removeIdentities = ({ team }: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(
    sql`DELETE FROM ${recordIdentity} WHERE (${columnName(recordIdentity.team)}, ${columnName(recordIdentity.kind)}, ${columnName(recordIdentity.value)}, ${columnName(recordIdentity.record)})
      IN (SELECT ${team.no}, value ->> '$.kind', value ->> '$.value', value ->> '$.record' FROM json_each(${JSON.stringify(rows)}))`,
  )

/** Fails the transaction if one of them identifies a record already: see `isRecordConflict`. */
export const insertIdentities = (scope: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(insertedIdentities(scope, rows))

/** Leaves out those that identify a record already. */
export const insertFreeIdentities = (scope: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(sql`${insertedIdentities(scope, rows)} WHERE true ON CONFLICT DO NOTHING`)

/** Those of a record that the statement before this one inserted, if it did. */
export const insertIdentitiesIfChanged = ({ team }: Scope, rows: readonly IdentityRow[]): Statement => {
  const { team: owner, kind, value, record: identified } = recordIdentity
  const names = [owner, kind, value, identified].map(columnName)
  const selected = rows.map(
    each => sql`SELECT ${team.no}, ${each.kind}, ${each.value}, ${each.record} WHERE ${IF_CHANGED}`,
  )
  return statement(
    sql`INSERT INTO ${recordIdentity} (${sql.join(names, sql`, `)}) ${sql.join(selected, sql` UNION ALL `)}`,
  )
}

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
