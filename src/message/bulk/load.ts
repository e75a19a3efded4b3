import type { StepEntry } from '../../background-job/kind.ts'
import type { Result } from '../../db/text-statement.ts'
import { ridOf } from '../../ids.ts'
import { type PluginRow, readPlugins, selectPlugins } from '../../plugin/operations.ts'
import type { Template } from '../../plugin/template/model.ts'
import { listTemplateNames, readTemplates, selectTemplates } from '../../plugin/template/statements.ts'
import type { Procedure } from '../../procedure/model.ts'
import { readReferences, selectReferences } from '../../process/reference.ts'
import type { ProcessRow } from '../../process/row.ts'
import type { Scope } from '../../scope.ts'
import type { Templates } from '../send/draft.ts'
import { attemptsOf, type MessageRow, type Origin, readMessage, reasonOf } from '../statements.ts'
import type { Attempt } from './attempt-rules.ts'
import type { MessageEntry } from './schema.ts'

/** An entry of a step: what it says, and under which job and index its attempts are counted. */
export interface Wanted {
  data: MessageEntry
  origin: Origin
}

/** All that the decision about the entries of a step depends on. */
export interface Known {
  pluginOf: (entry: MessageEntry) => PluginRow | undefined
  templatesOf: (entry: MessageEntry) => Templates
  processOf: (entry: MessageEntry) => ProcessRow | undefined
  attemptsOf: (wanted: Wanted) => Attempt[]
}

export const wantedOf = (jobId: string, { apiData, index }: StepEntry): Wanted => {
  const data = apiData as unknown as MessageEntry
  const { backgroundJob, index: entry } = data.retryOf ?? { backgroundJob: jobId, index }
  return { data, origin: { job: ridOf(backgroundJob), entry } }
}

export const referenceOf = ({ processId, primaryKeyValue }: MessageEntry): string | undefined =>
  processId ?? primaryKeyValue

const nameOf = ({ pluginId, templateName }: MessageEntry) => JSON.stringify([pluginId.toLowerCase(), templateName])

/** One round trip, however many entries there are; one more where a template's name is wrong. */
export async function load(scope: Scope, procedure: Procedure | null, wanted: readonly Wanted[]): Promise<Known> {
  const entries = wanted.map(({ data }) => data)
  const pluginIds = [...new Set(entries.map(({ pluginId }) => pluginId.toLowerCase()))]
  const named = [...new Map(entries.map(data => [nameOf(data), data])).entries()]
  const references = {
    ids: entries.flatMap(({ processId }) => processId ?? []),
    keys: entries.flatMap(({ primaryKeyValue }) => primaryKeyValue ?? []),
  }
  const [attempts, found, ...others] = await scope.db.batch([
    attemptsOf(
      scope,
      wanted.map(({ origin }) => origin),
    ),
    selectPlugins(scope, pluginIds),
    ...named.map(([, { pluginId, templateName }]) => selectTemplates(scope, pluginId, templateName)),
    ...(procedure ? selectReferences(procedure, references) : []),
  ])
  const plugins = readPlugins(found)
  const pluginById = new Map(plugins.map(plugin => [plugin.id, plugin]))
  const templates = new Map(named.map(([name], index) => [name, readTemplates(others[index])]))
  const names = await namesOf(scope, plugins, templates)
  const processes = readReferences(others.slice(named.length))
  const rows = readAttempts(attempts)
  return {
    pluginOf: ({ pluginId }) => pluginById.get(pluginId.toLowerCase()),
    templatesOf: data => ({
      found: templates.get(nameOf(data)) ?? [],
      known: names.get(data.pluginId.toLowerCase()) ?? [],
    }),
    processOf: ({ processId, primaryKeyValue = '' }) =>
      processId === undefined ? processes.byKey(primaryKeyValue) : processes.byId(processId),
    attemptsOf: ({ origin }) => rows.filter(row => row.job === origin.job && row.entry === origin.entry),
  }
}

export const readAttempts = (result: Result | undefined): (Attempt & Pick<MessageRow, 'job' | 'entry'>)[] =>
  (result?.rows ?? [])
    .flatMap(row => readMessage([row]) ?? [])
    .map(row => ({ ...row, attempt: row.attempt ?? 0, reason: reasonOf(row) }))

/** The names there are, for whoever named one that there is not. */
async function namesOf(scope: Scope, plugins: PluginRow[], found: Map<string, Template[]>) {
  const missing = [...found].flatMap(([name, templates]) =>
    templates.length === 0 ? (JSON.parse(name) as [string])[0] : [],
  )
  const asked = plugins.filter(({ id }) => missing.includes(id))
  return new Map(await Promise.all(asked.map(async each => [each.id, await listTemplateNames(scope, each)] as const)))
}
