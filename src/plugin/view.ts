import { toHome } from '../home.ts'
import type { Team } from '../scope.ts'
import type { PluginView, TemplateView } from './schema.ts'
import { type Cipher, canRead } from './secret/cipher.ts'
import type { PluginRow } from './store.ts'
import type { Template } from './template/model.ts'

/** The part of a plugin that may leave the Worker. */
export type PublicPlugin = Omit<PluginRow, 'accessToken' | 'appSecret' | 'verifyToken'> & {
  areSecretsReadable: boolean
}

export const removeSecrets = async (
  cipher: Cipher,
  { accessToken, appSecret, verifyToken, ...row }: PluginRow,
): Promise<PublicPlugin> => ({
  ...row,
  areSecretsReadable: await canRead(cipher, [accessToken, appSecret, verifyToken]),
})

const webhookPath = ({ team, id }: Pick<PluginRow, 'team' | 'id'>) => `/webhooks/whatsapp/${toHome(team)}/${id}`

/** Converts a plugin into a response. `origin` is that of this installation. */
export const viewPlugin = (row: PublicPlugin, team: Pick<Team, 'id'>, origin: string): PluginView => ({
  ...viewEventPlugin(row, team),
  areSecretsReadable: row.areSecretsReadable,
  webhookUrl: `${origin}${webhookPath(row)}`,
})

/** Converts a plugin for an event, without the installation's origin and keys, which only a request knows. */
export const viewEventPlugin = (
  row: Omit<PublicPlugin, 'areSecretsReadable'>,
  team: Pick<Team, 'id'>,
): Omit<PluginView, 'areSecretsReadable' | 'webhookUrl'> => ({
  id: row.id,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  team: team.id,
  type: 'WHATSAPP',
  name: row.name,
  businessAccountId: row.businessAccountId,
  phoneNumbers: row.phoneNumbers,
  graphVersion: row.graphVersion,
  defaultLanguage: row.defaultLanguage,
  status: row.stoppedAt === null ? 'ACTIVE' : 'STOPPED',
  statusMessage: row.statusMessage,
  stoppedAt: row.stoppedAt,
  stoppedPhoneNumbers: Object.entries(row.stoppedSenders).map(([id, { message, at }]) => ({
    id,
    statusMessage: message,
    stoppedAt: at,
  })),
  templatesSyncedAt: row.templatesSyncedAt,
  webhookPath: webhookPath(row),
})

export const viewTemplate = ({ id, externalId, ...template }: Template): TemplateView => ({
  id,
  externalId,
  name: template.name,
  language: template.language,
  category: template.category,
  status: template.status,
  statusReason: template.statusReason,
  parameterFormat: template.parameterFormat,
  components: template.components.map(component => ({ ...component })),
  updatedAt: template.updatedAt,
})
