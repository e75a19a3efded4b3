import * as z from 'zod'
import { interruptSendingJobs } from '../background-job/maintenance/interrupt.ts'
import { readJobSettings } from '../background-job/settings.ts'
import { type Cost, createCost } from '../db/cost.ts'
import { openDatabase } from '../db/databases.ts'
import { StatementBudgetError } from '../db/storage-error.ts'
import { describeError } from '../describe-error.ts'
import { isBeingRestored, isInstallationPaused } from '../http/pause.ts'
import type { MaintenanceTask, TaskStep } from '../maintenance-task.ts'
import { MINUTE_MS } from '../time-units.ts'
import { withTimeout } from '../timeout.ts'
import { sendAlerts } from './alerts.ts'
import { reportMetrics } from './metrics.ts'
import { replayErasures } from './replay-erasures.ts'
import { MAINTENANCE_TASKS } from './tasks.ts'

/** What tasks may take of an invocation, of which D1 lets one run 1,000 statements. */
interface TaskBudget {
  ms: number
  statements: number
}
/** All tasks of a run of the cron share it. What is left to the 1,000 is for the last steps, the backlogs and the metrics. */
const CRON_BUDGET: TaskBudget = { ms: 45_000, statements: 800 }
/** What one of them may take at most, and what is left to it at least: a step or more. */
const TASK_BUDGET: TaskBudget = { ms: 5_000, statements: 70 }
const TASK_BUDGET_MIN: TaskBudget = { ms: 1_000, statements: 12 }
const QUEUED_TASK_BUDGET: TaskBudget = { ms: 20_000, statements: 800 }
/** A step that would run more is broken off: the next invocation has room for it. */
const STATEMENTS_MAX = 940
const SEND_MS_MAX = 10_000
/** What the erasure of one customer, and a step of another, may run at most. */
const ERASURE_STATEMENTS = 400

/** A queue message: this task has more to do than its budget allowed. After `until` the cron has begun it again. */
const TaskMessage = z.object({ task: z.string(), now: z.int(), until: z.int() })
type TaskMessage = z.infer<typeof TaskMessage>

/**
 * Once a minute: some steps of every task, however much the others have to do. What is left goes on by queue messages, one
 * chain for each task.
 */
export async function runCron(controller: Pick<ScheduledController, 'scheduledTime'>, env: Env): Promise<void> {
  if (isInstallationPaused(env)) return passPause(env, controller.scheduledTime)
  const cost = newTaskCost()
  const now = controller.scheduledTime
  const startedAt = Date.now()
  const names = Object.keys(MAINTENANCE_TASKS)
  const ended: Record<TaskEnd, string[]> = { done: [], unfinished: [], failed: [] }
  for (const [nth, name] of names.entries()) {
    const used = { ms: Date.now() - startedAt, statements: cost.statements }
    const budget = limitTask(used, names.length - 1 - nth)
    ended[await runTask(env, { name, now, cost, budget })].push(name)
  }
  const { unfinished, failed } = ended
  const until = startedAt + MINUTE_MS
  await sendMessages(
    env,
    unfinished.map(task => ({ task, now, until })),
  )
  const metrics = await reportMetrics(env, { now, cost, unfinished, failed })
  await sendAlerts(env, now, metrics)
}

const newTaskCost = (): Cost => ({ ...createCost(), statementsMax: STATEMENTS_MAX })

/** What a task gets of a run: what one may have, as long as enough is left for each of those after it. */
const limitTask = (used: TaskBudget, tasksAfter: number): TaskBudget => ({
  ms: limitPart('ms', used, tasksAfter),
  statements: limitPart('statements', used, tasksAfter),
})

function limitPart(part: keyof TaskBudget, used: TaskBudget, tasksAfter: number): number {
  const left = CRON_BUDGET[part] - used[part] - tasksAfter * TASK_BUDGET_MIN[part]
  return Math.max(TASK_BUDGET_MIN[part], Math.min(TASK_BUDGET[part], left))
}

