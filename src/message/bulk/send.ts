import type { Outcome } from '../../background-job/entry.ts'
import { type Deferral, StaleJobError, type Wait } from '../../background-job/kind.ts'
import { isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import type { TextStatement } from '../../db/text-statement.ts'
import { newId, RID_TAIL, ridOf } from '../../ids.ts'
import { codeEntry, slowsSender } from '../../plugin/codes.ts'
import { decryptSecret } from '../../plugin/operations.ts'
import { guardPlugin, PLUGIN_CHANGED } from '../../plugin/stop.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { deliveryNumber, PENDING_MS_MAX } from '../rules.ts'
import { type ProviderResult, stopsPlugin } from '../send/provider-result.ts'
import { callProvider, settlement, stopMessage } from '../send/send.ts'
import { attemptsOf, firstHistory, insertMessages, markAttemptedAgain, NOT_RESENDABLE } from '../statements.ts'
import { type Attempt, outcomeOfMessage, waitMs } from './attempt-rules.ts'
import type { SendStep } from './kind.ts'
import { readAttempts } from './load.ts'
import { applyPace, holdSender, type Pace } from './pacing.ts'
import { type PlannedMessage, pauseOf, planAll, type StepPlan } from './plan.ts'

const TRIES_MAX = 4
const SETTLE_WAIT_MS = 50
/** Calls that an invocation of a Worker may have open at once. */
const CONNECTIONS = 6
/** Between the last moment at which a message may still be sent, and the one at which others count it as lost. */
const MARGIN_MS = 5_000

/** A message that is written down as about to be sent. */
interface Claimed extends PlannedMessage {
  id: string
  token: string
}

/** And what the provider said. */
interface Sent extends Claimed {
  result: ProviderResult
}

/**
 * Sends the messages of a step. Each is written down before it is handed to the provider and settled after; whoever comes
 * to the same entries again goes by what is written down, so that none is handed over twice.
 */
export const runMessages = (step: SendStep): Promise<void> =>
  step.procedure === '' ? run(step, null) : withProcedure(step.scope, step.procedure, procedure => run(step, procedure))

/** Somebody else was faster, and nothing was sent: what was decided on is not so any more. */
export const isSendConflict = (error: unknown): boolean =>
  [NOT_RESENDABLE, PLUGIN_CHANGED].some(label => isGuardFailure(error, label)) ||
  isUniqueViolation(error, 'message.rid')

async function run(step: SendStep, procedure: Procedure | null, attempt = 1): Promise<void> {
  const plan = await applyPace(step, await planAll(step, procedure))
  const guards = procedure ? [guardDefinition(procedure)] : []
  if (plan.toSend.length === 0) return rest(step, plan, guards)
  try {
    const claimed = await claim(step, plan, guards)
    await settle(step, plan, await sendAll(step, claimed))
  } catch (error) {
    if (isUniqueViolation(error, 'message.job')) throw new StaleJobError()
    if (!isSendConflict(error) || attempt >= TRIES_MAX) throw error
    return run(step, procedure, attempt + 1)
  }
}

/** Nothing to send: what was learnt of the entries so far, and what the next one waits for. */
async function rest(
  step: SendStep,
  { outcomes, statements, wait, isBusy }: StepPlan,
  guards: TextStatement[],
): Promise<void> {
  if (isBusy && outcomes.length === 0) throw new StaleJobError()
  await step.commit({
    outcomes,
    statements: [...guards, ...statements],
    ...(wait ? { wait } : {}),
  })
}

/** From here on each of the messages is this runner's to send, and nobody else's. */
async function claim(step: SendStep, { toSend }: StepPlan, guards: TextStatement[]): Promise<Claimed[]> {
  const { scope, jobId, sender } = step
  const start = Math.floor(Math.random() * (RID_TAIL - toSend.length))
  const claimed = await Promise.all(
    toSend.map(async (each, index) => ({
      ...each,
      id: newId(scope.now, start + index),
      token: await decryptSecret(sender.cipher, each.draft.plugin, 'accessToken'),
    })),
  )
  const messages = claimed.map(({ id, draft: { plugin, template, ...row }, origin, attempt }) => ({
    ...row,
    ...origin,
    rid: ridOf(id),
    id,
    attempt,
    pluginNo: plugin.no,
    template: template?.id ?? null,
    history: firstHistory(scope.now),
    user: scope.user.id,
    sourceId: jobId,
    updatedAt: scope.now,
  }))
  const again = claimed.flatMap(({ id, resendOf }) => (resendOf === null ? [] : [{ id: resendOf, as: id }]))
  const plugins = new Map(claimed.map(({ draft: { plugin } }) => [plugin.no, guardPlugin(plugin)]))
  const marks = [...guards, ...plugins.values(), ...markAttemptedAgain(scope, again), insertMessages(scope, messages)]
  await step.dispatch(reachOf(step, claimed), marks)
  return claimed
}

/** How many of the step's entries have been dispatched, now or before. */
const reachOf = (step: SendStep, claimed: readonly PlannedMessage[]) =>
  Math.max(step.dispatched, (claimed.at(-1)?.place ?? -1) + 1)

/** Certain not to have been sent: so slow was the provider that there was no time left. Another attempt may do. */
const NOT_ATTEMPTED: ProviderResult = {
  status: 'FAILED',
  error: { code: 2, details: 'it was not handed to the provider in time', ...codeEntry(2) },
}

/** Where nothing is known, nothing is sent again. */
const NO_RESPONSE: ProviderResult = { status: 'UNKNOWN', reason: 'INTERRUPTED' }

/** A few at a time, in their order. */
async function sendAll({ sender: { provider }, scope }: SendStep, claimed: readonly Claimed[]): Promise<Sent[]> {
  const lastStart = scope.now + PENDING_MS_MAX - MARGIN_MS - provider.timeoutMs
  const sent = claimed.map((each): Sent => ({ ...each, result: NO_RESPONSE }))
  const waiting = sent.values()
  const sendNext = async (): Promise<void> => {
    for (const each of waiting) {
      const { draft, id, token } = each
      // What is not begun by then is counted as lost by others: it must not be sent behind their backs.
      each.result = Date.now() > lastStart ? NOT_ATTEMPTED : await callProvider(provider, draft, id, token)
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, sendNext))
  return sent
}

/** Writes down what the provider said, and what that means for the entries: some are tried again. */
async function settle(step: SendStep, plan: StepPlan, sent: readonly Sent[]): Promise<void> {
  const { scope, sender } = step
  const settlements = sent.flatMap(({ draft, id, result }) => settlement(scope, draft, id, result))
  // The provider's word is written down first: the sender's object may be slow to answer, or gone.
  const holding = holdSenders(sender.pace, scope.team.no, sent)
  try {
    const isOpen = sent.some(({ result }) => result.status === 'UNKNOWN')
    const known = isOpen ? await told(step, sent, settlements) : []
    const outcomes = [...plan.outcomes]
    for (const each of sent)
      outcomes[each.place] = outcomeOf(
        each,
        known.find(({ id }) => id === each.id),
      )
    const pause = pauseBy(sent)
    const wait = pause ? { ms: 0, pause } : plan.wait
    await step.commit({ outcomes, statements: [...plan.statements, ...settlements], ...(wait ? { wait } : {}) })
  } catch (error) {
    await keep(step, settlements)
    throw error
  }
  await holding
}

/** What no answer leaves open, a webhook may have told by now: the messages as they are with what the provider said. */
async function told({ scope }: SendStep, sent: readonly Sent[], settlements: TextStatement[]): Promise<Attempt[]> {
  const db = scope.db.reconnect()
  const [rows] = (
    await db.batch([
      ...settlements,
      attemptsOf(
        scope,
        sent.map(({ origin }) => origin),
      ),
    ])
  ).slice(-1)
  return readAttempts(rows)
}

function outcomeOf({ id, draft: { process }, own, result }: Sent, known: Attempt | undefined): Outcome | Deferral {
  const ms = waitMs(result.error, own + 1)
  if (ms !== undefined) return { status: 'DEFERRED', at: Date.now() + ms }
  if (result.status === 'UNKNOWN' && known) return outcomeOfMessage(known)
  const { status, externalId = null, error = null, reason = null } = result
  return outcomeOfMessage({ id, process, externalId, delivery: deliveryNumber(status), error, reason })
}

/** The provider has had too much of a number: everybody who sends many from it waits. */
function holdSenders(pace: Pace, team: number, sent: readonly Sent[]) {
  const waits = new Map<string, number>()
  for (const {
    draft,
    own,
    result: { error },
  } of sent)
    if (slowsSender(error)) waits.set(draft.sender, Math.max(waits.get(draft.sender) ?? 0, waitMs(error, own + 1) ?? 0))
  return Promise.all([...waits].map(([sender, ms]) => holdSender(pace, team, sender, ms)))
}

/** The first of the refusals that are about the whole account. */
function pauseBy(sent: readonly Sent[]): Wait['pause'] {
  for (const { draft, result } of sent)
    if (stopsPlugin(result.error)) return pauseOf(draft.plugin, stopMessage(result.error))
  return undefined
}

/** What the provider said can't be asked of it again: it is kept even where the step comes to nothing. */
async function keep({ scope }: SendStep, settlements: TextStatement[]): Promise<void> {
  for (let attempt = 1; attempt <= TRIES_MAX; attempt++) {
    try {
      await scope.db.reconnect().batch(settlements)
      return
    } catch (error) {
      console.warn(JSON.stringify({ attempt, unsettled: settlements.length, cause: String(error) }))
      await scheduler.wait(SETTLE_WAIT_MS * 2 ** attempt)
    }
  }
}
