import { readCreatedAt } from '../ids.ts'
import type { Team } from '../scope.ts'
import type { MessageRow } from './ledger/statements.ts'
import { getMedia } from './received/media.ts'
import type { ReceivedColumn, ReceivedContent } from './received/message.ts'
import { toDeliveryStatus } from './rules.ts'
import type { MessageView, StoredMessageView } from './schema.ts'

/** Exactly the members of the interface's message. */
export const viewMessage = ({ id }: Pick<Team, 'id'>, row: MessageRow): MessageView => ({
  id: row.id,
  createdAt: readCreatedAt(row.rid),
  updatedAt: row.updatedAt,
  externalId: row.externalId,
  provider: 'WHATSAPP',
  dataType: row.dataType,
  body: { body: row.text },
  text: row.text,
  attachments: null,
  deliveryStatus: toDeliveryStatus(row.delivery),
  direction: 'OUTBOUND',
  timestamp: readCreatedAt(row.rid),
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

/** And what has become of it since. Or what a customer wrote. */
export const viewMessageWithHistory = (
  team: Pick<Team, 'id'>,
  row: MessageRow & { processKey?: string | null },
): StoredMessageView => ({
  ...viewMessage(team, row),
  ...(row.received === null ? SENT : receivedMembers(row, row.received)),
  whatsappPhoneNumberId: row.sender,
  error: row.error && { ...row.error },
  ...(row.processKey === undefined ? {} : { processKey: row.processKey }),
  resendOf: row.resendOf,
  resentAs: row.resentAs,
  history: row.history.map(entry => ({ ...entry })),
})

const SENT = { record: null, profileName: null, content: null } as const

function receivedMembers(row: MessageRow, { at, inReplyTo }: ReceivedColumn) {
  const { content = null, profileName = null } = row.request as ReceivedContent
  return {
    attachments: getAttachments(row),
    // What is left of the provider's id of an erased one is nobody's business.
    externalId: row.phone === '' ? null : row.externalId,
    direction: 'INBOUND' as const,
    timestamp: at,
    source: { sourceId: row.sourceId, sourceType: 'PLUGIN' as const },
    inReplyTo,
    user: null,
    record: row.record,
    profileName,
    content: content as StoredMessageView['content'],
  }
}

function getAttachments(row: MessageRow) {
  const file = getMedia(row)
  return file && [{ ...file, type: row.dataType, path: `/v1/ext/message/${row.id}/media` }]
}
