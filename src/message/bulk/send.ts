import type { Outcome } from '../../background-job/entry.ts'
import { type Deferral, StaleJobError, type Step } from '../../background-job/kind.ts'
import { isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import type { Statement } from '../../db/statement.ts'
import { slowsSender, stopMessage } from '../../plugin/codes.ts'
import { decryptSecret } from '../../plugin/secret/encryption.ts'
import { guardSending, PLUGIN_CHANGED } from '../../plugin/stop.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { claimMessages, NOT_RESENDABLE } from '../ledger/claim.ts'
import { selectAttempts } from '../ledger/rows.ts'
import { type SettlementMessage, settleMessages, settlementStatements } from '../ledger/settle.ts'
import { deliveryNumber, PENDING_MS_MAX } from '../rules.ts'
import { type Attempt, blockMs, outcomeOfMessage, retryDelayMs } from './attempt-rules.ts'
import {
  type AnsweredMessage,
  answeredOf,
  type ClaimedMessage,
  dispatchMessages,
  isUnanswered,
  type Sent,
} from './dispatch.ts'
import type { SendStep } from './kind.ts'
import { attemptOf } from './load.ts'
import { pauseFor, planMessages, type SendPlan, withProcess } from './plan.ts'
import {
  blockNumber,
  delayLate,
  type ReservedMessage,
  type ReservedPlan,
  releaseUnused,
  reserveStarts,
} from './reserve.ts'

/** Before the last message of a step starts, the next step is loaded and claimed. */
const NEXT_STEP_MS = 600

/**
 * Sends the messages of a step. Each is claimed before the provider is called, and settled after. Another runner of the
 * same entries reads the claims, so that the provider is called once for each attempt.
 */
export const runMessages = (step: SendStep): Promise<void> =>
  step.procedure === '' ? run(step, null) : withProcedure(step.scope, step.procedure, procedure => run(step, procedure))

/** What was decided on has changed since: the plugin, or what became of an earlier attempt. */
export const isSendConflict = (error: unknown): boolean =>
  [NOT_RESENDABLE, PLUGIN_CHANGED].some(label => isGuardFailure(error, label)) ||
  isUniqueViolation(error, 'message.rid')

const run = (step: SendStep, procedure: Procedure | null): Promise<void> =>
  retryOnConflict(isSendConflict, async () => {
    const plan = await reserveStarts(step, await planMessages(step, procedure))
    const guards = procedure ? [guardDefinition(procedure)] : []
    if (plan.toSend.length === 0) return commitUnsent(step, plan, guards)
    const claimed = await delayLate(step, await claim(step, plan, guards))
    const sending = dispatchMessages(step, claimed)
    step.detach({
      count: plan.outcomes.length,
      nextInMs: plan.wait ? Number.POSITIVE_INFINITY : nextStartAt(claimed) - NEXT_STEP_MS - Date.now(),
      done: sending,
      settle: async commit => settleStep(step, plan, await sending, commit),
      abandon: async () => keepResults(step, answeredOf((await sending).messages)),
    })
  })

/** When the first of the numbers has nothing more to send. */
const nextStartAt = (toSend: readonly ReservedMessage[]): number =>
  Math.min(
    ...[...Map.groupBy(toSend, ({ draft }) => draft.sender).values()].map(all =>
      Math.max(...all.map(({ startAt }) => startAt)),
    ),
  )

/** Nothing to send: what was learnt of the entries so far, and what the next one waits for. */
async function commitUnsent(
  step: SendStep,
  { outcomes, statements, wait, isBusy }: ReservedPlan,
  guards: Statement[],
): Promise<void> {
  if (isBusy && outcomes.length === 0) throw new StaleJobError()
  await step.commit({ outcomes, statements: [...guards, ...statements], ...(wait ? { wait } : {}) })
}

/** Only this runner may send the messages that it has claimed. */
async function claim(
  step: SendStep,
  { toSend, outcomes }: ReservedPlan,
  guards: Statement[],
): Promise<ClaimedMessage[]> {
  const { scope, jobId, sender } = step
  const plugins = Map.groupBy(toSend, ({ draft }) => draft.plugin.no)
  const sending = [...plugins.values()].flatMap(all => {
    const [plugin] = all.map(({ draft }) => draft.plugin)
    return plugin ? [guardSending(plugin, [...new Set(all.map(({ draft }) => draft.sender))])] : []
  })
  const messages = toSend.map(({ draft, origin, attempt }) => ({
    ...draft,
    sourceId: jobId,
    origin: { ...origin, attempt },
  }))
  const tokens = new Map(
    await Promise.all(
      [...plugins].map(async ([no, [first]]) => {
        const token = first ? await decryptSecret(sender.cipher, first.draft.plugin, 'accessToken') : ''
        return [no, token] as const
      }),
    ),
  )
  try {
    const ids = await claimMessages(scope, sender.queue, messages, ({ statements, wasWritten }) =>
      step.dispatch(outcomes, [...guards, ...sending, ...statements], wasWritten),
    )
    return toSend.map((each, index) => ({
      ...each,
      id: ids[index] ?? '',
      token: tokens.get(each.draft.plugin.no) ?? '',
    }))
  } catch (error) {
    await releaseUnused(sender.limiters, toSend)
    // Another runner has the same attempt at an entry.
    throw isUniqueViolation(error, 'message.job') ? new StaleJobError() : error
  }
}

/** Writes down what the provider said, and what that means for the entries: some are tried again. */
async function settleStep(
  step: SendStep,
  plan: ReservedPlan,
  { messages, acknowledge }: Sent,
  commit: Step['commit'],
): Promise<void> {
  const answered = answeredOf(messages)
  const message = settlementOf(step, answered)
  // Not awaited before the results are written: the number's object may be slow or gone.
  const blocking = blockNumbers(step, answered)
  const isUnknown = answered.some(({ result }) => result.status === 'UNKNOWN')
  const known = isUnknown ? await settleAndRead(step, answered, message) : []
  const outcomes = [...plan.outcomes]
  // Its sender writes the result, or others count it as lost: by then one of both is to be read.
  for (const { place } of messages.filter(isUnanswered))
    outcomes[place] = { status: 'DEFERRED', at: step.scope.now + PENDING_MS_MAX }
  for (const each of answered)
    outcomes[each.place] = withProcess(
      outcomeOfSent(
        each,
        known.find(({ id }) => id === each.id),
      ),
      each.process,
    )
  const wait = pauseBy(answered) ?? plan.wait
  const statements = [...plan.statements, ...(isUnknown ? [] : settlementStatements(message))]
  try {
    await commit({ outcomes, statements, ...(wait ? { wait } : {}) })
  } catch (error) {
    // The provider's results are kept even if the step is not.
    if (!isUnknown) await keepResults(step, answered)
    throw error
  }
  await Promise.all([blocking, acknowledge()])
}

async function keepResults(step: SendStep, answered: readonly AnsweredMessage[]): Promise<void> {
  if (answered.length === 0) return
  const context = { db: step.scope.db, queue: step.sender.queue }
  await settleMessages(context, settlementOf(step, answered)).catch(() => undefined)
}

const settlementOf = ({ scope }: SendStep, sent: readonly AnsweredMessage[]): SettlementMessage => ({
  team: scope.team.no,
  settlements: sent.map(({ id, draft: { plugin, sender, template }, result }) => ({
    ...{ id, plugin: plugin.no, sender, template, result },
    ...{ begunAt: scope.now, at: Date.now() },
  })),
})

/** For messages without a response a webhook may have arrived: writes the results, and reads the messages. */
async function settleAndRead(
  { scope, sender: { queue } }: SendStep,
  sent: readonly AnsweredMessage[],
  message: SettlementMessage,
): Promise<Attempt[]> {
  const origins = sent.map(({ origin }) => origin)
  return (await settleMessages({ db: scope.db, queue }, message, [selectAttempts(scope, origins)])).map(attemptOf)
}

function outcomeOfSent(
  { id, draft: { process }, own, result }: AnsweredMessage,
  known: Attempt | undefined,
): Outcome | Deferral {
  const ms = retryDelayMs(result, own + 1)
  if (ms !== undefined) return { status: 'DEFERRED', at: Date.now() + ms }
  if (result.status === 'UNKNOWN' && known) return outcomeOfMessage(known)
  const { status, externalId = null, error = null, reason = null } = result
  return outcomeOfMessage({ id, process, externalId, delivery: deliveryNumber(status), error, reason })
}

/** The provider's limit for a number was exceeded: all jobs that send from it wait. */
function blockNumbers({ sender: { limiters } }: SendStep, sent: readonly AnsweredMessage[]): Promise<unknown> {
  const waits = new Map<string, number>()
  for (const { draft, own, result } of sent)
    if (result.error && slowsSender(result.error))
      waits.set(draft.sender, Math.max(waits.get(draft.sender) ?? 0, blockMs(result.error, own + 1)))
  return Promise.all([...waits].map(([number, ms]) => blockNumber(limiters, number, ms)))
}

/** The first of the refusals that are about the whole account. */
function pauseBy(sent: readonly AnsweredMessage[]): SendPlan['wait'] {
  for (const { draft, result } of sent)
    if (result.error?.class === 'stop-plugin') return pauseFor(draft.plugin, stopMessage(result.error))
  return undefined
}
