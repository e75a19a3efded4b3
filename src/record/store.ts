import { fits } from '../db/document-size.ts'
import { changedDocument, documentChange, storedData } from '../db/json.ts'
import { type TextStatement, textGuard, textStatement } from '../db/text-statement.ts'
import type { Scope } from '../scope.ts'
import type { Identity } from './rules.ts'

export const RECORD_APPEARED = 'a record appeared'

const phonesOf = (identities: Identity[]) => JSON.stringify(identities.flatMap(({ phone }) => phone ?? []))
const emailsOf = (identities: Identity[]) => JSON.stringify(identities.flatMap(({ email }) => email ?? []))

const BY_PHONE = 'record INDEXED BY record_phone WHERE team = ?1 AND phone IN (SELECT value FROM json_each(?2))'
const BY_EMAIL = 'record INDEXED BY record_email WHERE team = ?1 AND email IN (SELECT value FROM json_each(?3))'

/** The team's records with one of these phone numbers or e-mail addresses, the oldest first. */
export async function findKnown(scope: Scope, identities: Identity[]): Promise<({ rid: number } & Identity)[]> {
  const phones = phonesOf(identities)
  const emails = emailsOf(identities)
  if (phones === '[]' && emails === '[]') return []
  const [found] = await scope.db.batch([
    textStatement(
      `SELECT rid, phone, email FROM ${BY_PHONE} UNION SELECT rid, phone, email FROM ${BY_EMAIL} ORDER BY rid`,
      scope.team.no,
      phones,
      emails,
    ),
  ])
  return (found?.rows ?? []) as unknown as ({ rid: number } & Identity)[]
}

/** Two requests for the same unknown customer at once: the second must find the first one's record, not make another. */
export const guardUnknown = (scope: Scope, identities: Identity[]): TextStatement =>
  textGuard(
    RECORD_APPEARED,
    `NOT EXISTS (SELECT 1 FROM ${BY_PHONE}) AND NOT EXISTS (SELECT 1 FROM ${BY_EMAIL})`,
    scope.team.no,
    phonesOf(identities),
    emailsOf(identities),
  )

interface NewRecord {
  rid: number
  id: string
  identity: Identity
  set: Record<string, unknown>
}

export const insertRecords = (scope: Scope, records: NewRecord[]): TextStatement =>
  textStatement(
    `INSERT INTO record (rid, id, team, phone, email, data, version, created_at, updated_at)
      SELECT value ->> '$.rid', value ->> '$.id', ?2, value ->> '$.phone', value ->> '$.email', jsonb(value -> '$.data'), 1, ?3, ?3
      FROM json_each(?1) WHERE true RETURNING ${fits('record.data', 'record')}`,
    JSON.stringify(records.map(({ rid, id, identity, set }) => ({ rid, id, ...identity, data: storedData(set) }))),
    scope.team.no,
    scope.now,
  )

interface KnownRecord {
  rid: number
  /** What it was not known by before. The rest stays as it is, also if others are changing it at the same time. */
  learned: Identity
  set: Record<string, unknown>
  unset: string[]
}

/** One statement for all records that are given the same attributes. */
export function mergeRecords(scope: Scope, records: KnownRecord[]): TextStatement[] {
  const groups = new Map<string, KnownRecord[]>()
  for (const record of records) {
    const signature = JSON.stringify([
      ...[Object.keys(record.set).length, record.unset.length],
      ...[record.learned.phone !== null, record.learned.email !== null],
    ])
    groups.set(signature, [...(groups.get(signature) ?? []), record])
  }
  return [...groups.values()].map(group => mergeStatement(scope, group))
}

function mergeStatement(scope: Scope, records: KnownRecord[]): TextStatement {
  const [first] = records
  // One alone need not be joined with its values: that reads two rows less.
  const one = records.length === 1
  const item = one ? '?1' : 'item.value'
  const learned = (name: keyof Identity) => (first?.learned[name] == null ? '' : `${name} = ${item} ->> '$.${name}',`)
  const values = records.map(each => ({ rid: each.rid, ...each.learned, ...documentChange(each.set, each.unset) }))
  return textStatement(
    `UPDATE record SET data = ${changedDocument('record.data', item, Object.keys(first?.set ?? {}).length, first?.unset.length ?? 0)},
        ${learned('phone')} ${learned('email')} version = version + 1, updated_at = ?3
      ${one ? '' : 'FROM json_each(?1) item'} WHERE record.rid = ${item} ->> '$.rid' AND +record.team = ?2
      RETURNING ${fits('record.data', 'record')}`,
    JSON.stringify(one ? values[0] : values),
    scope.team.no,
    scope.now,
  )
}
