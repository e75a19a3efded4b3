import { type Outcome, outcomeOf } from '../../background-job/entry.ts'
import type { Decision, Step, Wait } from '../../background-job/kind.ts'
import { storedKey } from '../../db/json.ts'
import type { TextStatement } from '../../db/text-statement.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import type { Procedure } from '../../procedure/model.ts'
import { otherKey } from '../../process/reference.ts'
import type { ProcessRow } from '../../process/row.ts'
import type { Scope } from '../../scope.ts'
import { deliveryNumber } from '../rules.ts'
import type { SendTemplate } from '../schema.ts'
import { addressed, draftOf, recipientOf, type Templates } from '../send/draft.ts'
import type { Draft } from '../send/send.ts'
import { advanceDelivery, type Origin } from '../statements.ts'
import { type Attempt, attemptStateOf, outcomeOfCancelled, outcomeOfMessage } from './attempt-rules.ts'
import { type Known, load, referenceOf, type Wanted, wantedOf } from './load.ts'
import { type MessageEntry, namesAttributes, withValues } from './schema.ts'

export interface PlannedMessage {
  /** Which of the step's entries it is. */
  place: number
  draft: Draft
  origin: Origin
  attempt: number
  /** How many of the attempts before were this job's own. */
  own: number
  resendOf: string | null
}

/** What is to become of the first entries of a step; what stops the one after them. */
export interface StepPlan {
  /** Undefined where the message is to be sent; or where it never will be, because the job is cancelled. */
  outcomes: Decision['outcomes']
  toSend: PlannedMessage[]
  statements: TextStatement[]
  isBusy: boolean
  wait?: Wait | undefined
}

/** Goes through the entries in their order, up to the first that can't be decided now. */
export async function planAll(step: Step, procedure: Procedure | null): Promise<StepPlan> {
  const { scope, jobId, isCancelled } = step
  const wanted = step.entries.map(entry => wantedOf(jobId, entry))
  const known = await load(scope, procedure, wanted)
  const plan: StepPlan = { outcomes: [], toSend: [], statements: [], isBusy: false }
  for (const [place, each] of wanted.entries()) {
    const attempts = known.attemptsOf(each)
    const last = attempts.at(-1)
    const state = attemptStateOf(attempts, jobId, scope.now)
    if (state.kind === 'busy') return { ...plan, isBusy: true }
    if (state.kind === 'settled') plan.outcomes.push(state.outcome)
    else if (state.kind === 'lost' && last) {
      const { outcome, statement } = countedLost(scope, last)
      plan.outcomes.push(outcome)
      plan.statements.push(statement)
    } else if (isCancelled) plan.outcomes.push(outcomeOfCancelled(last))
    else if (state.kind !== 'to-send')
      plan.outcomes.push({ status: 'DEFERRED', at: scope.now + (state.kind === 'wait' ? state.ms : 0) })
    else {
      const plugin = known.pluginOf(each.data)
      if (plugin && plugin.stoppedAt !== null) return { ...plan, wait: { ms: 0, pause: pauseOf(plugin) } }
      const draft = decide(procedure, known, each, plugin)
      const own = attempts.filter(({ sourceId }) => sourceId === jobId).length
      const { attempt, resendOf } = state
      if ('status' in draft) plan.outcomes.push(draft)
      else {
        plan.outcomes.push(undefined)
        plan.toSend.push({ place, draft: { ...draft, resendOf }, origin: each.origin, attempt, own, resendOf })
      }
    }
  }
  return plan
}

export const pauseOf = ({ no, name, statusMessage }: PluginRow, because = statusMessage) => ({
  plugin: no,
  because: `the plugin ${JSON.stringify(name)} is stopped: ${because}`,
})

/** Whether it was sent is not known, and nobody is left who could say: it is never sent again by itself. */
function countedLost(scope: Scope, message: Attempt): { outcome: Outcome; statement: TextStatement } {
  const reason = 'INTERRUPTED'
  return {
    outcome: outcomeOfMessage({ ...message, delivery: deliveryNumber('UNKNOWN'), reason }),
    statement: advanceDelivery(scope, message.id, {
      status: 'UNKNOWN',
      at: scope.now,
      timestamp: null,
      source: 'SWEEP',
      reason,
    }),
  }
}

/** The message, or what stands in its way: by the same rules as of a single one. */
function decide(
  procedure: Procedure | null,
  known: Known,
  wanted: Wanted,
  plugin: PluginRow | undefined,
): Draft | Outcome {
  const { data } = wanted
  try {
    if (!plugin) throw notFound(`plugin ${data.pluginId}`)
    const { phone, process } = recipient(procedure, known, data)
    const { pluginId: _, processId: _id, primaryKeyShortId: _key, ...rest } = data
    const { primaryKeyValue: _value, phoneNumber: _phone, retryOf: _retry, ...template } = rest
    const body = withValues(template, attribute => (process ? textOf(process, attribute) : undefined))
    return addressed(drafted(plugin, known.templatesOf(data), data, body), phone, process?.id ?? null)
  } catch (error) {
    if (error instanceof AppError) return outcomeOf(error)
    throw error
  }
}

/** What the plugin or the process lacks now it may have again: the entry is fine, and can be retried. */
function drafted(plugin: PluginRow, templates: Templates, data: MessageEntry, body: SendTemplate) {
  try {
    return draftOf(plugin, templates, body, 'conflict')
  } catch (error) {
    const isOfProcess = error instanceof AppError && error.code === 'invalid_request' && namesAttributes(data)
    throw isOfProcess ? new AppError('conflict', error.faults, error) : error
  }
}

function recipient(procedure: Procedure | null, known: Known, data: MessageEntry) {
  if (data.phoneNumber !== undefined) return { phone: data.phoneNumber, process: null }
  if (!procedure) throw notFound('a procedure')
  const faults = otherKey(procedure, data.primaryKeyShortId)
  if (faults.length > 0) throw invalid(faults)
  const process = known.processOf(data)
  if (!process) throw notFound(`process ${referenceOf(data)}`)
  return { phone: recipientOf(procedure, process), process }
}

function textOf({ data }: ProcessRow, attribute: string): string | undefined {
  const value = data[storedKey(attribute)]
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0 || values.some(each => !['string', 'number', 'boolean'].includes(typeof each)))
    return undefined
  return values.join(', ') || undefined
}
