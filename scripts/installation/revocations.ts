import { sql } from 'drizzle-orm'
import { apiKey } from '../../src/api-key/table.ts'
import { replaceInto, type Statement, select, selectRow, statement } from '../../src/db/statement.ts'
import { optOut } from '../../src/message/opt-out/table.ts'
import { plugin } from '../../src/plugin/table.ts'
import { passkey, session, signInLink } from '../../src/session/table.ts'
import { user } from '../../src/user/table.ts'
import { webhook, webhookProgress } from '../../src/webhook/table.ts'
import type { Installation } from './options.ts'
import { selectOutOfUse, takeOutOfUseAgain } from './out-of-use.ts'
import { readRows, updateRows, writeRows } from './rows.ts'
import { decideAgain, selectTeamDecisions } from './team-decisions.ts'

// What was taken away since the moment that a database goes back to, and must not come back with it: keys that were revoked or
// replaced, sessions that were ended, passkeys that were removed, users who were deactivated or have another role, secrets that
// were changed, and numbers that asked not to be written to; what teams have taken out of use (`out-of-use.ts`); and what the
// operator has decided of teams (`team-decisions.ts`). It is read before the restore, and written again after it.

const PLUGIN_SECRETS = {
  id: plugin.id,
  accessToken: plugin.accessToken,
  appSecret: plugin.appSecret,
  verifyToken: plugin.verifyToken,
}
const WEBHOOK_SECRETS = {
  id: webhook.id,
  secret: webhook.secret,
  previousSecret: webhook.previousSecret,
  previousSecretUntil: webhook.previousSecretUntil,
}

const selectPluginSecrets = select(PLUGIN_SECRETS, sql`FROM ${plugin} WHERE ${plugin.deletedAt} IS NULL`)
const selectWebhookSecrets = select(WEBHOOK_SECRETS, sql`FROM ${webhook} WHERE ${webhook.deletedAt} IS NULL`)

const PASSKEY = { id: passkey.id }
const selectWithdrawn = (since: number) => ({
  // A key that replaces another comes with it: else its owner would have none.
  keys: selectRow(
    apiKey,
    sql`FROM ${apiKey} WHERE ${apiKey.createdAt} > ${since} OR ${apiKey.revokedAt} > ${since}
      OR ${apiKey.replacedBy} IN (SELECT key.id FROM ${apiKey} key WHERE key.created_at > ${since})`,
  ),
  sessions: select(
    { id: session.id, endedAt: session.endedAt, createdAt: session.createdAt },
    sql`FROM ${session} WHERE ${session.endedAt} > ${since}`,
  ),
  // Nothing is left of one that was removed: those that come back and are not among these.
  passkeys: select(PASSKEY, sql`FROM ${passkey}`),
  users: select(
    {
      ...{ id: user.id, role: user.role, isActive: sql<number>`${user.isActive}`, deletedAt: user.deletedAt },
      ...{ createdAt: user.createdAt, updatedAt: user.updatedAt },
    },
    sql`FROM ${user} WHERE ${user.updatedAt} > ${since}`,
  ),
  // A change of the key of the installation leaves no time in the row: those that differ from what comes back.
  plugins: selectPluginSecrets,
  webhooks: selectWebhookSecrets,
  optOuts: selectRow(optOut, sql`FROM ${optOut} WHERE ${optOut.since} > ${since} OR ${optOut.endedAt} > ${since}`),
  ...selectOutOfUse(since),
  ...selectTeamDecisions,
})

export type WithdrawnRows = {
  [Name in keyof ReturnType<typeof selectWithdrawn>]: ReturnType<typeof selectWithdrawn>[Name] extends Statement<
    infer Row
  >
    ? Row[]
    : never
}

export function readWithdrawn(installation: Installation, since: number): WithdrawnRows {
  const statements = Object.entries(selectWithdrawn(since))
  const rows = readRows(
    installation,
    statements.map(([, each]) => each),
  )
  return Object.fromEntries(statements.map(([name], nth) => [name, rows[nth] ?? []])) as WithdrawnRows
}

/** What a database that has gone back does not tell of the rows that it has lost, and a later restore may bring back. */
export type LostRows = Pick<
  WithdrawnRows,
  'sessions' | 'users' | 'plugins' | 'webhooks' | 'removedPlugins' | 'cancelledJobs' | 'teams'
>

export function pickLost(rows: LostRows): LostRows {
  const { sessions, users, plugins, webhooks, removedPlugins, cancelledJobs, teams } = rows
  return { sessions, users, plugins, webhooks, removedPlugins, cancelledJobs, teams }
}

