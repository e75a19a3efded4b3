import * as z from 'zod'
import { interruptSendingJobs } from '../background-job/chores/interrupt.ts'
import { settingsOf } from '../background-job/settings.ts'
import type { Chore, ChoreStep } from '../chore.ts'
import { type Cost, noCost } from '../db/cost.ts'
import { openDatabase } from '../db/databases.ts'
import { isPaused, wasRestored } from '../http/pause.ts'
import { describeError } from '../http/request-log.ts'
import { withTimeout } from '../timeout.ts'
import { CHORES } from './list.ts'
import { reportMetrics } from './metrics.ts'

/** What one chore may take before the others have their turn. D1 lets an invocation run 1,000 statements. */
interface ChoreBudget {
  ms: number
  statements: number
}
const CRON_BUDGET: ChoreBudget = { ms: 5_000, statements: 70 }
const MESSAGE_BUDGET: ChoreBudget = { ms: 20_000, statements: 800 }
const SEND_MS_MAX = 10_000
const MINUTE_MS = 60_000

/** A queue message: this chore has more to do than its budget allowed. After `until` the cron has begun it again. */
const ChoreMessage = z.object({ chore: z.string(), now: z.int(), until: z.int() })
type ChoreMessage = z.infer<typeof ChoreMessage>

/** Once a minute: some steps of every chore. What is left goes on by queue messages, one chain for each chore. */
export async function sweep(controller: Pick<ScheduledController, 'scheduledTime'>, env: Env): Promise<void> {
  if (isPaused(env)) return passPause(env, controller.scheduledTime)
  const cost = noCost()
  const now = controller.scheduledTime
  const until = Date.now() + MINUTE_MS
  const unfinished: string[] = []
  for (const name of Object.keys(CHORES))
    if (await runChore(env, { name, now, cost, budget: CRON_BUDGET })) unfinished.push(name)
  await sendMessages(
    env,
    unfinished.map(chore => ({ chore, now, until })),
  )
  await reportMetrics(env, { now, cost, unfinished })
}

/** The only thing that is done in a pause, and only after a restore. */
async function passPause(env: Env, now: number): Promise<void> {
  const interruptedJobs = wasRestored(env) ? await interruptSendingJobs(openDatabase(env), now) : undefined
  console.warn(JSON.stringify({ paused: env.PAUSED, interruptedJobs }))
}

/** Goes on with the chores that messages name; resolves to the messages that name none. */
export async function consumeChores(messages: readonly Message[], env: Env): Promise<Message[]> {
  const others: Message[] = []
  for (const message of messages) {
    const { data: body } = ChoreMessage.safeParse(message.body)
    if (body) {
      // Done or failed, it is over: a chore that is not finished sends another message, and the cron begins anew.
      message.ack()
      await continueChore(env, body)
    } else others.push(message)
  }
  return others
}

async function continueChore(env: Env, message: ChoreMessage): Promise<void> {
  const { chore: name, now, until } = message
  if (!Object.hasOwn(CHORES, name)) return
  const hasMore = await runChore(env, { name, now, cost: noCost(), budget: MESSAGE_BUDGET })
  if (hasMore && Date.now() < until) await sendMessages(env, [message])
}

async function sendMessages(env: Env, messages: readonly ChoreMessage[]): Promise<void> {
  if (messages.length === 0) return
  try {
    await withTimeout(SEND_MS_MAX, env.CHORES.sendBatch(messages.map(body => ({ body }))))
  } catch (error) {
    console.warn(JSON.stringify({ chores: messages.map(({ chore }) => chore), unsent: describeError(error) }))
  }
}

interface ChoreRun {
  name: string
  now: number
  cost: Cost
  budget: ChoreBudget
}

/** Steps until nothing is left or the budget is spent; true where something is left. A chore that fails waits for the cron. */
async function runChore(env: Env, { name, now, cost, budget }: ChoreRun): Promise<boolean> {
  const startedAt = Date.now()
  const statementsMax = cost.statements + budget.statements
  const base = openDatabase(env, cost, settingsOf(env).timeLimitMs)
  let done = 0
  try {
    const chore = CHORES[name]?.({ env, db: () => base.reconnect(), now })
    if (!chore) return false
    let step: ChoreStep = { done: 0, hasMore: true }
    while (step.hasMore && Date.now() - startedAt < budget.ms && cost.statements < statementsMax) {
      step = await chore.step()
      done += step.done
    }
    if (step.hasMore) await reportBacklog(name, chore, { done, ms: Date.now() - startedAt })
    return step.hasMore
  } catch (error) {
    console.error(JSON.stringify({ chore: name, done, cause: describeError(error) }))
    return false
  }
}

async function reportBacklog(chore: string, { backlog }: Chore, report: { done: number; ms: number }): Promise<void> {
  console.warn(JSON.stringify({ chore, ...report, backlog: backlog ? await backlog() : true }))
}
