import * as z from 'zod'
import type { Db } from '../../db/client.ts'
import { isUniqueViolation } from '../../db/guard.ts'
import { retryOnConflict } from '../../db/retry.ts'
import type { Statement } from '../../db/statement.ts'
import { toTeamNo } from '../../db/team-numbers.ts'
import { write } from '../../db/write.ts'
import { type FeedTeam, selectFeedTeams } from '../../event/feed-rows.ts'
import { isObject } from '../../http/shapes.ts'
import { isOptOut } from '../../plugin/codes.ts'
import { saveTemplateStatuses, type TemplateStatusUpdate } from '../../plugin/template/changes.ts'
import { advanceStatusByReports, type ReportedStatus } from '../ledger/advance-status.ts'
import { buildConsequences } from '../ledger/settle.ts'
import { rememberOptOuts } from '../opt-out/statements.ts'
import type { ReceivedMessage } from '../received/message.ts'
import { type MessageOfPlugin, receivedStatements } from '../received/statements.ts'
import { SECOND_END_MS, type StatusUpdate } from './payload.ts'

/** What a genuine report said. `plugin` is the plugin's number; a sender is one of its phone numbers. */
export const ProviderReport = z.object({
  plugin: z.int(),
  statuses: z.array(z.custom<StatusUpdate>(isObject)),
  templates: z.array(z.custom<TemplateStatusUpdate>(isObject)),
  // Not in what an earlier version has put into the queue.
  messages: z.array(z.custom<ReceivedMessage>(isObject)).default([]),
})
export type ProviderReport = z.output<typeof ProviderReport>

/** Writes down what reports of any plugins said, in one transaction. Resolves to the teams that are to be signalled. */
export const writeReports = (db: Db, reports: readonly ProviderReport[]): Promise<readonly FeedTeam[]> =>
  // The row number of a new message may be taken.
  retryOnConflict(
    error => isUniqueViolation(error, 'message.rid'),
    async () => {
      const statements = reportStatements(reports, Date.now()) as Statement<never>[]
      if (statements.length === 0) return []
      const teams = selectFeedTeams(reports.map(({ plugin }) => toTeamNo(plugin)))
      const effect: readonly Statement<FeedTeam>[] = [...statements, teams]
      const results = await write({ db, idempotency: null }, { effect, outcome: null })
      return results.at(-1)?.rows ?? []
    },
  )

/** Set-based: their number grows with the plugins that something is the matter with, not with statuses or reports. */
const reportStatements = (reports: readonly ProviderReport[], now: number): Statement[] => [
  ...advanceStatusByReports(byMessage(reports), now),
  ...buildConsequences(
    reports.flatMap(({ plugin, statuses }) =>
      statuses.flatMap(({ sender, event: { error, timestamp, at } }) =>
        error ? [{ plugin: { no: plugin }, sender, template: null, error, at: (timestamp ?? at) + SECOND_END_MS }] : [],
      ),
    ),
  ),
  ...rememberOptOuts(
    reports.flatMap(({ plugin, statuses }) =>
      statuses.flatMap(({ ourId: id, externalId, event: { error, timestamp, at } }) =>
        isOptOut(error) ? [{ id, externalId, plugin, at: (timestamp ?? at) + SECOND_END_MS }] : [],
      ),
    ),
  ),
  ...[...Map.groupBy(reports, ({ plugin }) => plugin)].flatMap(([no, some]) => {
    const templates = some.flatMap(each => each.templates).sort((one, other) => one.at - other.at)
    return templates.length > 0 ? saveTemplateStatuses({ no }, templates) : []
  }),
  // Behind the statuses: an answer comes after what it answers.
  ...receivedStatements(onceEach(reports), now),
]

/** A provider's report may come twice in one batch. */
function onceEach(reports: readonly ProviderReport[]): MessageOfPlugin[] {
  const messages = reports.flatMap(({ plugin, messages }) =>
    messages.map(each => ({ ...each, plugin, team: toTeamNo(plugin) })),
  )
  return [...new Map(messages.map(each => [each.key, each])).values()]
}

/** One update for each message of each plugin: a statement changes a row once. */
function byMessage(reports: readonly ProviderReport[]): ReportedStatus[] {
  const statuses = reports.flatMap(({ plugin, statuses }) => statuses.map(status => ({ ...status, plugin })))
  const grouped = Map.groupBy(statuses, ({ plugin, ourId, externalId }) => `${plugin} ${ourId ?? externalId}`)
  return [...grouped.values()].flatMap(each => {
    const [first] = each
    if (!first) return []
    const { plugin, ourId: id, externalId } = first
    return [{ plugin, id, externalId, events: each.map(({ event }) => event) }]
  })
}
