import { erasedMeanwhileError, guardNobodyErased, isErasedMeanwhile } from '../background-job/erasure/pending.ts'
import { normalisePhone } from '../customer-record/identity-rules.ts'
import { isGuardFailure } from '../db/guard.ts'
import { retryOnConflict } from '../db/retry.ts'
import { write } from '../db/write.ts'
import { AppError, notFound } from '../errors.ts'
import { writeRowCursor } from '../http/request/row-cursor.ts'
import { getPlugin, refuseStopped } from '../plugin/operations.ts'
import { findTemplates, listTemplateNames } from '../plugin/template/operations.ts'
import { withProcedure } from '../procedure/definition-cache.ts'
import { guardDefinition } from '../procedure/definition-guard.ts'
import { guardNotBeingEmptied, isBeingErased } from '../process/erasure/statements.ts'
import { findProcessProcedure, getProcessByReference } from '../process/reference.ts'
import { whereAmong } from '../process/rows/target.ts'
import type { Scope } from '../scope.ts'
import { listNewestMessages } from './count/newest.ts'
import { listJobMessages, type MessageOfJob } from './job-messages.ts'
import { markUnknown } from './ledger/advance-status.ts'
import { type MessageDraft, NOT_RESENDABLE } from './ledger/claim.ts'
import { type MessageRow, readMessagesPage, selectMessage, toMessage } from './ledger/statements.ts'
import type { ListMessages } from './list-schema.ts'
import { PENDING_MS_MAX, toDeliveryStatus } from './rules.ts'
import type { PassThrough } from './schema.ts'
import { addressedTo, chooseSender, createDraft, getRecipient, type TemplateDraft } from './send/draft.ts'
import type { SendTemplate } from './send/schema.ts'
import { type SendContext, send } from './send/send-one.ts'
import { guardRecipientKept, isRecipientBeingErased, selectRecordMessages } from './store.ts'

interface TemplateRequest {
  pluginId: string
  body: SendTemplate
}

export async function sendToPhone(
  scope: Scope,
  context: SendContext,
  { phone, ...request }: TemplateRequest & { phone: string },
): Promise<MessageRow> {
  const draft = await draftTemplate(scope, request)
  return send(scope, context, { draft: addressedTo(draft, phone, null) })
}

export const sendForProcess = (
  scope: Scope,
  context: SendContext,
  { procedure: reference, process, ...request }: TemplateRequest & { procedure: string; process: string },
): Promise<MessageRow> =>
  withProcedure(scope, reference, procedure =>
    retryOnConflict(isErasedMeanwhile, async () => {
      const { row, lastErasureAt } = await getProcessByReference(scope, procedure, process)
      const phone = getRecipient(procedure, row)
      const draft = addressedTo(await draftTemplate(scope, request), phone, row.id)
      // The definition says which attribute holds the number: it must still be in force when the message is written. And whoever
      // was erased since the number was read, or whose process has yet to be emptied, must not come back with it.
      const guards = [
        guardDefinition(procedure),
        guardNobodyErased(scope.team.no, lastErasureAt),
        guardNotBeingEmptied(whereAmong(procedure, [row])),
      ]
      return send(scope, context, { draft, guards })
    }),
  ).catch((error: unknown) => {
    throw isErasedMeanwhile(error) || isBeingErased(error) ? erasedMeanwhileError(error) : error
  })

export async function sendForProcessId(
  scope: Scope,
  context: SendContext,
  request: TemplateRequest & { process: string },
): Promise<MessageRow> {
  const procedure = await findProcessProcedure(scope, request.process)
  return sendForProcess(scope, context, { ...request, procedure })
}

async function draftTemplate(scope: Scope, { pluginId, body }: TemplateRequest): Promise<TemplateDraft> {
  const name = body.templateName
  const [plugin, found] = await Promise.all([getPlugin(scope, pluginId), findTemplates(scope, pluginId, name)])
  refuseStopped(plugin, body.whatsappPhoneNumberId)
  const known = found.length > 0 ? [] : await listTemplateNames(scope, pluginId)
  return createDraft(plugin, { found, known }, body)
}

