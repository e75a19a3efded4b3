import type { Db } from '../db/client.ts'
import { AppError, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { newId } from '../ids.ts'
import type { Scope } from '../scope.ts'
import type { NewPlugin, UpdatePlugin } from './schema.ts'
import type { Cipher } from './secrets.ts'
import {
  findPlugin,
  findPluginOfWebhook,
  insertPlugin,
  listPluginRows,
  type PluginRow,
  removePlugin,
  updatePluginRow,
} from './store.ts'
import { removeTemplates } from './template/statements.ts'
import type { PublicPlugin } from './view.ts'

export { type PluginRow, readPlugins, selectPlugins } from './store.ts'

const ATTEMPTS_MAX = 5
const SECRETS = ['accessToken', 'appSecret', 'verifyToken'] as const
export type Secret = (typeof SECRETS)[number]

const labelOf = (id: string, secret: Secret) => `${id}/${secret}`

export const decryptSecret = (cipher: Cipher, row: PluginRow, secret: Secret): Promise<string> =>
  cipher.decrypt(row[secret], labelOf(row.id, secret))

export const listPlugins = async (scope: Scope): Promise<PublicPlugin[]> => (await listPluginRows(scope)).map(shown)

export async function getPlugin(scope: Scope, id: string): Promise<PluginRow> {
  const row = await findPlugin(scope, id)
  if (!row) throw notFound(`plugin ${id}`)
  return row
}

/** Whose webhook it is: told by the address, proven by the signature. */
export async function getPluginOfWebhook(db: Db, id: string): Promise<PluginRow> {
  const row = await findPluginOfWebhook(db, id)
  if (!row) throw notFound(`plugin ${id}`)
  return row
}

export async function createPlugin(
  scope: Scope,
  cipher: Cipher,
  body: NewPlugin,
  receipt: Receipt,
): Promise<PublicPlugin> {
  const id = newId(scope.now)
  const row: PluginRow = {
    no: 0,
    id,
    team: scope.team.no,
    ...body,
    ...(await encryptSecrets(cipher, id, body)),
    stoppedAt: null,
    stoppedBy: null,
    statusMessage: null,
    templatesSyncedAt: null,
    version: 1,
    createdAt: scope.now,
    updatedAt: scope.now,
    deletedAt: null,
  }
  await scope.db.batch([insertPlugin(scope, row), ...receipt.of({ json: JSON.stringify(shown(row)) })])
  return shown(row)
}

/** Whoever changes a plugin has seen to it: what had stopped it is forgotten. */
export async function updatePlugin(
  scope: Scope,
  cipher: Cipher,
  id: string,
  { status: _, ...body }: UpdatePlugin,
  receipt: Receipt,
): Promise<PublicPlugin> {
  const secrets = await encryptSecrets(cipher, id.toLowerCase(), body)
  const change = { ...body, ...secrets, stoppedAt: null, stoppedBy: null, statusMessage: null }
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const before = await getPlugin(scope, id)
    const isOtherAccount = (body.businessAccountId ?? before.businessAccountId) !== before.businessAccountId
    const whole = isOtherAccount ? { ...change, templatesSyncedAt: null } : change
    const row = { ...before, ...whole, version: before.version + 1, updatedAt: scope.now }
    const [updated] = await scope.db.batch([
      updatePluginRow(scope, before, whole),
      ...receipt.of({ json: JSON.stringify(shown(row)) }, true),
      ...(isOtherAccount ? [removeTemplates(before)] : []),
    ])
    if (updated?.changes === 1) return shown(row)
  }
  throw new AppError('conflict', 'the plugin is being changed by others at the same time; try again')
}

export async function deletePlugin(scope: Scope, id: string): Promise<PublicPlugin> {
  const row = await getPlugin(scope, id)
  await scope.db.batch([removePlugin(scope, row), removeTemplates(row)])
  return shown(row)
}

/** A plugin that can send now, or why not. */
export function refuseStopped({ id, stoppedAt, statusMessage }: PluginRow): void {
  if (stoppedAt === null) return
  throw new AppError('plugin_stopped', [
    {
      message: `the plugin is stopped: ${statusMessage}`,
      path: '/path/pluginId',
      hint: `when that is mended, say so with PUT /v1/ext/plugin/whatsapp/${id}`,
      detail: { plugin: id, stoppedAt },
    },
  ])
}

const shown = ({ accessToken: _token, appSecret: _secret, verifyToken: _verify, ...row }: PluginRow): PublicPlugin =>
  row

type Secrets = Partial<Record<Secret, string>>

/** Those of the secrets that were sent, sealed. */
async function encryptSecrets<Sent extends Secrets>(
  cipher: Cipher,
  id: string,
  body: Sent,
): Promise<Pick<Sent, Secret & keyof Sent>> {
  const entries = SECRETS.flatMap(name => {
    const secret = body[name]
    return secret === undefined
      ? []
      : [cipher.encrypt(secret, labelOf(id, name)).then(closed => [name, closed] as const)]
  })
  return Object.fromEntries(await Promise.all(entries)) as Pick<Sent, Secret & keyof Sent>
}
