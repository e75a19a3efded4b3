import * as z from 'zod'
import type { Db } from '../../db/client.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { describeError } from '../../describe-error.ts'
import { formatStopMessage, isOptOut, type ProviderError } from '../../plugin/codes.ts'
import { stopPlugin, stopSender } from '../../plugin/stop.ts'
import { saveTemplateStatuses } from '../../plugin/template/changes.ts'
import { sleep } from '../../timeout.ts'
import { rememberOptOuts } from '../opt-out/statements.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { advanceStatus } from './advance-status.ts'

const ATTEMPTS_MAX = 4
const WAIT_MS = 50

/** What came of handing a message to the provider. */
export interface Settlement {
  id: string
  /** The number of the plugin, the phone number that it was sent from, and the id of its template. */
  plugin: number
  sender: string
  template: string | null
  result: ProviderResult
  /** A stop counts as of this time: a plugin that was changed since is not stopped by it. */
  begunAt: number
  at: number
}

/** The provider was certainly not called: the message can be sent again. */
export const NOT_ATTEMPTED: ProviderResult = { status: 'FAILED', reason: 'NOT_ATTEMPTED' }

/** The queue's message: settlements of one team's messages that could not be written at once. */
export const SettlementMessage = z.object({
  team: z.int(),
  settlements: z.array(
    z.object({
      id: z.string(),
      plugin: z.int(),
      sender: z.string(),
      template: z.string().nullable(),
      result: z.custom<ProviderResult>(value => typeof value === 'object' && value !== null),
      begunAt: z.int(),
      at: z.int(),
    }),
  ),
})
export type SettlementMessage = z.output<typeof SettlementMessage>
export type SettlementQueue = (message: SettlementMessage) => Promise<unknown>

/** Writes results, and what they mean for plugins, numbers and templates. Idempotent. */
export const settlementStatements = ({ team, settlements }: SettlementMessage): Statement[] => [
  ...advanceStatus(
    team,
    settlements.map(({ id, result, at }) => ({
      id,
      externalId: null,
      events: [{ ...result, at, timestamp: null, source: 'PROVIDER' }],
    })),
    Date.now(),
  ),
  ...buildConsequences(
    settlements.flatMap(({ plugin, sender, template, result: { error }, begunAt }) =>
      error ? [{ plugin: { no: plugin }, sender, template, error, at: begunAt }] : [],
    ),
  ),
  ...rememberOptOuts(
    settlements.flatMap(({ id, plugin, result, at }) =>
      isOptOut(result.error) ? [{ id, externalId: null, plugin, at }] : [],
    ),
  ),
]

interface Refusal {
  plugin: { no: number }
  sender: string | null
  template: string | null
  error: ProviderError
  at: number
}

/**
 * What refusals mean beyond their messages: stops and template states. The latest one of a plugin, a number or a template
 * counts: an earlier one may be from before a change of the plugin, and then means nothing.
 */
export function buildConsequences(refusals: readonly Refusal[]): Statement[] {
  const latest = new Map<string, () => Statement[]>()
  for (const { plugin, sender, template, error, at } of refusals.toSorted((one, other) => one.at - other.at)) {
    const stop = { code: error.code, message: formatStopMessage(error), at }
    if (error.class === 'stop-plugin') latest.set(`${plugin.no}`, () => stopPlugin(plugin, stop))
    if (error.class === 'stop-sender' && sender !== null)
      latest.set(`${plugin.no} ${sender}`, () => stopSender(plugin, sender, stop))
    const status = error.template
    if (status && template !== null)
      latest.set(`${plugin.no} ${template}`, () =>
        saveTemplateStatuses(plugin, [{ template: { id: template }, status, reason: error.title, at }]),
      )
  }
  return [...latest.values()].flatMap(build => build())
}

/**
 * Writes results, with retries: the provider can't be asked for them again. If all attempts fail, they go to the queue.
 * `read` is read after them, in the same transaction.
 */
export async function settleMessages<Row>(
  { db, queue }: { db: Db; queue: SettlementQueue },
  message: SettlementMessage,
  read: readonly Statement<Row>[] = [],
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      const effect: readonly Statement<Row>[] = [...(settlementStatements(message) as Statement<never>[]), ...read]
      const results = await write({ db: db.reconnect(), idempotency: null }, { effect, outcome: null })
      return results.slice(results.length - read.length).flatMap(({ rows }) => rows)
    } catch (error) {
      if (attempt === ATTEMPTS_MAX) {
        await handToQueue(queue, message, error)
        throw error
      }
      await sleep(WAIT_MS * 2 ** attempt)
    }
  }
}

async function handToQueue(queue: SettlementQueue, message: SettlementMessage, cause: unknown): Promise<void> {
  const results = message.settlements.map(({ id, result: { status, externalId, error, reason } }) => ({
    message: id,
    status,
    externalId,
    reason,
    code: error?.code,
  }))
  try {
    await queue(message)
    console.warn(JSON.stringify({ settledLater: results.length, cause: describeError(cause) }))
  } catch (error) {
    console.error(JSON.stringify({ unsettled: results, teamNo: message.team, cause: describeError(error) }))
  }
}
