import { createErasedOutcome, isErased, type Outcome, toOutcome, withNames } from '../../background-job/entry.ts'
import type { Wait } from '../../background-job/run/slice.ts'
import type { Statement } from '../../db/statement.ts'
import { readCreatedAt, toRowNo } from '../../ids.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import type { Procedure } from '../../procedure/model.ts'
import { type LastChanges, loadLastChanges, toChangedSincePlan } from '../../process/bulk/last-change.ts'
import type { ProcessRow } from '../../process/row.ts'
import type { Scope } from '../../scope.ts'
import { markUnknown } from '../ledger/advance-status.ts'
import type { MessageDraft } from '../ledger/claim.ts'
import type { Origin } from '../ledger/statements.ts'
import { findOptedOut } from '../opt-out/operations.ts'
import { deliveryNumber } from '../rules.ts'
import { type Attempt, createForgottenOutcome, isForgotten, toAttemptState, toMessageOutcome } from './attempt-rules.ts'
import type { EntryDecision, SendStep } from './batch.ts'
import { draftMessage } from './draft-message.ts'
import { type EntryToSend, entryToSend, getReference, loadStepData, type StepData } from './load.ts'
import { hasChanged, type ProcessVersion, refuseChanged } from './preview.ts'
import type { MessageEntry } from './schema.ts'

/** How long entries wait whose phone number is stopped, while others of their job go on. */
const STOPPED_WAIT_MS = 60_000

export interface PlannedMessage {
  /** Which of the batch's entries it is. */
  place: number
  draft: MessageDraft
  origin: Origin
  /** The one that the message is about. */
  process: Pick<ProcessRow, 'id' | 'primaryKey'> | undefined
  attempt: number
  /** How many of the attempts before were this job's own. */
  own: number
  /** A dry run has shown it: the process must be the same when the message is claimed. */
  relied?: ProcessVersion
}

/** What is to become of the first entries of a batch; what stops the one after them. */
export interface SendPlan {
  decisions: EntryDecision[]
  toSend: PlannedMessage[]
  statements: Statement[]
  isBusy: boolean
  wait?: Wait | undefined
}

/** Goes through the entries in their order, up to the first that can't be decided now. */
export async function planMessages(step: SendStep, procedure: Procedure | null): Promise<SendPlan> {
  const entries = step.entries.map(entry => entryToSend(step.jobId, entry))
  const data = await loadStepData(step.scope, procedure, entries)
  const lastChanges = await findLastChanges(step.scope, procedure, { entries, data })
  const planned = planEntries(step, procedure, { entries, data, lastChanges })
  const unchanged = await withoutChanged(planned, data, entries)
  const plan = data.hasOptOuts ? await withoutOptedOut(step.scope, unchanged) : unchanged
  return {
    ...plan,
    decisions: plan.decisions.map((decision, place) => withProcess(decision, processAt(data, entries, place))),
  }
}

const processAt = (data: StepData, entries: readonly EntryToSend[], place: number): ProcessRow | undefined => {
  const entry = entries[place]
  return entry && data.getProcess(entry.data)
}

export const withProcess = (decision: EntryDecision, process: PlannedMessage['process']): EntryDecision =>
  decision.mode === 'ended' ? { mode: 'ended', outcome: withNames(decision.outcome, process) } : decision

const end = (outcome: Outcome): EntryDecision => ({ mode: 'ended', outcome })

/** Those who asked not to be written to are told by name, and not attempted. */
async function withoutOptedOut(scope: Scope, plan: SendPlan): Promise<SendPlan> {
  const refusals = await findOptedOut(
    scope,
    plan.toSend.map(({ draft }) => draft.phone),
  )
  const decisions = [...plan.decisions]
  const toSend = plan.toSend.filter(({ place, draft }) => {
    const refusal = refusals.get(draft.phone)
    if (refusal) decisions[place] = end(toOutcome(refusal))
    return refusal === undefined
  })
  return { ...plan, decisions, toSend }
}

/** Messages that are not what the dry run has shown are not sent. */
async function withoutChanged(plan: SendPlan, data: StepData, entries: readonly EntryToSend[]): Promise<SendPlan> {
  if (!entries.some(each => each.data.planned)) return plan
  const decisions = [...plan.decisions]
  const toSend: PlannedMessage[] = []
  for (const message of plan.toSend) {
    const entry = entries[message.place]?.data
    const refusal = entry && (await refuseChanged(entry, message.draft, data.getProcess(entry)))
    if (refusal) decisions[message.place] = end(toOutcome(refusal))
    else toSend.push(message)
  }
  return { ...plan, decisions, toSend }
}

interface LoadedEntries {
  entries: readonly EntryToSend[]
  data: StepData
}

/** The process that an entry finds, or that its dry run found where it is gone. */
function getPlannedRow(entry: MessageEntry, data: StepData): number | undefined {
  const rid = data.getProcess(entry)?.rid
  return rid === undefined && entry.planned?.process !== undefined ? toRowNo(entry.planned.process) : rid
}

