import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../db/document/json.ts'
import { ridList } from '../db/document/values-by-row.ts'
import { IF_CHANGED } from '../db/guard.ts'
import { columnName, insertInto, jsonObject, prepared, type Statement, select, statement } from '../db/statement.ts'
import { toRowNo } from '../ids.ts'
import type { Scope } from '../scope.ts'
import {
  IDENTITY_NAMES,
  type Identity,
  type IdentityAttributes,
  NAME_NAMES,
  NO_IDENTITY_ATTRIBUTES,
  toIdentity,
} from './identity-rules.ts'
import { type IdentityRow, type IdentityValue, OWN } from './identity-values.ts'
import { NAME_CHARACTERS_MAX } from './name-words.ts'
import { fromSurvivors, NAMED_ID, NAMED_RID } from './survivor.ts'
import { EMAIL, PHONE, record, recordIdentity } from './table.ts'

/** Selects the names of a customer as far as their words are indexed. */
export const namesOfRecord: SQL<string> = jsonObject(
  Object.fromEntries(
    NAME_NAMES.map(name => {
      const path = sql.raw(`'${jsonPath(name)}'`)
      return [
        name,
        sql`iif(json_type(${record.data}, ${path}) = 'text', substr(${record.data} ->> ${path}, 1, ${sql.raw(String(NAME_CHARACTERS_MAX))}), NULL)`,
      ]
    }),
  ),
)

/**
 * Selects everything on which `toIdentity` and `listNameWords` depend, as one JSON text. A change compares it, and takes effect
 * only while it is unchanged.
 */
export const identifying: SQL<string> = jsonObject({
  phoneName: record.phoneName,
  emailName: record.emailName,
  data: jsonObject(
    Object.fromEntries(IDENTITY_NAMES.map(name => [name, sql`${record.data} -> ${sql.raw(`'${jsonPath(name)}'`)}`])),
  ),
  names: namesOfRecord,
})

/** Parses the text that `identifying` selects. */
export const readIdentifying = (text: string) =>
  JSON.parse(text) as IdentityAttributes & Record<'data' | 'names', Record<string, unknown>>

export interface IdentityMatch extends IdentityRow {
  id: string
  /** The id under which it was looked up, if it was by row. It may be that of a customer who was merged into it. */
  namedId?: string
  identifying: string
  /** The bytes of the record's document. */
  bytes: number
}

const selectWanted = prepared<{ team: number; wanted: string }, IdentityMatch>(
  ['team', 'wanted'],
  ({ team, wanted }) => {
    const { kind, value } = recordIdentity
    return select(
      { kind, value, record: record.rid, id: record.id, identifying, bytes: sql<number>`length(${record.data})` },
      sql`FROM json_each(${wanted}) wanted
      CROSS JOIN ${recordIdentity} ON ${recordIdentity.team} = ${team}
        AND ${kind} = wanted.value ->> '$.kind' AND ${value} = wanted.value ->> '$.value'
      CROSS JOIN ${record} ON ${record.rid} = ${recordIdentity.record}
      ORDER BY ${record.rid}`,
    )
  },
)

/** Selects the team's records that some phone numbers and e-mail addresses identify, the oldest first. */
export const selectIdentities = ({ team }: Scope, wanted: readonly IdentityValue[]): Statement<IdentityMatch> =>
  selectWanted({ team: team.no, wanted: JSON.stringify(wanted) })

/** Selects the team's records to which some row numbers lead, in the same form. */
const selectOwn = (scope: Scope, rids: readonly number[]): Statement<IdentityMatch> =>
  select(
    {
      kind: sql<number>`${sql.raw(String(OWN))}`,
      value: sql<string>`CAST(${NAMED_RID} AS TEXT)`,
      record: record.rid,
      id: record.id,
      namedId: NAMED_ID,
      identifying,
      bytes: sql<number>`length(${record.data})`,
    },
    fromSurvivors(scope, ridList(rids)),
  )

