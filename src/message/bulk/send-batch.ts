import { StaleJobError } from '../../background-job/kind.ts'
import type { JobSlice } from '../../background-job/run/slice.ts'
import { isGuardFailure, isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import type { Statement } from '../../db/statement.ts'
import { formatStopMessage, slowsSender } from '../../plugin/codes.ts'
import { decryptSecret } from '../../plugin/secret/encryption.ts'
import { guardSending, PLUGIN_CHANGED } from '../../plugin/stop.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import { guardVersions } from '../../process/bulk/step-conflict.ts'
import { PROCESS_CHANGED } from '../../process/conflict.ts'
import { claimMessages, NOT_RESENDABLE } from '../ledger/claim.ts'
import { type SettlementMessage, settleMessages, settlementStatements } from '../ledger/settle.ts'
import { selectAttempts } from '../ledger/statements.ts'
import { guardNotOptedOut, OPTED_OUT } from '../opt-out/statements.ts'
import { deliveryNumber, PENDING_MS_MAX } from '../rules.ts'
import { buildProviderCall } from '../send/call-provider.ts'
import type { ProviderResult } from '../send/provider-result.ts'
import { ANSWER_MS_MAX, dispatchInTurn } from '../sender/dispatch.ts'
import type { OutboundMessage, SendResult } from '../sender/message-sender.ts'
import { type Attempt, blockMs, retryDelayMs, toMessageOutcome } from './attempt-rules.ts'
import type { Batch, EntryDecision, SendStep } from './batch.ts'
import { commitBatch, markInFlight } from './batch-write.ts'
import { toAttempt } from './load.ts'
import { pauseFor, planMessages, withProcess } from './plan.ts'
import {
  blockNumber,
  delayLate,
  type ReservedMessage,
  type ReservedPlan,
  releaseUnused,
  reserveStarts,
} from './reserve.ts'

/** Before the last message of a batch starts, the next batch is loaded and claimed. */
const NEXT_BATCH_MS = 600
/** Between the last moment at which a message may still be sent, and the one at which others count it as lost. */
const MARGIN_MS = 5_000
/** A result is waited for a little longer than the provider may take. */
const ANSWER_MARGIN_MS = 250

/** A batch whose messages are being sent. */
export interface Flight {
  batch: Batch
  /** Resolves when nothing has to be waited for any more; never rejects. */
  answered: Promise<unknown>
  /** When the next batch may be run of what these entries wait for. */
  due: Promise<void>
  dueAt: number
  /** Writes what became of it, and commits the batch. */
  settle: () => Promise<void>
  /** Writes what the provider said, and leaves the batch to another runner. Never rejects. */
  keepResults: () => Promise<void>
}

/** A message that is written as about to be sent. */
interface ClaimedMessage extends ReservedMessage {
  id: string
  token: string
}

interface AnsweredMessage extends ClaimedMessage {
  result: ProviderResult
}

interface SendResults {
  /** The result is null where the provider has not answered yet. */
  messages: (ClaimedMessage & { result: SendResult })[]
  /** Says that the results are written. */
  acknowledge: () => Promise<void>
}

/**
 * Sends the messages of a batch. Each is claimed before the provider is called, and settled after. Another runner of the
 * same entries reads the claims, so that the provider is called once for each attempt. Undefined: nothing was to be sent,
 * and the batch is committed.
 */
export const sendBatch = (slice: JobSlice, batch: Batch, step: SendStep): Promise<Flight | undefined> => {
  const send = (procedure: Procedure | null) =>
    retryOnConflict(isSendConflict, () => decideAndSend(slice, batch, step, procedure))
  return step.procedure === '' ? send(null) : withProcedure(step.scope, step.procedure, send)
}

/** What was decided on has changed since: the plugin, what became of an earlier attempt, or a customer who opted out. */
export const isSendConflict = (error: unknown): boolean =>
  [NOT_RESENDABLE, OPTED_OUT, PLUGIN_CHANGED, PROCESS_CHANGED].some(label => isGuardFailure(error, label)) ||
  isUniqueViolation(error, 'message.rid')

async function decideAndSend(
  slice: JobSlice,
  batch: Batch,
  step: SendStep,
  procedure: Procedure | null,
): Promise<Flight | undefined> {
  const plan = await reserveStarts(step, await planMessages(step, procedure))
  const relied = plan.toSend.flatMap(each => each.relied ?? [])
  const guards = [...(procedure ? [guardDefinition(procedure)] : []), ...guardVersions(relied)]
  if (plan.toSend.length === 0) {
    if (plan.isBusy && plan.decisions.length === 0) throw new StaleJobError()
    await commitBatch(slice, batch, { ...plan, statements: [...guards, ...plan.statements] })
    return undefined
  }
  const claimed = await delayLate(step, await claim(step, plan, guards, claim => markInFlight(slice, batch, claim)))
  const sending = sendMessages(step, claimed)
  const dueAt = plan.wait ? Number.POSITIVE_INFINITY : getNextStart(claimed) - NEXT_BATCH_MS
  return {
    batch,
    answered: sending,
    dueAt,
    due: new Promise(resolve => {
      if (Number.isFinite(dueAt)) setTimeout(resolve, Math.max(0, dueAt - Date.now()))
    }),
    settle: async () => settleBatch(slice, batch, step, plan, await sending),
    keepResults: async () => keepResults(step, listAnswered(await sending)),
  }
}

/** When the first of the numbers has nothing more to send. */
const getNextStart = (toSend: readonly ReservedMessage[]): number =>
  Math.min(
    ...[...Map.groupBy(toSend, ({ draft }) => draft.sender).values()].map(all =>
      Math.max(...all.map(({ startAt }) => startAt)),
    ),
  )

/** Only this runner may send the messages that it has claimed. One that it has not settled after a minute counts as lost. */
async function claim(
  step: SendStep,
  { toSend, decisions }: ReservedPlan,
  guards: Statement[],
  commit: (claim: Parameters<typeof markInFlight>[2]) => Promise<void>,
): Promise<ClaimedMessage[]> {
  const { scope, jobId, sender } = step
  const plugins = Map.groupBy(toSend, ({ draft }) => draft.plugin.no)
  const sending = [...plugins.values()].flatMap(all => {
    const [plugin] = all.map(({ draft }) => draft.plugin)
    return plugin ? [guardSending(plugin, [...new Set(all.map(({ draft }) => draft.sender))])] : []
  })
  const phones = [...new Set(toSend.map(({ draft }) => draft.phone))]
  const mayBeSent = [...sending, guardNotOptedOut(scope, phones)]
  const messages = toSend.map(({ draft, origin, attempt }) => ({
    ...draft,
    sourceId: jobId,
    origin: { ...origin, attempt },
  }))
  try {
    const tokens = new Map(
      await Promise.all(
        [...plugins].map(async ([no, [first]]) => {
          const token = first ? await decryptSecret(sender.cipher, first.draft.plugin, 'accessToken') : ''
          return [no, token] as const
        }),
      ),
    )
    const ids = await claimMessages(scope, sender.queue, messages, ({ statements, wasWritten }) =>
      commit({ decisions, statements: [...guards, ...mayBeSent, ...statements], wasWritten }),
    )
    return toSend.map((each, index) => ({
      ...each,
      id: ids[index] ?? '',
      token: tokens.get(each.draft.plugin.no) ?? '',
    }))
  } catch (error) {
    await releaseUnused(step, toSend)
    // Another runner has the same attempt at an entry.
    throw isUniqueViolation(error, 'message.job') ? new StaleJobError() : error
  }
}

/** Never rejects. */
async function sendMessages(
  { scope, jobId, sender }: SendStep,
  claimed: readonly ClaimedMessage[],
): Promise<SendResults> {
  const lastStart = scope.now + PENDING_MS_MAX - MARGIN_MS - sender.provider.timeoutMs
  const answerMs = Math.min(ANSWER_MS_MAX, sender.provider.timeoutMs + ANSWER_MARGIN_MS)
  const outbound = claimed.map(({ id, draft, token, startAt }): OutboundMessage => {
    const { plugin, sender: number, template } = draft
    return {
      call: buildProviderCall(draft, id, token),
      team: scope.team.no,
      settlement: { id, plugin: plugin.no, sender: number, template, begunAt: scope.now },
      startAt,
      lastStart,
      answerMs,
    }
  })
  const { results, acknowledge } = await dispatchInTurn(sender.pool, jobId, outbound)
  return { messages: claimed.map((each, index) => ({ ...each, result: results[index] ?? null })), acknowledge }
}

const listAnswered = ({ messages }: SendResults): AnsweredMessage[] =>
  messages.flatMap(each => (each.result === null ? [] : [{ ...each, result: each.result }]))

/** Writes what the provider said, and what that means for the entries: some are tried again. */
async function settleBatch(
  slice: JobSlice,
  batch: Batch,
  step: SendStep,
  plan: ReservedPlan,
  sent: SendResults,
): Promise<void> {
  const answered = listAnswered(sent)
  const message = toSettlement(step, answered)
  // Not awaited before the results are written: the rate limiter may be slow or gone.
  const blocking = blockNumbers(step, answered)
  const isUnknown = answered.some(({ result }) => result.status === 'UNKNOWN')
  const known = isUnknown ? await settleAndRead(step, answered, message) : []
  const decisions = [...plan.decisions]
  // Its sender writes the result, or others count it as lost: by then one of both is to be read.
  for (const { place, result } of sent.messages)
    if (result === null) decisions[place] = { mode: 'delayed', at: step.scope.now + PENDING_MS_MAX }
  for (const each of answered)
    decisions[each.place] = withProcess(
      decideSent(
        each,
        known.find(({ id }) => id === each.id),
      ),
      each.process,
    )
  const wait = findPause(answered) ?? plan.wait
  const statements = [...plan.statements, ...(isUnknown ? [] : settlementStatements(message))]
  try {
    await commitBatch(slice, batch, { decisions, statements, wait })
  } catch (error) {
    // The provider's results are kept even if the batch is not.
    if (!isUnknown) await keepResults(step, answered)
    throw error
  }
  await Promise.all([blocking, sent.acknowledge()])
}

async function keepResults(step: SendStep, answered: readonly AnsweredMessage[]): Promise<void> {
  if (answered.length === 0) return
  const context = { db: step.scope.db, queue: step.sender.queue }
  await settleMessages(context, toSettlement(step, answered)).catch(() => undefined)
}

const toSettlement = ({ scope }: SendStep, sent: readonly AnsweredMessage[]): SettlementMessage => ({
  team: scope.team.no,
  settlements: sent.map(({ id, draft: { plugin, sender, template }, result }) => ({
    id,
    plugin: plugin.no,
    sender,
    template,
    result,
    begunAt: scope.now,
    at: Date.now(),
  })),
})

/** For messages without a response a provider report may have arrived: writes the results, and reads the messages. */
async function settleAndRead(
  { scope, sender: { queue } }: SendStep,
  sent: readonly AnsweredMessage[],
  message: SettlementMessage,
): Promise<Attempt[]> {
  const origins = sent.map(({ origin }) => origin)
  return (await settleMessages({ db: scope.db, queue }, message, [selectAttempts(scope, origins)])).map(toAttempt)
}

function decideSent(
  { id, draft: { process }, own, result }: AnsweredMessage,
  known: Attempt | undefined,
): EntryDecision {
  const ms = retryDelayMs(result, own + 1)
  if (ms !== undefined) return { mode: 'delayed', at: Date.now() + ms }
  if (result.status === 'UNKNOWN' && known) return { mode: 'ended', outcome: toMessageOutcome(known) }
  const { status, externalId = null, error = null, reason = null } = result
  const outcome = toMessageOutcome({ id, process, externalId, delivery: deliveryNumber(status), error, reason })
  return { mode: 'ended', outcome }
}

/** The provider's limit for a number was exceeded: all jobs of the team that send from it wait. */
function blockNumbers(step: SendStep, sent: readonly AnsweredMessage[]): Promise<unknown> {
  const waits = new Map<string, number>()
  for (const { draft, own, result } of sent)
    if (result.error && slowsSender(result.error))
      waits.set(draft.sender, Math.max(waits.get(draft.sender) ?? 0, blockMs(result.error, own + 1)))
  return Promise.all([...waits].map(([number, ms]) => blockNumber(step, number, ms)))
}

/** The first of the refusals that are about the whole account. */
function findPause(sent: readonly AnsweredMessage[]): ReservedPlan['wait'] {
  for (const { draft, result } of sent)
    if (result.error?.class === 'stop-plugin') return pauseFor(draft.plugin, formatStopMessage(result.error))
  return undefined
}
