import type { Db } from '../../db/client.ts'
import { isUniqueViolation } from '../../db/guard.ts'
import type { TextStatement } from '../../db/text-statement.ts'
import { AppError } from '../../errors.ts'
import type { Receipt } from '../../http/idempotency/record.ts'
import { newId, ridOf } from '../../ids.ts'
import { decryptSecret, type PluginRow } from '../../plugin/operations.ts'
import { fetchProvider, type Provider } from '../../plugin/provider.ts'
import type { Cipher } from '../../plugin/secrets.ts'
import { stopStatement } from '../../plugin/stop.ts'
import { saveTemplateStatus } from '../../plugin/template/statements.ts'
import type { Scope } from '../../scope.ts'
import {
  advanceDelivery,
  firstHistory,
  insertMessages,
  type MessageRow,
  markResent,
  readMessage,
  selectMessage,
} from '../statements.ts'
import { type ProviderResult, providerResultOf, resultOfNoResponse, stopsPlugin } from './provider-result.ts'

const ATTEMPTS_MAX = 5
const SETTLE_WAIT_MS = 25

/** What sending needs besides the database: the signature confesses it. */
export interface SendContext {
  cipher: Cipher
  provider: Provider
  /** A connection with patience of its own: the provider may have used up the request's. */
  reconnect: () => Db
  /** Lets what has begun be finished when the caller hangs up. */
  keepAlive: (work: Promise<unknown>) => void
  apiKey: string
}

export interface Draft {
  plugin: PluginRow
  sender: string
  graphVersion: string
  phone: string
  process: string | null
  template: { id: string; name: string; language: string } | null
  dataType: string
  text: string
  request: Record<string, unknown>
  /** The message that this one is sent in place of. */
  resendOf: string | null
}

/**
 * Writes the message down, sends it, and writes down what came of it. The row and the idempotency key are one
 * transaction, so that whoever asks again finds the row, and the provider is asked once at most.
 */
export async function send(
  scope: Scope,
  context: SendContext,
  draft: Draft,
  receipt: Receipt,
  guards: TextStatement[] = [],
): Promise<MessageRow> {
  const token = await decryptSecret(context.cipher, draft.plugin, 'accessToken')
  const id = await writeDown(scope, context, draft, receipt, guards)
  const work = deliver(scope, context, draft, id, token)
  context.keepAlive(work.catch(() => undefined))
  return work
}

async function writeDown(
  scope: Scope,
  context: SendContext,
  draft: Draft,
  receipt: Receipt,
  guards: TextStatement[],
): Promise<string> {
  const { plugin, template, ...row } = draft
  for (let attempt = 1; ; attempt++) {
    const id = newId(scope.now)
    const message = {
      ...row,
      rid: ridOf(id),
      id,
      pluginNo: plugin.no,
      template: template?.id ?? null,
      history: firstHistory(scope.now),
      user: scope.user.id,
      sourceId: context.apiKey,
      job: null,
      entry: null,
      attempt: null,
      updatedAt: scope.now,
    }
    try {
      await scope.db.batch([
        ...guards,
        ...(draft.resendOf === null ? [] : markResent(scope, draft.resendOf, id)),
        insertMessages(scope, [message]),
        ...receipt.of({ json: JSON.stringify({ id }) }),
      ])
      return id
    } catch (error) {
      if (!isUniqueViolation(error, 'message.rid') || attempt >= ATTEMPTS_MAX) throw error
    }
  }
}

async function deliver(
  scope: Scope,
  { provider, reconnect }: SendContext,
  draft: Draft,
  id: string,
  token: string,
): Promise<MessageRow> {
  const result = await callProvider(provider, draft, id, token)
  return settle({ ...scope, db: reconnect() }, draft, id, result)
}

/** Asks the provider to send it, once. Our id goes with it, and comes back with everything the provider tells of it. */
export const callProvider = (provider: Provider, draft: Draft, id: string, token: string): Promise<ProviderResult> => {
  const path = `/${draft.graphVersion}/${draft.sender}/messages`
  const body = JSON.stringify({ ...draft.request, biz_opaque_callback_data: id })
  return fetchProvider(provider, path, token, { method: 'POST', body }).then(providerResultOf, resultOfNoResponse)
}

/** What is written down after the provider's answer; written twice, it comes to the same. */
export const settlement = (scope: Scope, draft: Draft, id: string, result: ProviderResult): TextStatement[] => [
  advanceDelivery(scope, id, { ...result, at: Date.now(), timestamp: null, source: 'PROVIDER' }),
  ...consequences(draft, result, scope.now),
]

/** Tried more than once: what the provider said can't be asked of it again. */
async function settle(scope: Scope, draft: Draft, id: string, result: ProviderResult): Promise<MessageRow> {
  const statements = [...settlement(scope, draft, id, result), selectMessage(scope, id)]
  for (let attempt = 1; ; attempt++) {
    try {
      const results = await scope.db.batch(statements)
      const row = readMessage(results.at(-1)?.rows)
      if (row) return row
      throw new Error('a message that was sent is not there')
    } catch (error) {
      if (attempt < ATTEMPTS_MAX) {
        await scheduler.wait(SETTLE_WAIT_MS * 2 ** attempt)
        continue
      }
      throw new AppError(
        'storage_unavailable',
        [
          {
            message: `message ${id} was handed to the provider, but what it answered could not be kept`,
            hint: `don't send it again before GET /v1/ext/message/${id} tells its status`,
            detail: { messageId: id },
          },
        ],
        error,
      )
    }
  }
}

/** A refusal may say more than that this message failed. It counts as of when sending began. */
function consequences({ plugin, template }: Draft, { error }: ProviderResult, at: number): TextStatement[] {
  const status = error?.template
  return [
    ...(stopsPlugin(error) ? [stopStatement(plugin, { code: error.code, message: stopMessage(error), at })] : []),
    ...(status && template ? [saveTemplateStatus(plugin, { ...template, status, reason: error.title, now: at })] : []),
  ]
}

export const stopMessage = ({ code, title, advice }: { code: number; title: string; advice: string }): string =>
  `(${code}) ${title}; ${advice}`
