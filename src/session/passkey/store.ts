import { and, eq, sql } from 'drizzle-orm'
import { guard } from '../../db/guard.ts'
import {
  assignments,
  insertInto,
  type RowOf,
  type Statement,
  select,
  selectRow,
  statement,
} from '../../db/statement.ts'
import type { Scope } from '../../scope.ts'
import { user } from '../../user/table.ts'
import { passkey } from '../table.ts'

export type PasskeyRow = typeof passkey.$inferSelect

export const PASSKEYS_PER_USER_MAX = 20

const CREDENTIAL_FIELDS = {
  id: passkey.id,
  team: passkey.team,
  user: passkey.user,
  credential: passkey.credential,
  publicKey: passkey.publicKey,
  counter: passkey.counter,
  isActive: sql<number>`${user.isActive} AND ${user.deletedAt} IS NULL`,
}
type CredentialRow = RowOf<typeof CREDENTIAL_FIELDS>

const passkeysOfUsers = sql`${passkey} JOIN ${user} ON ${user.id} = ${passkey.user} AND +${user.team} = ${passkey.team}`

/** Selects a credential. It is not bound to a team, because the credential is the proof. */
export const selectCredential = (credential: string): Statement<CredentialRow> =>
  select(CREDENTIAL_FIELDS, sql`FROM ${passkeysOfUsers} WHERE ${passkey.credential} = ${credential}`)

export const PASSKEY_SPENT = 'the passkey was removed, has signed since, or its user was deactivated'

/** Fails the transaction if the passkey has been used since. Counters only grow; 0 means that the authenticator does not count. */
export const guardCredential = ({ id }: CredentialRow, counter: number): Statement =>
  guard(
    PASSKEY_SPENT,
    sql`EXISTS (SELECT 1 FROM ${passkeysOfUsers} WHERE ${passkey.id} = ${id}
      AND (${passkey.counter} < ${counter} OR (${passkey.counter} = 0 AND ${counter} = 0))
      AND ${user.isActive} AND ${user.deletedAt} IS NULL)`,
  )

interface Use {
  counter: number
  isBackedUp: boolean
}

export const saveUse = ({ id, team }: CredentialRow, { counter, isBackedUp }: Use, now: number): Statement =>
  statement(sql`UPDATE ${passkey}
    SET ${assignments(passkey, { counter, backedUp: Number(isBackedUp), lastUsedAt: now })}
    WHERE ${passkey.id} = ${id} AND ${passkey.team} = ${team}`)

export const insertPasskey = ({ transports, backedUp, ...row }: PasskeyRow): Statement =>
  statement(insertInto(passkey, { ...row, transports: JSON.stringify(transports), backedUp: Number(backedUp) }))

export const TOO_MANY_PASSKEYS = 'too many passkeys'

export const guardRoom = (scope: Scope): Statement =>
  guard(
    TOO_MANY_PASSKEYS,
    sql`(SELECT count(*) FROM ${passkey} WHERE ${whereOfUser(scope, scope.user.id)}) < ${PASSKEYS_PER_USER_MAX}`,
  )

const whereOfUser = (scope: Scope, userId: string | undefined) =>
  and(eq(passkey.team, scope.team.no), userId === undefined ? undefined : eq(passkey.user, userId))

export async function listPasskeyRows(scope: Scope, userId: string | undefined): Promise<PasskeyRow[]> {
  const [rows] = await scope.db.read(
    selectRow(passkey, sql`FROM ${passkey} WHERE ${whereOfUser(scope, userId)} ORDER BY ${passkey.id} DESC`),
  )
  return rows
}

export async function findPasskey(scope: Scope, id: string): Promise<PasskeyRow | undefined> {
  const [[row]] = await scope.db.read(
    selectRow(passkey, sql`FROM ${passkey} WHERE ${passkey.team} = ${scope.team.no} AND ${passkey.id} = ${id}`),
  )
  return row
}

export const removePasskey = (scope: Scope, id: string): Statement =>
  statement(sql`DELETE FROM ${passkey} WHERE ${passkey.team} = ${scope.team.no} AND ${passkey.id} = ${id}`)
