import { type Outcome, toOutcome, withNames } from '../../background-job/entry.ts'
import type { Step } from '../../background-job/kind.ts'
import {
  changedSinceError,
  isPlannedOne,
  type PlannedChanges,
  toPreview,
} from '../../background-job/planned-changes.ts'
import { AppError } from '../../errors.ts'
import type { FieldChange } from '../../event/changes.ts'
import { computeDigest } from '../../http/digest.ts'
import { refuseStopped } from '../../plugin/operations.ts'
import { withProcedure } from '../../procedure/definition-cache.ts'
import { guardDefinition } from '../../procedure/definition-guard.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { ProcessRow } from '../../process/row.ts'
import type { MessageDraft } from '../ledger/claim.ts'
import { findOptedOut } from '../opt-out/operations.ts'
import { draftMessage } from './draft-message.ts'
import { entryToSend, getReference, loadStepData, type StepData } from './load.ts'
import type { MessageEntry } from './schema.ts'

/** Whom the entries of a step would write to, and what. Nothing is sent, and nothing is kept of it but that. */
export const previewMessages = (step: Step): Promise<void> =>
  step.procedure === ''
    ? previewStep(step, null)
    : withProcedure(step.scope, step.procedure, procedure => previewStep(step, procedure))

async function previewStep({ scope, entries, commit }: Step, procedure: Procedure | null): Promise<void> {
  const toSend = entries.map(({ apiData, index }) => entryToSend('', { apiType: '', apiData, index }))
  const data = await loadStepData(scope, procedure, toSend)
  const drafts = toSend.map(each => draftUnlessStopped(procedure, data, each.data))
  const refusals = await findOptedOut(
    scope,
    drafts.flatMap(draft => ('status' in draft ? [] : draft.phone)),
  )
  const outcomes = await Promise.all(
    drafts.map(async (draft, nth): Promise<Outcome> => {
      const entry = toSend[nth]?.data
      const process = entry && data.getProcess(entry)
      if ('status' in draft) return withNames(draft, process)
      const refusal = refusals.get(draft.phone)
      if (refusal) return withNames(toOutcome(refusal), process)
      const planned = await planMessage(draft, process)
      return withNames({ status: 'SUCCESS', result: { ...toPreview(planned, listChanges(draft)) } }, process)
    }),
  )
  await commit({ outcomes, statements: procedure ? [guardDefinition(procedure)] : [] })
}

const listChanges = ({ phone, text }: MessageDraft): FieldChange[] => [
  { field: 'recipient', from: null, to: phone },
  { field: 'text', from: null, to: text },
]

/** A job waits for a plugin that is stopped; a dry run says so. */
function draftUnlessStopped(procedure: Procedure | null, known: StepData, data: MessageEntry): MessageDraft | Outcome {
  const plugin = known.getPlugin(data)
  try {
    if (plugin) refuseStopped(plugin, data.whatsappPhoneNumberId)
  } catch (error) {
    if (error instanceof AppError) return toOutcome(error)
    throw error
  }
  return draftMessage(procedure, known, data)
}

/** What the job that applies the dry run compares: the process, and all that the customer would see. */
async function planMessage(
  { sender, phone, text, request }: MessageDraft,
  process: Pick<ProcessRow, 'version'> | undefined,
): Promise<PlannedChanges> {
  return {
    version: process?.version ?? null,
    message: await computeDigest(JSON.stringify([sender, phone, text, request])),
  }
}

export const hasChanged = (
  planned: PlannedChanges | undefined,
  process: Pick<ProcessRow, 'id' | 'version'> | undefined,
): boolean =>
  planned !== undefined &&
  (process ? planned.version !== process.version || !isPlannedOne(process.id, planned) : planned.version !== null)

/** The error of a message that is another one than the dry run has shown; undefined: it is the same. */
export async function refuseChanged(
  entry: MessageEntry,
  draft: MessageDraft,
  process: Pick<ProcessRow, 'version' | 'primaryKey'> | undefined,
): Promise<AppError | undefined> {
  const { planned } = entry
  if (planned?.message === undefined) return undefined
  const { message } = await planMessage(draft, process)
  if (message === planned.message) return undefined
  const reference = process?.primaryKey ?? getReference(entry)
  return changedSinceError(
    reference === undefined
      ? `the template or the sender of the message to ${entry.phoneNumber} has changed`
      : `the number of the customer, the template or the sender of the message to process ${reference} has changed`,
  )
}

export type ProcessVersion = Pick<ProcessRow, 'rid' | 'version'>
