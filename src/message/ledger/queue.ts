import { createCost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import type { Statement } from '../../db/statement.ts'
import { write } from '../../db/write.ts'
import { type FeedTeam, selectFeedTeams } from '../../event/feed-rows.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import type { TeamEventsEnv } from '../../event/signal/team-object.ts'
import { SettlementMessage, type SettlementQueue, settlementStatements } from './settle.ts'

/** Behind the last attempt to write them down, and behind whatever is still on its way to the database. */
const DELAY_SECONDS = 5

/** Settlements wait in the queue of the jobs that send: a message that has some is no job's. */
export const createSettlementQueue =
  ({ SENDS }: Pick<Env, 'SENDS'>): SettlementQueue =>
  message =>
    SENDS.send(message, { delaySeconds: DELAY_SECONDS })

export const isSettlement = (body: unknown): boolean => SettlementMessage.safeParse(body).success

/** Writes down what could not be written when it was learnt. What it throws is tried again by the queue. */
export async function settleFromQueue(env: Pick<Env, 'DB'> & TeamEventsEnv, body: unknown): Promise<void> {
  const message = SettlementMessage.parse(body)
  const statements = settlementStatements(message) as Statement<never>[]
  const effect: readonly Statement<FeedTeam>[] = [...statements, selectFeedTeams([message.team])]
  const results = await write({ db: openDatabase(env, createCost()), idempotency: null }, { effect, outcome: null })
  for (const team of results.at(-1)?.rows ?? []) await signalCommit(env, team)
}
