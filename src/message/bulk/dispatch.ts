import { PENDING_MS_MAX } from '../rules.ts'
import { providerCallOf } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { ANSWER_MS_MAX, dispatchInTurn } from '../sender/dispatch.ts'
import type { OutboundMessage, SendResult } from '../sender/message-sender.ts'
import type { SendStep } from './kind.ts'
import type { ReservedMessage } from './reserve.ts'

/** Between the last moment at which a message may still be sent, and the one at which others count it as lost. */
const MARGIN_MS = 5_000
/** A result is waited for a little longer than the provider may take. */
const ANSWER_MARGIN_MS = 250

/** A message that is written down as about to be sent. */
export interface ClaimedMessage extends ReservedMessage {
  id: string
  token: string
}

/** And what the provider said; null where it has not answered yet. */
export interface SentMessage extends ClaimedMessage {
  result: SendResult
}

export interface AnsweredMessage extends ClaimedMessage {
  result: ProviderResult
}

export interface Sent {
  messages: SentMessage[]
  /** Says that the results are written. */
  acknowledge: () => Promise<void>
}

/** Never rejects. */
export async function dispatchMessages(step: SendStep, claimed: readonly ClaimedMessage[]): Promise<Sent> {
  const { scope, sender } = step
  const lastStart = scope.now + PENDING_MS_MAX - MARGIN_MS - sender.provider.timeoutMs
  const answerMs = Math.min(ANSWER_MS_MAX, sender.provider.timeoutMs + ANSWER_MARGIN_MS)
  const messages = claimed.map(({ id, draft, token, startAt }): OutboundMessage => {
    const { plugin, sender: number, template } = draft
    return {
      call: providerCallOf(draft, id, token),
      team: scope.team.no,
      settlement: { id, plugin: plugin.no, sender: number, template, begunAt: scope.now },
      ...{ startAt, lastStart, answerMs },
    }
  })
  const { results, acknowledge } = await dispatchInTurn(sender.pool, step.jobId, messages)
  return { messages: claimed.map((each, index) => ({ ...each, result: results[index] ?? null })), acknowledge }
}

export const isUnanswered = ({ result }: SentMessage): boolean => result === null
export const answeredOf = (sent: readonly SentMessage[]): AnsweredMessage[] =>
  sent.flatMap(each => (each.result === null ? [] : [{ ...each, result: each.result }]))
