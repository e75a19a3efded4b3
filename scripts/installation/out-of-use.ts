import { sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { cancelledCounts, FOUND_IN_PART } from '../../src/background-job/cancelled-counts.ts'
import { backgroundJob as job } from '../../src/background-job/table.ts'
import { type RowOf, type Statement, select } from '../../src/db/statement.ts'
import { plugin } from '../../src/plugin/table.ts'
import { team } from '../../src/team/table.ts'
import { webhook } from '../../src/webhook/table.ts'
import type { Installation } from './options.ts'
import { readRows, updateRows, writeRows } from './rows.ts'

// What teams have taken out of use since the moment that a database goes back to: webhooks that were removed, disabled or led
// elsewhere, plugins that were removed, jobs that were cancelled. A restore of one team decides the same (`carry-over.ts`).

const teamOf = (column: SQLiteColumn) => sql<string>`(SELECT ${team.shortId} FROM ${team} WHERE ${team.no} = ${column})`

const WEBHOOK = {
  id: webhook.id,
  team: teamOf(webhook.team),
  url: webhook.url,
  types: sql<string | null>`${webhook.types}`,
  procedures: sql<string | null>`${webhook.procedures}`,
  enabled: sql<number>`${webhook.enabled}`,
  disabledAt: webhook.disabledAt,
  disabledReason: webhook.disabledReason,
}
type UsedWebhook = RowOf<typeof WEBHOOK>
const PLUGIN = { id: plugin.id, team: teamOf(plugin.team), name: plugin.name }
const REMOVED_PLUGIN = {
  id: plugin.id,
  deletedAt: plugin.deletedAt,
  accessToken: plugin.accessToken,
  appSecret: plugin.appSecret,
  verifyToken: plugin.verifyToken,
}
const JOB = { no: job.no, id: job.id, team: teamOf(job.team) }
const CANCELLED_JOB = { id: job.id, queue: job.queue, startedAt: job.startedAt, completedAt: job.completedAt }

/** Nothing may be left of a removed webhook: those that come back and are not among these. */
const selectWebhooks = select(WEBHOOK, sql`FROM ${webhook} WHERE ${webhook.deletedAt} IS NULL`)

export const selectOutOfUse = (since: number) => ({
  webhooksInUse: selectWebhooks,
  removedPlugins: select(REMOVED_PLUGIN, sql`FROM ${plugin} WHERE ${plugin.deletedAt} > ${since}`),
  cancelledJobs: select(
    CANCELLED_JOB,
    sql`FROM ${job} WHERE ${job.completionStatus} = 'CANCELLED' AND ${job.completedAt} > ${since}`,
  ),
})

interface OutOfUse {
  webhooksInUse: readonly UsedWebhook[]
  removedPlugins: readonly RowOf<typeof REMOVED_PLUGIN>[]
  cancelledJobs: readonly RowOf<typeof CANCELLED_JOB>[]
}

/** So many decisions are told. */
const DECISIONS_SHOWN = 50

/** Takes it out of use again, and says what does not come back as it was. */
export function takeOutOfUseAgain(installation: Installation, outOfUse: OutOfUse): void {
  const [webhooks, plugins, jobs] = readRows(installation, [
    selectWebhooks,
    select(PLUGIN, sql`FROM ${plugin} WHERE ${plugin.deletedAt} IS NULL`),
    select(JOB, sql`FROM ${job} WHERE ${job.completedAt} = 0 AND ${job.outstanding} = 0`),
  ]) as [UsedWebhook[], RowOf<typeof PLUGIN>[], RowOf<typeof JOB>[]]
  const decisions: string[] = []
  const tell = (decision: string) => void decisions.push(decision)
  writeRows(installation, [
    ...decideWebhooks(webhooks, outOfUse.webhooksInUse, tell),
    ...decidePlugins(plugins, outOfUse.removedPlugins, tell),
    ...decideJobs(jobs, outOfUse.cancelledJobs, tell),
  ])
  if (decisions.length === 0) return
  const left = decisions.length - DECISIONS_SHOWN
  const lines = [...decisions.slice(0, DECISIONS_SHOWN), ...(left > 0 ? [`and ${left} more`] : [])]
  console.log(`As decided since:\n${lines.map(line => `  ${line}`).join('\n')}`)
}

type Tell = (decision: string) => void

/** A webhook sends only what it did at that time and did last, and only there: one that was removed is back disabled. */
function decideWebhooks(restored: readonly UsedWebhook[], inUse: OutOfUse['webhooksInUse'], tell: Tell): Statement[] {
  const last = new Map(inUse.map(each => [each.id, each]))
  return restored.flatMap(row => {
    const now = last.get(row.id)
    const named = `the webhook ${row.id} to ${row.url} of ${row.team}`
    const which = sql`${webhook.id} = ${row.id}`
    if (!now) {
      if (row.enabled === 0) return []
      tell(`${named} was removed, and is back disabled`)
      return [updateRows(webhook, { enabled: 0 }, which)]
    }
    const isDisabled = row.enabled === 1 && now.enabled === 0
    const isElsewhere = row.url !== now.url || row.types !== now.types || row.procedures !== now.procedures
    if (isDisabled) tell(`${named} stays disabled`)
    if (isElsewhere) tell(`${named} keeps the address, the types and the procedures of now: it leads to ${now.url}`)
    if (!isDisabled && !isElsewhere) return []
    const { url, types, procedures, enabled, disabledAt, disabledReason } = now
    const state = isDisabled ? { enabled, disabledAt, disabledReason } : {}
    return [updateRows(webhook, { url, types, procedures, ...state }, which)]
  })
}

/** One that was removed has no secrets. */
function decidePlugins(
  restored: readonly RowOf<typeof PLUGIN>[],
  removed: OutOfUse['removedPlugins'],
  tell: Tell,
): Statement[] {
  const last = new Map(removed.map(each => [each.id, each]))
  return restored.flatMap(({ id, name, team }) => {
    const now = last.get(id)
    if (!now) return []
    tell(`the plugin ${JSON.stringify(name)} (${id}) of ${team} stays removed`)
    const { id: _, ...values } = now
    return [updateRows(plugin, values, sql`${plugin.id} = ${id}`)]
  })
}

/** One that sends, and has begun, is cancelled by the cron instead: whom it wrote to since is not known any more. */
function decideJobs(
  restored: readonly RowOf<typeof JOB>[],
  cancelled: OutOfUse['cancelledJobs'],
  tell: Tell,
): Statement[] {
  const last = new Map(cancelled.map(each => [each.id, each]))
  return restored.flatMap(({ no, id, team }) => {
    const now = last.get(id)
    if (!now || (now.queue === 'sends' && now.startedAt !== 0)) return []
    tell(`the job ${id} of ${team} stays cancelled`)
    const values = {
      completionStatus: 'CANCELLED',
      ...cancelledCounts(now.completedAt),
      cancelledBecause: sql`iif(${job.collectedTo} IS NULL, ${job.cancelledBecause}, ${FOUND_IN_PART})`,
    }
    return [updateRows(job, values, sql`${job.no} = ${no}`)]
  })
}