/** Finds the records of the team that `listRequestedValues` asks for. */
export async function findIdentities(scope: Scope, wanted: readonly IdentityValue[]): Promise<IdentityMatch[]> {
  const values = wanted.filter(({ kind }) => kind !== OWN)
  const rids = wanted.flatMap(({ kind, value }) => (kind === OWN ? [Number(value)] : []))
  const statements = [
    ...(values.length > 0 ? [selectIdentities(scope, values)] : []),
    ...(rids.length > 0 ? [selectOwn(scope, rids)] : []),
  ]
  return statements.length === 0 ? [] : (await scope.db.read(...statements)).flat()
}

type PerKind<Value> = { [Kind in keyof Identity]: Value }
const KINDS: readonly [keyof Identity, SQL][] = [
  ['phone', sql.raw(String(PHONE))],
  ['email', sql.raw(String(EMAIL))],
]

/** Tells whether neither a phone number nor an e-mail address identifies anybody. Null identifies nobody. */
export const whereUnknown = (team: SQL, values: PerKind<SQL>): SQL =>
  sql.join(
    KINDS.map(
      ([name, kind]) =>
        sql`NOT EXISTS (SELECT 1 FROM ${recordIdentity} WHERE ${recordIdentity.team} = ${team} AND ${recordIdentity.kind} = ${kind} AND ${recordIdentity.value} = ${values[name]})`,
    ),
    sql` AND `,
  )

/** Removes values that no longer identify their record. */
export const removeIdentities = ({ team }: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(
    sql`DELETE FROM ${recordIdentity} WHERE (${columnName(recordIdentity.team)}, ${columnName(recordIdentity.kind)}, ${columnName(recordIdentity.value)}, ${columnName(recordIdentity.record)})
      IN (SELECT ${team.no}, value ->> '$.kind', value ->> '$.value', value ->> '$.record' FROM json_each(${JSON.stringify(rows)}))`,
  )

/** Inserts values. Fails the transaction if one identifies a record already, which `isRecordConflict` recognises. */
export const insertIdentities = (scope: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(buildIdentityInsert(scope, rows))

/** Inserts values, except those that identify a record already. */
export const insertFreeIdentities = (scope: Scope, rows: readonly IdentityRow[]): Statement =>
  statement(sql`${buildIdentityInsert(scope, rows)} WHERE true ON CONFLICT DO NOTHING`)

const insertIfChanged = prepared<{ team: number; rid: number } & PerKind<string | null>, never>(
  ['team', 'rid', 'phone', 'email'],
  ({ team, rid, ...values }) => {
    const { team: owner, kind, value, record: identified } = recordIdentity
    const names = [owner, kind, value, identified].map(columnName)
    const selected = KINDS.map(
      ([name, number]) =>
        sql`SELECT ${team}, ${number}, ${values[name]}, ${rid} WHERE ${values[name]} IS NOT NULL AND ${IF_CHANGED}`,
    )
    return statement(
      sql`INSERT INTO ${recordIdentity} (${sql.join(names, sql`, `)}) ${sql.join(selected, sql` UNION ALL `)}`,
    )
  },
)

/** Inserts the values of a record that the statement before this one inserted, if it did. */
export const insertIdentitiesIfChanged = ({ team }: Scope, rid: number, identity: Identity): Statement =>
  insertIfChanged({ team: team.no, rid, ...identity })

const buildIdentityInsert = ({ team }: Scope, rows: readonly IdentityRow[]): SQL =>
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

/** A customer as a response shows it inside a process. */
export interface RecordSummary {
  id: string
  data: Record<string, unknown>
}

/** Returns the phone number and e-mail address by which each of some customers is identified, by id. It takes one statement. */
export async function loadRecordIdentities(
  scope: Scope,
  records: readonly RecordSummary[],
): Promise<ReadonlyMap<string, Identity>> {
  if (records.length === 0) return new Map()
  const rids = JSON.stringify([...new Set(records.map(({ id }) => toRowNo(id)))])
  const [rows] = await scope.db.read(
    select(
      { id: record.id, phoneName: record.phoneName, emailName: record.emailName },
      sql`FROM json_each(${rids}) wanted CROSS JOIN ${record} ON ${record.rid} = wanted.value AND +${record.team} = ${scope.team.no}`,
    ),
  )
  const attributesById = new Map(rows.map(row => [row.id, row]))
  return new Map(
    records.map(({ id, data }) => [id, toIdentity(data, attributesById.get(id) ?? NO_IDENTITY_ATTRIBUTES)]),
  )
}
