import type { Outcome } from '../../background-job/entry.ts'
import { type Deferral, StaleJobError } from '../../background-job/kind.ts'
import { isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import type { Statement } from '../../db/statement.ts'
import { slowsSender, stopMessage } from '../../plugin/codes.ts'
import { decryptSecret } from '../../plugin/encryption.ts'
import { guardSending, PLUGIN_CHANGED } from '../../plugin/stop.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { claimMessages, NOT_RESENDABLE } from '../ledger/claim.ts'
import { selectAttempts } from '../ledger/rows.ts'
import { NOT_ATTEMPTED, type SettlementMessage, settleMessages, settlementStatements } from '../ledger/settle.ts'
import { deliveryNumber, PENDING_MS_MAX } from '../rules.ts'
import { callProvider } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { type Attempt, holdMs, outcomeOfMessage, retryDelayMs } from './attempt-rules.ts'
import type { SendStep } from './kind.ts'
import { attemptOf } from './load.ts'
import { applyPace, giveBackGrants, holdSender } from './pacing.ts'
import { type PlannedMessage, pauseFor, planMessages, type SendPlan } from './plan.ts'

/** Calls that an invocation of a Worker may have open at once. */
const CONNECTIONS = 6
/** Between the last moment at which a message may still be sent, and the one at which others count it as lost. */
const MARGIN_MS = 5_000

/** A message that is written down as about to be sent. */
interface ClaimedMessage extends PlannedMessage {
  id: string
}

/** And what the provider said. */
interface SentMessage extends ClaimedMessage {
  result: ProviderResult
}

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
    const plan = await applyPace(step, await planMessages(step, procedure))
    const guards = procedure ? [guardDefinition(procedure)] : []
    if (plan.toSend.length === 0) return commitUnsent(step, plan, guards)
    const claimed = await claim(step, plan, guards)
    await settleStep(step, plan, await sendAll(step, claimed))
  })

/** Nothing to send: what was learnt of the entries so far, and what the next one waits for. */
async function commitUnsent(
  step: SendStep,
  { outcomes, statements, wait, isBusy }: SendPlan,
  guards: Statement[],
): Promise<void> {
  if (isBusy && outcomes.length === 0) throw new StaleJobError()
  await step.commit({ outcomes, statements: [...guards, ...statements], ...(wait ? { wait } : {}) })
}

/** Only this runner may send the messages that it has claimed. */
async function claim(step: SendStep, { toSend }: SendPlan, guards: Statement[]): Promise<ClaimedMessage[]> {
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
  try {
    const ids = await claimMessages(scope, sender.queue, messages, ({ statements, wasWritten }) =>
      step.dispatch(dispatchedCountOf(step, toSend), [...guards, ...sending, ...statements], wasWritten),
    )
    return toSend.map((each, index) => ({ ...each, id: ids[index] ?? '' }))
  } catch (error) {
    await giveBackGrants(sender.pace, toSend)
    // Another runner has the same attempt at an entry.
    throw isUniqueViolation(error, 'message.job') ? new StaleJobError() : error
  }
}

/** How many of the step's entries have been dispatched, now or before. */
const dispatchedCountOf = (step: SendStep, toSend: readonly PlannedMessage[]) =>
  Math.max(step.dispatched, (toSend.at(-1)?.place ?? -1) + 1)

/** A message without a known result is never sent again automatically. */
const NO_RESPONSE: ProviderResult = { status: 'UNKNOWN', reason: 'INTERRUPTED' }

/** A few at a time, in their order. */
async function sendAll(
  { scope, sender: { provider, cipher } }: SendStep,
  claimed: readonly ClaimedMessage[],
): Promise<SentMessage[]> {
  const lastStart = scope.now + PENDING_MS_MAX - MARGIN_MS - provider.timeoutMs
  const sent = claimed.map((each): SentMessage => ({ ...each, result: NO_RESPONSE }))
  const waiting = sent.values()
  const sendNext = async (): Promise<void> => {
    for (const each of waiting) {
      const { draft, id } = each
      const token = await decryptSecret(cipher, draft.plugin, 'accessToken')
      // Later than this the sweeper may count the message as lost (`PENDING_MS_MAX`) while it is being sent.
      each.result = Date.now() > lastStart ? NOT_ATTEMPTED : await callProvider(provider, { draft, id, token })
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext))
  return sent
}

/** Writes down what the provider said, and what that means for the entries: some are tried again. */
async function settleStep(step: SendStep, plan: SendPlan, sent: readonly SentMessage[]): Promise<void> {
  const message = settlementOf(step, sent)
  // Not awaited before the results are written: the number's object may be slow or gone.
  const holding = holdSenders(step, sent)
  const isUnknown = sent.some(({ result }) => result.status === 'UNKNOWN')
  const known = isUnknown ? await settleAndRead(step, sent, message) : []
  const outcomes = [...plan.outcomes]
  for (const each of sent)
    outcomes[each.place] = outcomeOfSent(
      each,
      known.find(({ id }) => id === each.id),
    )
  const wait = pauseBy(sent) ?? plan.wait
  const statements = [...plan.statements, ...(isUnknown ? [] : settlementStatements(message))]
  try {
    await step.commit({ outcomes, statements, ...(wait ? { wait } : {}) })
  } catch (error) {
    // The provider's results are kept even if the step is not.
    if (!isUnknown)
      await settleMessages({ db: step.scope.db, queue: step.sender.queue }, message).catch(() => undefined)
    throw error
  }
  await holding
}

const settlementOf = ({ scope }: SendStep, sent: readonly SentMessage[]): SettlementMessage => ({
  team: scope.team.no,
  settlements: sent.map(({ id, draft: { plugin, sender, template }, result }) => ({
    ...{ id, plugin: plugin.no, sender, template, result },
    ...{ begunAt: scope.now, at: Date.now() },
  })),
})

/** For messages without a response a webhook may have arrived: writes the results, and reads the messages. */
async function settleAndRead(
  { scope, sender: { queue } }: SendStep,
  sent: readonly SentMessage[],
  message: SettlementMessage,
): Promise<Attempt[]> {
  const origins = sent.map(({ origin }) => origin)
  return (await settleMessages({ db: scope.db, queue }, message, [selectAttempts(scope, origins)])).map(attemptOf)
}

function outcomeOfSent(
  { id, draft: { process }, own, result }: SentMessage,
  known: Attempt | undefined,
): Outcome | Deferral {
  const ms = retryDelayMs(result, own + 1)
  if (ms !== undefined) return { status: 'DEFERRED', at: Date.now() + ms }
  if (result.status === 'UNKNOWN' && known) return outcomeOfMessage(known)
  const { status, externalId = null, error = null, reason = null } = result
  return outcomeOfMessage({ id, process, externalId, delivery: deliveryNumber(status), error, reason })
}

/** The provider's limit for a number was exceeded: all jobs that send from it wait. */
function holdSenders({ sender: { pace } }: SendStep, sent: readonly SentMessage[]): Promise<unknown> {
  const waits = new Map<string, number>()
  for (const { draft, own, result } of sent)
    if (result.error && slowsSender(result.error))
      waits.set(draft.sender, Math.max(waits.get(draft.sender) ?? 0, holdMs(result.error, own + 1)))
  return Promise.all([...waits].map(([number, ms]) => holdSender(pace, number, ms)))
}

/** The first of the refusals that are about the whole account. */
function pauseBy(sent: readonly SentMessage[]): SendPlan['wait'] {
  for (const { draft, result } of sent)
    if (result.error?.class === 'stop-plugin') return pauseFor(draft.plugin, stopMessage(result.error))
  return undefined
}
