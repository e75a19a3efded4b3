import { isGuardFailure } from '../db/guard.ts'
import { AppError, notFound } from '../errors.ts'
import type { Receipt } from '../http/idempotency/record.ts'
import { getPlugin, refuseStopped } from '../plugin/operations.ts'
import { findTemplates, listTemplateNames } from '../plugin/template/statements.ts'
import { withProcedure } from '../procedure/definition-cache.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import { getProcedureOfProcess, getProcessByReference } from '../process/reference.ts'
import { normalisePhone } from '../record/rules.ts'
import type { Scope } from '../scope.ts'
import { deliveryOf, PENDING_MS_MAX } from './rules.ts'
import type { ListMessages, PassThrough, SendTemplate } from './schema.ts'
import { addressed, draftOf, recipientOf, senderOf, type TemplateDraft } from './send/draft.ts'
import { type Draft, type SendContext, send } from './send/send.ts'
import { advanceDelivery, findMessage, listMessageRows, type MessageRow, NOT_RESENDABLE } from './statements.ts'

export async function sendToPhone(
  scope: Scope,
  context: SendContext,
  pluginId: string,
  phone: string,
  body: SendTemplate,
  receipt: Receipt,
): Promise<MessageRow> {
  const draft = await planTemplate(scope, pluginId, body)
  return send(scope, context, addressed(draft, phone, null), receipt)
}

export const sendForProcess = (
  scope: Scope,
  context: SendContext,
  pluginId: string,
  { procedure: reference, process }: { procedure: string; process: string },
  body: SendTemplate,
  receipt: Receipt,
): Promise<MessageRow> =>
  withProcedure(scope, reference, async procedure => {
    const row = await getProcessByReference(scope, procedure, process)
    const phone = recipientOf(procedure, row)
    const draft = await planTemplate(scope, pluginId, body)
    // Which attribute holds the number is the definition's word: it must still be in force when the message is written.
    return send(scope, context, addressed(draft, phone, row.id), receipt, [guardDefinition(procedure)])
  })

export async function sendForProcessId(
  scope: Scope,
  context: SendContext,
  pluginId: string,
  processId: string,
  body: SendTemplate,
  receipt: Receipt,
): Promise<MessageRow> {
  const procedure = await getProcedureOfProcess(scope, processId)
  return sendForProcess(scope, context, pluginId, { procedure, process: processId }, body, receipt)
}

/** All of a template message but its recipient. */
async function planTemplate(scope: Scope, pluginId: string, body: SendTemplate): Promise<TemplateDraft> {
  const name = body.templateName
  const [plugin, found] = await Promise.all([getPlugin(scope, pluginId), findTemplates(scope, pluginId, name)])
  refuseStopped(plugin)
  const known = found.length > 0 ? [] : await listTemplateNames(scope, plugin)
  return draftOf(plugin, { found, known }, body)
}

/** A message of the provider's own interface. Our id travels in it in place of callback data that it may have. */
export async function passThrough(
  scope: Scope,
  context: SendContext,
  { pluginId, version, phoneNumberId }: { pluginId: string; version: string; phoneNumberId: string },
  body: PassThrough,
  receipt: Receipt,
): Promise<MessageRow> {
  const plugin = await getPlugin(scope, pluginId)
  refuseStopped(plugin)
  const draft: Draft = {
    plugin,
    sender: senderOf(plugin, phoneNumberId, '/path/phoneNumberId'),
    graphVersion: version,
    phone: normalisePhone(body.to) ?? body.to,
    process: null,
    template: null,
    dataType: body.type,
    text: textOf(body),
    request: body,
    resendOf: null,
  }
  return send(scope, context, draft, receipt)
}

function textOf(body: PassThrough): string {
  const content = body[body.type]
  if (typeof content !== 'object' || content === null) return ''
  const text = 'body' in content ? content.body : 'caption' in content ? content.caption : ''
  return typeof text === 'string' ? text : ''
}

/** The caller's own word that a message is to be sent again, although it may have been. */
export async function resendMessage(
  scope: Scope,
  context: SendContext,
  id: string,
  receipt: Receipt,
): Promise<MessageRow> {
  const old = await getMessage(scope, id)
  const plugin = await getPlugin(scope, old.plugin)
  refuseStopped(plugin)
  senderOf(plugin, old.sender, '/path/messageId')
  const { sender, graphVersion, phone, process, dataType, text, request } = old
  const template = old.template === null ? null : { id: old.template, name: '', language: '' }
  const draft = { plugin, sender, graphVersion, phone, process, template, dataType, text, request, resendOf: old.id }
  try {
    return await send(scope, context, draft, receipt)
  } catch (error) {
    if (!isGuardFailure(error, NOT_RESENDABLE)) throw error
    throw notResendable(await getMessage(scope, id), error)
  }
}

const notResendable = ({ id, delivery, resentAs }: MessageRow, cause: unknown): AppError =>
  new AppError(
    'conflict',
    [
      resentAs === null
        ? {
            message: `message ${id} is ${deliveryOf(delivery)}: only one that is UNKNOWN or FAILED can be sent again`,
            detail: { deliveryStatus: deliveryOf(delivery) },
          }
        : { message: `message ${id} was sent again already, as ${resentAs}`, detail: { resentAs } },
    ],
    cause,
  )

export async function getMessage(scope: Scope, id: string): Promise<MessageRow> {
  const row = await findMessage(scope, id)
  if (!row) throw notFound(`message ${id}`)
  return row
}

export async function listMessages(
  scope: Scope,
  filter: ListMessages,
): Promise<{ rows: MessageRow[]; hasMore: boolean }> {
  const rows = await listMessageRows(scope, filter)
  return { rows: rows.slice(0, filter.limit), hasMore: rows.length > filter.limit }
}

/** A message as it is now, to whoever asks for it to be sent a second time under the same key. */
export async function recallMessage(scope: Scope, id: string): Promise<MessageRow> {
  const row = await getMessage(scope, id)
  const isAbandoned = deliveryOf(row.delivery) === 'PENDING' && row.updatedAt < scope.now - PENDING_MS_MAX
  if (!isAbandoned) return row
  const event = { status: 'UNKNOWN', at: scope.now, timestamp: null, source: 'SWEEP', reason: 'INTERRUPTED' } as const
  await scope.db.batch([advanceDelivery(scope, id, event)])
  return getMessage(scope, id)
}
