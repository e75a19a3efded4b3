import * as z from 'zod'
import { noCost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import { isRefusedByDatabase } from '../../db/storage-error.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import type { TeamEventsEnv } from '../../event/signal/team-object.ts'
import { describeError } from '../../http/request-log.ts'
import { ReceivedWebhook, writeWebhooks } from './write.ts'

/** With the hundred attempts of wrangler.toml this goes on for eight hours; as dead letters for twelve days more. */
const RETRY_SECONDS_MAX = 300
const DEAD_RETRY_SECONDS_MAX = 3 * 60 * 60
/** An installation has a name of its own before it: `caseworker-acme-webhooks-dead`. */
const DEAD_LETTERS = /(^|-)webhooks-dead$/

const WebhookMessage = z.object({ webhook: ReceivedWebhook })

type WebhookEnv = Pick<Env, 'DB'> & TeamEventsEnv

interface QueuedReport {
  message: Message
  webhook: ReceivedWebhook
}

/** Writes down the webhooks of a batch, in one transaction; resolves to the messages that are none. */
export async function consumeWebhooks(
  { queue, messages }: { queue: string; messages: readonly Message[] },
  env: WebhookEnv,
): Promise<Message[]> {
  const others: Message[] = []
  const queued: QueuedReport[] = []
  for (const message of messages) {
    const { data } = WebhookMessage.safeParse(message.body)
    if (data) queued.push({ message, webhook: data.webhook })
    else others.push(message)
  }
  const retrySecondsMax = DEAD_LETTERS.test(queue) ? DEAD_RETRY_SECONDS_MAX : RETRY_SECONDS_MAX
  if (queued.length > 0) await writeBatch(env, queued, retrySecondsMax)
  return others
}

/** A webhook that can't be written is found by halves, so that it keeps no other one from being written. */
async function writeBatch(env: WebhookEnv, queued: readonly QueuedReport[], retrySecondsMax: number): Promise<void> {
  try {
    const teams = await writeWebhooks(
      openDatabase(env, noCost()),
      queued.map(({ webhook }) => webhook),
    )
    for (const { message } of queued) message.ack()
    await Promise.all(teams.map(team => signalCommit(env, team)))
  } catch (error) {
    if (queued.length > 1 && isOfOne(error)) {
      const half = Math.ceil(queued.length / 2)
      await writeBatch(env, queued.slice(0, half), retrySecondsMax)
      return writeBatch(env, queued.slice(half), retrySecondsMax)
    }
    for (const { message } of queued) {
      const delaySeconds = Math.min(retrySecondsMax, 2 ** message.attempts)
      message.retry({ delaySeconds })
    }
    const { attempts, id } = queued[0]?.message ?? {}
    console.error(JSON.stringify({ webhooks: queued.length, message: id, attempts, cause: describeError(error) }))
  }
}

/** The database works, and refuses what one of the webhooks says: or our code fails on it. */
const isOfOne = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || (error instanceof Error && isRefusedByDatabase(error))