/** The last changes of the processes that are not as the dry run saw them. */
async function findLastChanges(
  scope: Scope,
  procedure: Procedure | null,
  { entries, data }: LoadedEntries,
): Promise<LastChanges['byRid']> {
  const changed = entries.filter(each => hasChanged(each.data.planned, data.getProcess(each.data)))
  const rids = changed.flatMap(each => getPlannedRow(each.data, data) ?? [])
  return procedure ? (await loadLastChanges(scope, procedure, { rids })).byRid : new Map()
}

function planEntries(
  step: SendStep,
  procedure: Procedure | null,
  { entries, data, lastChanges }: LoadedEntries & { lastChanges: LastChanges['byRid'] },
): SendPlan {
  const { scope, jobId, isCancelled } = step
  const unknownIds: string[] = []
  const plan: SendPlan = { decisions: [], toSend: [], statements: [], isBusy: false }
  const { decisions } = plan
  const finish = (rest: Partial<SendPlan> = {}): SendPlan => ({
    ...plan,
    ...rest,
    statements: markUnknown(scope.team.no, unknownIds, scope.now),
  })
  for (const [place, each] of entries.entries()) {
    const attempts = data.getAttempts(each)
    const own = attempts.filter(({ sourceId }) => sourceId === jobId)
    const last = attempts.at(-1)
    const state = toAttemptState(attempts, jobId, scope.now)
    if (isCancelled && own.length === 0) decisions.push({ mode: 'cancelled' })
    else if (state.kind === 'busy') return finish({ isBusy: true })
    else if (state.kind === 'decided') decisions.push(end(state.outcome))
    else if (isForgottenRetry(step, each, attempts)) decisions.push(end(createForgottenOutcome()))
    else if (state.kind === 'to-send' && isErased(each.data)) decisions.push(end(createErasedOutcome()))
    else if (state.kind === 'unknown' && last) {
      unknownIds.push(last.id)
      const unknown = { ...last, delivery: deliveryNumber('UNKNOWN'), reason: 'INTERRUPTED' } as const
      decisions.push(end(toMessageOutcome(unknown)))
    } else if (isCancelled) decisions.push(decideCancelled(attempts, jobId))
    else if (state.kind !== 'to-send')
      decisions.push({ mode: 'delayed', at: scope.now + (state.kind === 'wait' ? state.ms : 0) })
    else {
      const plugin = data.getPlugin(each.data)
      if (plugin && plugin.stoppedAt !== null) return finish({ wait: pauseFor(plugin, plugin.statusMessage) })
      const stop = plugin?.stoppedSenders[each.data.whatsappPhoneNumberId]
      if (plugin && stop) {
        if (!goesOnWithout(step, data, entries)) return finish({ wait: pauseFor(plugin, stop.message) })
        decisions.push({ mode: 'skipped', at: scope.now + STOPPED_WAIT_MS, isStopped: true })
        continue
      }
      if (hasChanged(each.data.planned, data.getProcess(each.data))) {
        const rid = getPlannedRow(each.data, data)
        const change = rid === undefined ? undefined : lastChanges.get(rid)
        const name = data.getProcess(each.data)?.primaryKey ?? getReference(each.data) ?? ''
        decisions.push(end(withNames(toOutcome(toChangedSincePlan(name, change)), change)))
        continue
      }
      const draft = draftMessage(procedure, data, each.data)
      if ('status' in draft) decisions.push(end(draft))
      else {
        decisions.push({ mode: 'inFlight' })
        const { attempt, resendOf } = state
        const process = data.getProcess(each.data)
        plan.toSend.push({
          place,
          draft: { ...draft, resendOf },
          origin: each.origin,
          process,
          attempt,
          own: own.length,
          ...(each.data.planned && process ? { relied: process } : {}),
        })
      }
    }
  }
  return finish()
}

/** An entry whose job was cancelled ends only if the job itself has sent something for it. */
function decideCancelled(attempts: readonly Attempt[], jobId: string): EntryDecision {
  const last = attempts.at(-1)
  return last?.sourceId === jobId ? end(toMessageOutcome(last)) : { mode: 'cancelled' }
}

const isForgottenRetry = ({ scope, sender }: SendStep, { data, origin }: EntryToSend, attempts: readonly Attempt[]) =>
  data.retryOf !== undefined && isForgotten(attempts, readCreatedAt(origin.job), sender.retentionMs, scope.now)

/** Whether the job has something to do besides what waits for a phone number that is stopped. */
const goesOnWithout = ({ othersRemain }: SendStep, data: StepData, entries: readonly EntryToSend[]): boolean =>
  othersRemain ||
  entries.some(({ data: each }) => data.getPlugin(each)?.stoppedSenders[each.whatsappPhoneNumberId] === undefined)

/** The job waits until the plugin is changed. */
export const pauseFor = ({ no, name }: PluginRow, because: string | null): Wait => ({
  ms: 0,
  pause: { plugin: no, because: `the plugin ${JSON.stringify(name)} is stopped: ${because}` },
})