/** What is told of a row stays; of those that are not told of, it is what was known earlier. */
export function addLost<Told extends LostRows>(told: Told, earlier: LostRows): Told {
  const add = <Row extends { id: string }>(rows: readonly Row[], others: readonly Row[]): Row[] => {
    const ids = new Set(rows.map(({ id }) => id))
    return [...rows, ...others.filter(({ id }) => !ids.has(id))]
  }
  return {
    ...told,
    sessions: add(told.sessions, earlier.sessions),
    users: add(told.users, earlier.users),
    plugins: add(told.plugins, earlier.plugins),
    webhooks: add(told.webhooks, earlier.webhooks),
    removedPlugins: add(told.removedPlugins, earlier.removedPlugins),
    cancelledJobs: add(told.cancelledJobs, earlier.cancelledJobs),
    teams: add(told.teams, earlier.teams),
  }
}

/** `since`: the moment that the database went back to. Who came later is not there, and is kept for a later restore alone. */
export function withdrawAgain(installation: Installation, withdrawn: WithdrawnRows, since: number): void {
  const { keys, optOuts } = withdrawn
  const isThere = ({ createdAt }: { createdAt: number }) => createdAt <= since
  const [sessions, users] = [withdrawn.sessions.filter(isThere), withdrawn.users.filter(isThere)]
  const { plugins, webhooks } = findChangedSecrets(installation, withdrawn)
  const passkeys = findRemovedPasskeys(installation, withdrawn)
  writeRows(installation, [
    ...keys.map(row => statement(replaceInto(apiKey, row))),
    ...sessions.map(({ id, endedAt }) => updateRows(session, { endedAt }, sql`${session.id} = ${id}`)),
    ...passkeys.map(({ id }) => statement(sql`DELETE FROM ${passkey} WHERE ${passkey.id} = ${id}`)),
    // What was decided last stays. Its time comes with it: by that the next restore finds it.
    ...users.map(({ id, isActive, createdAt: _, ...row }) =>
      updateRows(
        user,
        { ...row, isActive: sql`${isActive}` },
        sql`${user.id} = ${id} AND ${user.updatedAt} <= ${row.updatedAt}`,
      ),
    ),
    ...plugins.map(({ id, ...secrets }) => updateRows(plugin, secrets, sql`${plugin.id} = ${id}`)),
    ...webhooks.map(({ id, ...secrets }) => updateRows(webhook, secrets, sql`${webhook.id} = ${id}`)),
    ...optOuts.map(row => statement(replaceInto(optOut, row))),
  ])
  const counts = Object.entries({
    keys: keys.length,
    sessions: sessions.length,
    passkeys: passkeys.length,
    users: users.length,
    'secrets of plugins and webhooks': plugins.length + webhooks.length,
    'opt-outs': optOuts.length,
  })
  console.log(`carried   over: ${counts.map(([what, count]) => `${count} ${what}`).join(', ')}`)
  takeOutOfUseAgain(installation, withdrawn)
  decideAgain(installation, withdrawn, since)
}

/** Those that the restored database has, and the one before had not any more. */
function findRemovedPasskeys(installation: Installation, { passkeys }: WithdrawnRows): { id: string }[] {
  const left = new Set(passkeys.map(({ id }) => id))
  const [there = []] = readRows(installation, [select(PASSKEY, sql`FROM ${passkey}`)]) as { id: string }[][]
  return there.filter(({ id }) => !left.has(id))
}

function findChangedSecrets(installation: Installation, { plugins, webhooks }: WithdrawnRows) {
  const back = readRows(installation, [selectPluginSecrets, selectWebhookSecrets]) as { id: string }[][]
  const differs = ({ id }: { id: string }, nth: number, row: object) => {
    const restored = back[nth]?.find(each => each.id === id)
    return restored !== undefined && JSON.stringify(restored) !== JSON.stringify(row)
  }
  return {
    plugins: plugins.filter(row => differs(row, 0, row)),
    webhooks: webhooks.filter(row => differs(row, 1, row)),
  }
}

/** All of them: one that was deleted since, because its user got another role, is back, and another one is made in a second. */
export const endSignInLinks = (): Statement =>
  updateRows(signInLink, { usedAt: Date.now() }, sql`${signInLink.usedAt} IS NULL`)

/** Receivers may have worked in the time that is lost: what fails still is disabled five days from now, and not at its next failure. */
export const restartFailing = (): Statement =>
  updateRows(webhookProgress, { failingSince: Date.now() }, sql`${webhookProgress.failingSince} IS NOT NULL`)
