import type { StepEntry } from '../../background-job/kind.ts'
import { toRowNo } from '../../ids.ts'
import { type PluginRow, selectPlugins } from '../../plugin/operations.ts'
import type { Template } from '../../plugin/template/model.ts'
import { listTemplateNames } from '../../plugin/template/operations.ts'
import { selectTemplates, toTemplate } from '../../plugin/template/statements.ts'
import type { Procedure } from '../../procedure/model.ts'
import { readReferences, selectReferences } from '../../process/reference.ts'
import type { ProcessRow } from '../../process/row.ts'
import type { Scope } from '../../scope.ts'
import { getDeliveryReason, type Origin, type StoredMessage, selectAttempts, toMessage } from '../ledger/statements.ts'
import { selectHasOptOuts } from '../opt-out/statements.ts'
import type { TemplateCandidates } from '../send/draft.ts'
import type { Attempt } from './attempt-rules.ts'
import type { MessageEntry } from './schema.ts'

/** An entry of a batch: what it says, and under which job and index its attempts are counted. */
export interface EntryToSend {
  data: MessageEntry
  origin: Origin
}

/** All that the decision about the entries of a batch depends on. */
export interface StepData {
  getPlugin: (entry: MessageEntry) => PluginRow | undefined
  getTemplates: (entry: MessageEntry) => TemplateCandidates
  getProcess: (entry: MessageEntry) => ProcessRow | undefined
  getAttempts: (entry: EntryToSend) => Attempt[]
  /** Whether the team knows of anybody who asked not to be written to. */
  hasOptOuts: boolean
}

export const entryToSend = (jobId: string, { apiData, index }: StepEntry): EntryToSend => {
  const data = apiData as Record<string, unknown> & MessageEntry
  const { backgroundJob, index: entry } = data.retryOf ?? { backgroundJob: jobId, index }
  return { data, origin: { job: toRowNo(backgroundJob), entry } }
}

export const getReference = ({ processId, primaryKeyValue }: MessageEntry): string | undefined =>
  processId ?? primaryKeyValue

const toTemplateKey = ({ pluginId, templateName }: MessageEntry) =>
  JSON.stringify([pluginId.toLowerCase(), templateName])

/** One round trip, however many entries there are; one more where a template's name is wrong. */
export async function loadStepData(
  scope: Scope,
  procedure: Procedure | null,
  entries: readonly EntryToSend[],
): Promise<StepData> {
  const data = entries.map(each => each.data)
  const pluginIds = [...new Set(data.map(({ pluginId }) => pluginId.toLowerCase()))]
  const named = new Map(data.map(each => [toTemplateKey(each), { plugin: each.pluginId, name: each.templateName }]))
  const references = {
    ids: data.flatMap(({ processId }) => processId ?? []),
    keys: data.flatMap(({ primaryKeyValue }) => primaryKeyValue ?? []),
  }
  const [attempts, plugins, templates, optOuts, ...processes] = await scope.db.read(
    selectAttempts(
      scope,
      entries.map(({ origin }) => origin),
    ),
    selectPlugins(scope, pluginIds),
    selectTemplates(scope, [...named.values()]),
    selectHasOptOuts(scope),
    ...(procedure ? selectReferences(procedure, references) : []),
  )
  const pluginById = new Map(plugins.map(plugin => [plugin.id, plugin]))
  const found = Map.groupBy(templates, ({ pluginId, name }) => JSON.stringify([pluginId, name]))
  const candidates = new Map([...named.keys()].map(name => [name, (found.get(name) ?? []).map(toTemplate)]))
  const names = await loadNames(scope, plugins, candidates)
  const processByReference = readReferences(procedure, processes.flat())
  const rows = attempts.map(toAttempt)
  return {
    getPlugin: ({ pluginId }) => pluginById.get(pluginId.toLowerCase()),
    getTemplates: each => ({
      found: candidates.get(toTemplateKey(each)) ?? [],
      known: names.get(each.pluginId.toLowerCase()) ?? [],
    }),
    getProcess: ({ processId, primaryKeyValue = '' }) =>
      processId === undefined ? processByReference.ofKey(primaryKeyValue) : processByReference.ofId(processId),
    hasOptOuts: optOuts.length > 0,
    getAttempts: ({ origin }) => rows.filter(row => row.job === origin.job && row.entry === origin.entry),
  }
}

export const toAttempt = (stored: StoredMessage): Attempt & Pick<StoredMessage, 'job' | 'entry'> => {
  const row = toMessage(stored)
  return { ...row, attempt: row.attempt ?? 0, reason: getDeliveryReason(row) }
}

/** The template names of plugins for which an unknown one was given: suggestions are made from them. */
async function loadNames(scope: Scope, plugins: PluginRow[], found: Map<string, Template[]>) {
  const missing = [...found].flatMap(([name, templates]) =>
    templates.length === 0 ? (JSON.parse(name) as [string])[0] : [],
  )
  const affected = plugins.filter(({ id }) => missing.includes(id))
  return new Map(await Promise.all(affected.map(async ({ id }) => [id, await listTemplateNames(scope, id)] as const)))
}
