import { isGuardFailure } from '../../db/guard.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { AppError } from '../../errors.ts'
import type { Provider } from '../../plugin/provider.ts'
import type { Cipher } from '../../plugin/secret/cipher.ts'
import { decryptSecret } from '../../plugin/secret/encryption.ts'
import type { Scope } from '../../scope.ts'
import { claimMessages, type MessageDraft } from '../ledger/claim.ts'
import { type SettlementQueue, settleMessages } from '../ledger/settle.ts'
import { type MessageRow, selectMessage, toMessage } from '../ledger/statements.ts'
import { findOptedOut } from '../opt-out/operations.ts'
import { guardNotOptedOut, OPTED_OUT } from '../opt-out/statements.ts'
import { buildProviderCall, callProvider } from './call-provider.ts'

/** What sending needs besides the database. */
export interface SendContext {
  cipher: Cipher
  provider: Provider
  queue: SettlementQueue
  /** Finishes what has begun although the client has disconnected. */
  keepAlive: (work: Promise<unknown>) => void
  callerId: string
  /** Counts a message in the rate limiter of its number: jobs that send from it leave room. */
  countSend: (draft: Pick<MessageDraft, 'plugin' | 'sender'>) => Promise<unknown>
}

/**
 * Claims a message, calls the provider and settles the result. Row and idempotency record are one transaction: a repeated
 * request finds the row, and the provider is called at most once.
 */
export async function send(
  scope: Scope,
  context: SendContext,
  { draft, guards = [] }: { draft: MessageDraft; guards?: Statement[] },
): Promise<MessageRow> {
  const token = await decryptSecret(context.cipher, draft.plugin, 'accessToken')
  const message = { ...draft, sourceId: context.callerId, origin: null }
  const [id = ''] = await claimMessages(scope, context.queue, [message], async ({ ids, statements, wasWritten }) => {
    const outcome = { json: JSON.stringify({ id: ids[0] }) }
    const notOptedOut = guardNotOptedOut(scope, [draft.phone])
    await write(scope, { guards: [...guards, notOptedOut], effect: statements, outcome }).catch(async error => {
      if (!(await wasWritten(error))) throw error
    })
  }).catch(async (error: unknown) => {
    throw isGuardFailure(error, OPTED_OUT) ? await findOptOut(scope, draft.phone, error) : error
  })
  context.keepAlive(context.countSend(draft))
  const work = deliver(scope, context, { draft, id, token })
  context.keepAlive(work.catch(() => undefined))
  return work
}

async function findOptOut(scope: Scope, phone: string, cause: unknown): Promise<AppError> {
  const refusals = await findOptedOut(scope, [phone])
  return refusals.get(phone) ?? new AppError('conflict', `the opt-out of ${phone} ended just now; try again`, cause)
}

async function deliver(
  scope: Scope,
  { provider, queue }: SendContext,
  { draft, id, token }: { draft: MessageDraft; id: string; token: string },
): Promise<MessageRow> {
  const result = await callProvider(provider, buildProviderCall(draft, id, token))
  const { plugin, sender, template } = draft
  const settlement = { id, plugin: plugin.no, sender, template, result, begunAt: scope.now, at: Date.now() }
  const message = { team: scope.team.no, settlements: [settlement] }
  const [row] = await settleMessages({ db: scope.db, queue }, message, [selectMessage(scope, id)]).catch(
    (error: unknown) => {
      throw notWrittenError(id, error)
    },
  )
  if (!row) throw notWrittenError(id, new Error('a message that was sent is not there'))
  return toMessage(row)
}

const notWrittenError = (id: string, cause: unknown): AppError =>
  new AppError(
    'storage_unavailable',
    [
      {
        message: `message ${id} was handed to the provider, but its response could not be written down yet`,
        hint: `don't send it again before GET /v1/ext/message/${id} tells its status`,
        detail: { messageId: id },
      },
    ],
    cause,
  )
