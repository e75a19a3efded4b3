import { ANSWER_MS_MAX, handOver, releaseLane } from '../lane/handover.ts'
import type { LaneMessage, LaneResult } from '../lane/message.ts'
import { PENDING_MS_MAX } from '../rules.ts'
import { providerCallOf } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import type { SendStep } from './kind.ts'
import type { PacedMessage } from './pacing.ts'

/** Between the last moment at which a message may still be sent, and the one at which others count it as lost. */
const MARGIN_MS = 5_000
/** A result is waited for a little longer than the provider may take. */
const ANSWER_MARGIN_MS = 250

/** A message that is written down as about to be sent. */
export interface ClaimedMessage extends PacedMessage {
  id: string
  token: string
}

/** And what the provider said; null where it has not answered yet. */
export interface SentMessage extends ClaimedMessage {
  result: LaneResult
}

export interface AnsweredMessage extends ClaimedMessage {
  result: ProviderResult
}

export interface Sent {
  messages: SentMessage[]
  /** Says that the results are written down. */
  release: () => Promise<void>
}

/** In lanes, each with connections of its own. Never rejects. */
export async function sendInLanes(step: SendStep, claimed: readonly ClaimedMessage[]): Promise<Sent> {
  const { scope, sender } = step
  const lastStart = scope.now + PENDING_MS_MAX - MARGIN_MS - sender.provider.timeoutMs
  const answerMs = Math.min(ANSWER_MS_MAX, sender.provider.timeoutMs + ANSWER_MARGIN_MS)
  const messages = claimed.map(({ id, draft, token, startAt }): LaneMessage => {
    const { plugin, sender: number, template } = draft
    return {
      call: providerCallOf(draft, id, token),
      team: scope.team.no,
      settlement: { id, plugin: plugin.no, sender: number, template, begunAt: scope.now },
      ...{ startAt, lastStart, answerMs },
    }
  })
  return sender.pool(async number => {
    const lane = `${step.jobId}/${number}`
    const results = await handOver(sender.lanes, lane, messages, true)
    return {
      messages: claimed.map((each, index) => ({ ...each, result: results[index] ?? null })),
      release: () => releaseLane(sender.lanes, lane, messages),
    }
  })
}

export const isUnanswered = ({ result }: SentMessage): boolean => result === null
export const answeredOf = (sent: readonly SentMessage[]): AnsweredMessage[] =>
  sent.flatMap(each => (each.result === null ? [] : [{ ...each, result: each.result }]))
