import { type Outcome, toOutcome } from '../../background-job/entry.ts'
import { toStoredName } from '../../db/document/json.ts'
import { AppError, invalid, notFound } from '../../errors.ts'
import type { PluginRow } from '../../plugin/operations.ts'
import type { Procedure } from '../../procedure/model.ts'
import { findWrongKeyFaults } from '../../process/reference.ts'
import type { ProcessRow } from '../../process/row.ts'
import type { MessageDraft } from '../ledger/claim.ts'
import { addressedTo, createDraft, getRecipient, type TemplateCandidates } from '../send/draft.ts'
import type { SendTemplate } from '../send/schema.ts'
import { getReference, type StepData } from './load.ts'
import { type MessageEntry, namesAttributes, withValues } from './schema.ts'

/** The message, or what stands in its way: by the same rules as of a single one. */
export function draftMessage(procedure: Procedure | null, known: StepData, data: MessageEntry): MessageDraft | Outcome {
  try {
    const plugin = known.getPlugin(data)
    if (!plugin) throw notFound(`plugin ${data.pluginId}`)
    const { phone, process } = recipient(procedure, known, data)
    const { pluginId: _, processId: _id, primaryKeyShortId: _key, ...rest } = data
    const { primaryKeyValue: _value, phoneNumber: _phone, retryOf: _retry, planned: _planned, ...template } = rest
    const body = withValues(template, attribute => (process ? getText(process, attribute) : undefined))
    return addressedTo(draftTemplate(plugin, known.getTemplates(data), data, body), phone, process?.id ?? null)
  } catch (error) {
    if (error instanceof AppError) return toOutcome(error)
    throw error
  }
}

/** What the plugin or the process lacks now it may have again: the entry is fine, and can be retried. */
function draftTemplate(plugin: PluginRow, templates: TemplateCandidates, data: MessageEntry, body: SendTemplate) {
  try {
    return createDraft(plugin, templates, body, 'conflict')
  } catch (error) {
    const isOfProcess = error instanceof AppError && error.code === 'invalid_request' && namesAttributes(data)
    throw isOfProcess ? new AppError('conflict', error.faults, error) : error
  }
}

function recipient(procedure: Procedure | null, known: StepData, data: MessageEntry) {
  if (data.phoneNumber !== undefined) return { phone: data.phoneNumber, process: null }
  if (!procedure) throw notFound('a procedure')
  const faults = findWrongKeyFaults(procedure, data.primaryKeyShortId)
  if (faults.length > 0) throw invalid(faults)
  const process = known.getProcess(data)
  if (!process) throw notFound(`process ${getReference(data)}`)
  return { phone: getRecipient(procedure, process), process }
}

function getText({ data }: ProcessRow, attribute: string): string | undefined {
  const value = data[toStoredName(attribute)]
  const values = Array.isArray(value) ? value : [value]
  if (values.length === 0 || values.some(each => !['string', 'number', 'boolean'].includes(typeof each)))
    return undefined
  return values.join(', ') || undefined
}