/** The only things that are done in a pause, and only after a restore. */
async function passPause(env: Env, now: number): Promise<void> {
  const done = isBeingRestored(env) ? await settleRestore(env, now) : {}
  console.warn(JSON.stringify({ paused: env.PAUSED, ...done }))
}

async function settleRestore(env: Env, now: number): Promise<Record<string, number>> {
  const cost = createCost()
  const base = openDatabase(env, cost, readJobSettings(env).timeLimitMs)
  const interruptedJobs = await interruptSendingJobs(base.reconnect(), now)
  const statementsMax = QUEUED_TASK_BUDGET.statements - ERASURE_STATEMENTS
  const context = { env, db: () => base.reconnect(), cost, now, statementsMax }
  const { erasedAgain, notErased } = await replayErasures(context)
  await runTask(env, {
    name: 'erase customers',
    now,
    cost,
    budget: { ms: QUEUED_TASK_BUDGET.ms, statements: statementsMax - cost.statements },
  })
  return { interruptedJobs, erasedAgain, ...(notErased === 0 ? {} : { notErased }) }
}

/** Goes on with the tasks that messages name; resolves to the messages that name none. */
export async function consumeMaintenance(messages: readonly Message[], env: Env): Promise<Message[]> {
  const others: Message[] = []
  for (const message of messages) {
    const { data: body } = TaskMessage.safeParse(message.body)
    if (body) {
      // Done or failed, it is over: a maintenance task that is not finished sends another message, and the cron begins anew.
      message.ack()
      await continueTask(env, body)
    } else others.push(message)
  }
  return others
}

async function continueTask(env: Env, message: TaskMessage): Promise<void> {
  const { task: name, now, until } = message
  if (!Object.hasOwn(MAINTENANCE_TASKS, name)) return
  const end = await runTask(env, { name, now, cost: newTaskCost(), budget: QUEUED_TASK_BUDGET })
  if (end === 'unfinished' && Date.now() < until) await sendMessages(env, [message])
}

async function sendMessages(env: Env, messages: readonly TaskMessage[]): Promise<void> {
  if (messages.length === 0) return
  try {
    await withTimeout(SEND_MS_MAX, () => env.MAINTENANCE.sendBatch(messages.map(body => ({ body }))))
  } catch (error) {
    console.warn(JSON.stringify({ maintenance: messages.map(({ task }) => task), unsent: describeError(error) }))
  }
}

interface TaskRun {
  name: string
  now: number
  cost: Cost
  budget: TaskBudget
}

/** `unfinished`: the budget is spent, and something is left. What has failed waits for the cron. */
type TaskEnd = 'done' | 'unfinished' | 'failed'

/** Steps until nothing is left or the budget is spent. */
async function runTask(env: Env, { name, now, cost, budget }: TaskRun): Promise<TaskEnd> {
  const startedAt = Date.now()
  const statementsMax = cost.statements + budget.statements
  const base = openDatabase(env, cost, readJobSettings(env).timeLimitMs)
  let done = 0
  try {
    const task = MAINTENANCE_TASKS[name]?.({ env, db: () => base.reconnect(), now })
    if (!task) return 'done'
    let step: TaskStep = { done: 0, hasMore: true }
    while (step.hasMore && Date.now() - startedAt < budget.ms && cost.statements < statementsMax) {
      step = await task.step()
      done += step.done
    }
    if (step.hasMore) await reportBacklog(name, task, { done, ms: Date.now() - startedAt })
    return step.hasMore ? 'unfinished' : 'done'
  } catch (error) {
    if (error instanceof StatementBudgetError) return 'unfinished'
    console.error(JSON.stringify({ task: name, done, cause: describeError(error) }))
    return 'failed'
  }
}

async function reportBacklog(
  task: string,
  { backlog }: MaintenanceTask,
  report: { done: number; ms: number },
): Promise<void> {
  console.warn(JSON.stringify({ task, ...report, backlog: backlog ? await backlog() : true }))
}
