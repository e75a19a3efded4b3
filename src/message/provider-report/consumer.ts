import * as z from 'zod'
import { createCost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import { isRefusedByDatabase } from '../../db/storage-error.ts'
import { describeError } from '../../describe-error.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import type { TeamEventsEnv } from '../../event/signal/team-object.ts'
import { ProviderReport, writeReports } from './write.ts'

/** With the hundred attempts of wrangler.toml this goes on for eight hours; as dead letters for twelve days more. */
const RETRY_SECONDS_MAX = 300
const DEAD_RETRY_SECONDS_MAX = 3 * 60 * 60
/** An installation has a name of its own before it: `caseworker-acme-provider-reports-dead`. */
const DEAD_LETTERS = /(^|-)provider-reports-dead$/

const ReportMessage = z.object({ report: ProviderReport })

type ReportEnv = Pick<Env, 'DB'> & TeamEventsEnv

interface QueuedReport {
  message: Message
  report: ProviderReport
}

/** Writes down the reports of a batch, in one transaction; resolves to the messages that are none. */
export async function consumeReports(
  { queue, messages }: { queue: string; messages: readonly Message[] },
  env: ReportEnv,
): Promise<Message[]> {
  const others: Message[] = []
  const queued: QueuedReport[] = []
  for (const message of messages) {
    const { data } = ReportMessage.safeParse(message.body)
    if (data) queued.push({ message, report: data.report })
    else others.push(message)
  }
  const retrySecondsMax = DEAD_LETTERS.test(queue) ? DEAD_RETRY_SECONDS_MAX : RETRY_SECONDS_MAX
  if (queued.length > 0) await writeBatch(env, queued, retrySecondsMax)
  return others
}

/** A provider's report that can't be written is found by halves, so that it keeps no other one from being written. */
async function writeBatch(env: ReportEnv, queued: readonly QueuedReport[], retrySecondsMax: number): Promise<void> {
  try {
    const teams = await writeReports(
      openDatabase(env, createCost()),
      queued.map(({ report }) => report),
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
    console.error(JSON.stringify({ reports: queued.length, message: id, attempts, cause: describeError(error) }))
  }
}

/** The database works, and refuses what one of the reports says: or our code fails on it. */
const isOfOne = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || (error instanceof Error && isRefusedByDatabase(error))
