import { retryWhileChanged } from '../change-conflict.ts'
import { toNextVersion } from '../db/next-version.ts'
import { isOutOfNumbers, ROWS_PER_TEAM_MAX } from '../db/team-numbers.ts'
import { write } from '../db/write.ts'
import { AppError, notFound } from '../errors.ts'
import { toAuthorJson } from '../event/append.ts'
import { newId, UUID } from '../ids.ts'
import type { May } from '../permissions.ts'
import type { Scope } from '../scope.ts'
import { writeAccess } from '../user/write-access.ts'
import { forgetReportingPlugin } from './reporting-plugin.ts'
import type { NewPlugin, UpdatePlugin } from './schema.ts'
import { type Cipher, refuseUnreadable } from './secret/cipher.ts'
import { encryptSecrets } from './secret/encryption.ts'
import { guardPluginVersion, insertStopsClearedEvent, PLUGIN_CHANGED } from './stop.ts'
import {
  guardPluginNumbers,
  insertPlugin,
  type PluginRow,
  removePlugin,
  selectAllPlugins,
  selectPlugins,
  updatePluginRow,
} from './store.ts'
import { removeTemplates } from './template/changes.ts'
import { type PublicPlugin, removeSecrets } from './view.ts'

export { type PluginRow, selectPlugins } from './store.ts'

export async function listPlugins(scope: Scope, cipher: Cipher): Promise<PublicPlugin[]> {
  const [rows] = await scope.db.read(selectAllPlugins(scope))
  return Promise.all(rows.map(row => removeSecrets(cipher, row)))
}

export async function getPlugin(scope: Scope, id: string): Promise<PluginRow> {
  const [[row]] = UUID.test(id) ? await scope.db.read(selectPlugins(scope, [id])) : [[]]
  if (!row) throw notFound(`plugin ${id}`)
  return row
}

export const getPublicPlugin = async (scope: Scope, cipher: Cipher, id: string): Promise<PublicPlugin> =>
  removeSecrets(cipher, await getPlugin(scope, id))

/** Refuses a plugin whose secrets can't be read, and says how to repair it. */
export const refuseUnreadablePlugin = ({ id }: Pick<PluginRow, 'id'>) =>
  refuseUnreadable(
    `send all of them anew: PUT /v1/ext/plugin/whatsapp/${id} {"accessToken", "appSecret", "verifyToken"}`,
  )

const NOT_STOPPED = { stoppedAt: null, stoppedBy: null, statusMessage: null, stoppedSenders: {} }

export async function createPlugin(scope: Scope, cipher: Cipher, body: NewPlugin, may: May): Promise<PublicPlugin> {
  const id = newId(scope.now)
  const row: PluginRow = {
    no: 0,
    id,
    team: scope.team.no,
    version: 1,
    ...body,
    ...(await encryptSecrets(cipher, { id, accessToken: '', appSecret: '', verifyToken: '' }, body)),
    ...NOT_STOPPED,
    templatesSyncedAt: null,
    createdAt: scope.now,
    updatedAt: scope.now,
    deletedAt: null,
  }
  const outcome = await removeSecrets(cipher, row)
  const change = { guards: [guardPluginNumbers(scope)], effect: [insertPlugin(scope, row)] }
  await writeAccess(scope, { ...change, outcome: { json: JSON.stringify(outcome) } }, may).catch((error: unknown) => {
    if (!isOutOfNumbers(error)) throw error
    throw new AppError('conflict', `a team may have had ${ROWS_PER_TEAM_MAX} plugins, removed ones included`, error)
  })
  return outcome
}

/** Updates a plugin, which clears all stops: its caller has looked into them. */
export const updatePlugin = (
  scope: Scope,
  cipher: Cipher,
  { id, change: { status: _, ...change } }: { id: string; change: UpdatePlugin },
  may: May,
): Promise<PublicPlugin> =>
  withUnchangedPlugin(async () => {
    const before = await getPlugin(scope, id)
    const isOtherAccount = (change.businessAccountId ?? before.businessAccountId) !== before.businessAccountId
    const row: PluginRow = {
      ...before,
      ...change,
      ...(await encryptSecrets(cipher, before, change).catch(refuseUnreadablePlugin(before))),
      ...NOT_STOPPED,
      ...(isOtherAccount ? { templatesSyncedAt: null } : {}),
      ...toNextVersion(before, scope.now),
    }
    const outcome = await removeSecrets(cipher, row)
    await writeAccess(
      scope,
      {
        guards: [guardPluginVersion(before)],
        effect: [
          insertStopsClearedEvent(before, { by: toAuthorJson(scope), at: scope.now }),
          updatePluginRow(row),
          ...(isOtherAccount ? removeTemplates(before, { by: toAuthorJson(scope), at: scope.now }) : []),
        ],
        outcome: { json: JSON.stringify(outcome) },
      },
      may,
    )
    forgetReportingPlugin(row.id)
    return outcome
  })

export const deletePlugin = (scope: Scope, cipher: Cipher, id: string): Promise<PublicPlugin> =>
  withUnchangedPlugin(async () => {
    const before = await getPlugin(scope, id)
    await write(scope, {
      guards: [guardPluginVersion(before)],
      effect: [removePlugin(before, scope.now), ...removeTemplates(before, { by: toAuthorJson(scope), at: scope.now })],
      outcome: null,
    })
    forgetReportingPlugin(before.id)
    return removeSecrets(cipher, before)
  })

/** Runs `act`, which decides by the plugin, again if `guardPluginVersion` finds that it was changed meanwhile. */
export const withUnchangedPlugin = <T>(act: () => Promise<T>): Promise<T> =>
  retryWhileChanged('plugin', PLUGIN_CHANGED, act)

/** Refuses to send if the plugin, or the phone number from which the message would go out, is stopped. */
export function refuseStopped({ id, stoppedAt, statusMessage, stoppedSenders }: PluginRow, sender?: string): void {
  const hint = `when that is corrected, say so with PUT /v1/ext/plugin/whatsapp/${id}`
  if (stoppedAt !== null)
    throw new AppError('plugin_stopped', [
      {
        message: `the plugin is stopped: ${statusMessage}`,
        path: '/path/pluginId',
        hint,
        detail: { plugin: id, stoppedAt },
      },
    ])
  const stop = sender === undefined ? undefined : stoppedSenders[sender]
  if (stop)
    throw new AppError('plugin_stopped', [
      {
        message: `the phone number ${sender} of the plugin is stopped: ${stop.message}`,
        hint,
        detail: { plugin: id, whatsappPhoneNumberId: sender, stoppedAt: stop.at },
      },
    ])
}