/** A message of the provider's own interface. It goes to the number that is looked up among opt-outs, in the same form. */
export async function passThrough(
  scope: Scope,
  context: SendContext,
  {
    pluginId,
    version,
    phoneNumberId,
    body,
  }: { pluginId: string; version: string; phoneNumberId: string; body: PassThrough },
): Promise<MessageRow> {
  const plugin = await getPlugin(scope, pluginId)
  refuseStopped(plugin, phoneNumberId)
  const phone = normalisePhone(body.to) ?? body.to
  const draft: MessageDraft = {
    plugin,
    sender: chooseSender(plugin, phoneNumberId, '/path/phoneNumberId'),
    graphVersion: version,
    phone,
    process: null,
    template: null,
    dataType: body.type,
    text: readText(body),
    request: { ...body, to: phone },
    resendOf: null,
  }
  return send(scope, context, { draft })
}

function readText(body: PassThrough): string {
  const content = body[body.type]
  if (typeof content !== 'object' || content === null) return ''
  const text = 'body' in content ? content.body : 'caption' in content ? content.caption : ''
  return typeof text === 'string' ? text : ''
}

/** Sends a message again on request, although the first one may have been delivered. */
export async function resendMessage(scope: Scope, context: SendContext, id: string): Promise<MessageRow> {
  const old = await getMessage(scope, id)
  if (old.phone === '' || old.received) throw notResendableError(old)
  const plugin = await getPlugin(scope, old.plugin)
  refuseStopped(plugin, old.sender)
  chooseSender(plugin, old.sender, '/path/messageId')
  const { sender, graphVersion, phone, process, template, dataType, text, request } = old
  const draft = { plugin, sender, graphVersion, phone, process, template, dataType, text, request, resendOf: old.id }
  try {
    return await send(scope, context, { draft, guards: [guardRecipientKept(scope, old)] })
  } catch (error) {
    if (isRecipientBeingErased(error)) throw notResendableError({ ...old, phone: '' }, error)
    if (!isGuardFailure(error, NOT_RESENDABLE)) throw error
    throw notResendableError(await getMessage(scope, id), error)
  }
}

const notResendableError = ({ id, delivery, resentAs, phone, received }: MessageRow, cause?: unknown): AppError =>
  new AppError(
    'conflict',
    [
      received
        ? { message: `message ${id} was written by a customer: only one of yours can be sent again` }
        : phone === ''
          ? { message: `message ${id} was erased with its customer: there is nothing left to send` }
          : resentAs === null
            ? {
                message: `message ${id} is ${toDeliveryStatus(delivery)}: only one that is UNKNOWN or FAILED can be sent again`,
                detail: { deliveryStatus: toDeliveryStatus(delivery) },
              }
            : { message: `message ${id} was sent again already, as ${resentAs}`, detail: { resentAs } },
    ],
    cause,
  )

export async function getMessage(scope: Scope, id: string): Promise<MessageRow> {
  const [[row]] = await scope.db.read(selectMessage(scope, id))
  if (!row) throw notFound(`message ${id}`)
  return toMessage(row)
}

export async function listMessages(
  scope: Scope,
  filter: ListMessages,
): Promise<{ rows: (MessageRow | MessageOfJob)[]; next: string | null }> {
  const { backgroundJob } = filter
  if (backgroundJob !== undefined) return listJobMessages(scope, { ...filter, backgroundJob })
  if (filter.process === undefined && filter.phoneNumber === undefined) return listNewestMessages(scope, filter)
  const [found] = await scope.db.read(selectRecordMessages(scope, filter))
  const { rows, hasMore, last } = await readMessagesPage(scope, found, filter.limit)
  return { rows, next: hasMore && last ? writeRowCursor(last.rid) : null }
}

/** The present state of a message, for a request that is repeated under its idempotency key. */
export async function recallMessage(scope: Scope, id: string): Promise<MessageRow> {
  const row = await getMessage(scope, id)
  const isAbandoned = toDeliveryStatus(row.delivery) === 'PENDING' && row.updatedAt < scope.now - PENDING_MS_MAX
  if (!isAbandoned) return row
  const effect = markUnknown(scope.team.no, [id], scope.now)
  await write({ db: scope.db, idempotency: null }, { effect, outcome: null })
  return getMessage(scope, id)
}
