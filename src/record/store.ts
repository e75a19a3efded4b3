import { fits } from '../db/document-size.ts'
import { guard } from '../db/guard.ts'
import { changedDocument, documentChange, storedData } from '../db/json.ts'
import { type Statement, statement } from '../db/statement.ts'
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
    statement(
      `SELECT rid, phone, email FROM ${BY_PHONE} UNION SELECT rid, phone, email FROM ${BY_EMAIL} ORDER BY rid`,
      scope.team.no,
      phones,
      emails,
    ),
  ])
  return (found?.rows ?? []) as unknown as ({ rid: number } & Identity)[]
}

/** Two requests for the same unknown customer at once: the second must find the first one's record, not make another. */
export const guardUnknown = (scope: Scope, identities: Identity[]): Statement =>
  guard(
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

export const insertRecords = (scope: Scope, records: NewRecord[]): Statement =>
  statement(
    `INSERT INTO record (rid, id, team, phone, email, data, version, created_at, updated_at)
      SELECT value ->> '$.rid', value ->> '$.id', ?2, value ->> '$.phone', value ->> '$.email', jsonb(value -> '$.data'), 1, ?3, ?3
      FROM json_each(?1)`,
    JSON.stringify(records.map(({ rid, id, identity, set }) => ({ rid, id, ...identity, data: storedData(set) }))),
    scope.team.no,
    scope.now,
  )

export const mergeRecord = (scope: Scope, { rid, identity, set, unset }: NewRecord & { unset: string[] }): Statement =>
  statement(
    `UPDATE record SET data = ${changedDocument('data', '?1', Object.keys(set).length, unset.length)},
        phone = ?1 ->> '$.phone', email = ?1 ->> '$.email', version = version + 1, updated_at = ?3
      WHERE rid = ?1 ->> '$.rid' AND team = ?2 RETURNING ${fits('record.data', 'record')}`,
    JSON.stringify({ rid, ...identity, ...documentChange(set, unset) }),
    scope.team.no,
    scope.now,
  )
