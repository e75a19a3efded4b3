import { createdAtOf } from '../ids.ts'
import type { Team } from '../scope.ts'
import type { MessageRow } from './ledger/rows.ts'
import { deliveryOf } from './rules.ts'
import type { MessageView, StoredMessageView } from './schema.ts'

/** Exactly the members of the interface's message. */
export const viewMessage = ({ id }: Pick<Team, 'id'>, row: MessageRow): MessageView => ({
  id: row.id,
  createdAt: createdAtOf(row.rid),
  updatedAt: row.updatedAt,
  externalId: row.externalId,
  provider: 'WHATSAPP',
  dataType: row.dataType,
  body: { body: row.text },
  text: row.text,
  attachments: null,
  deliveryStatus: deliveryOf(row.delivery),
  direction: 'OUTBOUND',
  timestamp: createdAtOf(row.rid),
  context: { contactIdentifier: row.phone, messageTemplateId: row.template },
  adhocAgent: null,
  source: { sourceId: row.sourceId, sourceType: row.job === null ? 'API' : 'BACKGROUND_JOB' },
  team: id,
  chat: null,
  contact: null,
  procedure: null,
  campaign: null,
  inReplyTo: null,
  plugin: row.plugin,
  user: row.user,
  process: row.process,
})

/** And what has become of it since. */
export const viewMessageWithHistory = (team: Pick<Team, 'id'>, row: MessageRow): StoredMessageView => ({
  ...viewMessage(team, row),
  whatsappPhoneNumberId: row.sender,
  error: row.error && { ...row.error },
  resendOf: row.resendOf,
  resentAs: row.resentAs,
  history: row.history.map(entry => ({ ...entry })),
})
