import { BULK_SHARE_MAX, getUsedShare } from '../background-job/accept/storage-limit.ts'
import { readJobSettings } from '../background-job/settings.ts'
import { MAINTENANCE_TASKS, type MaintenanceContext } from '../maintenance/tasks.ts'
import { getCipher } from '../plugin/secret/cipher.ts'
import { MINUTE_MS } from '../time-units.ts'
import { PRICES } from '../usage/prices.ts'
import { selectLagOfAll } from '../webhook/lag.ts'
import type { Check } from './schema.ts'
import { findAppliedMigration, listKeyIds, NEWEST_MIGRATION } from './store.ts'

/** After this time, a silent job is a fault: the cron wakes one within a minute or two. */
const SILENT_MS_MAX = 10 * MINUTE_MS
/** After this time, a maintenance task that is behind does not keep up, or fails. */
const BEHIND_MS_MAX = 2 * 60 * MINUTE_MS
/** The key of an object of R2 that nobody writes. */
const NO_OBJECT = 'health'

type BindingNames<Kind> = { [Name in keyof Env as Env[Name] extends Kind ? Name : never]: true }
// A queue or a bucket that is missing here does not compile.
const QUEUES: BindingNames<Queue> = {
  JOBS: true,
  JOBS_SMALL: true,
  SENDS: true,
  PROVIDER_REPORTS: true,
  MAINTENANCE: true,
}
const BUCKETS: BindingNames<R2Bucket> = { MEDIA: true, ARCHIVE: true }
const listNames = <Name extends string>(bound: Record<Name, true>) => Object.keys(bound) as Name[]

/** The parts that can fail separately. Each check throws, or returns why it fails, or what it has found. */
export const CHECKS: Readonly<Record<string, (context: MaintenanceContext) => Promise<Check>>> = {
  async schema({ db }) {
    const found = await findAppliedMigration(db(), NEWEST_MIGRATION)
    const figures = { newest: NEWEST_MIGRATION }
    return found
      ? { status: 'ok', figures }
      : { status: 'failing', reason: `the migration ${NEWEST_MIGRATION} was not applied`, figures }
  },

  async secrets({ env, db }) {
    const known = await getCipher(env).keyIds()
    const lost = (await listKeyIds(db())).filter(id => !known.includes(id))
    if (lost.length === 0) return { status: 'ok' }
    return { status: 'failing', reason: `secrets were encrypted with keys that are not set: ${lost.join(', ')}` }
  },

  // The message names no task, so its consumer drops it.
  async queues({ env, now }) {
    const message = { task: 'none', now, until: now }
    return tryEach(listNames(QUEUES), name => env[name].send(message))
  },

  buckets: ({ env }) => tryEach(listNames(BUCKETS), name => env[name].head(NO_OBJECT)),

  async size({ env, db }) {
    const connection = db()
    await findAppliedMigration(connection, NEWEST_MIGRATION)
    const share = getUsedShare(connection, readJobSettings(env))
    const { bytes } = connection.size
    const dollarsPerMonth = Number((bytes * PRICES.databaseByteMonth).toFixed(5))
    const figures = { bytes, share: Number(share.toFixed(4)), dollarsPerMonth }
    if (share < BULK_SHARE_MAX) return { status: 'ok', figures }
    return { status: 'failing', reason: `${Math.floor(share * 100)} % of the database are used`, figures }
  },

  async jobs(context) {
    const { left, dueSince } = (await MAINTENANCE_TASKS['wake jobs']?.(context).backlog?.()) ?? {
      left: 0,
      dueSince: null,
    }
    const silentMs = dueSince === null ? 0 : context.now - dueSince
    const figures = { silent: left, oldestSilentMs: silentMs }
    if (silentMs < SILENT_MS_MAX) return { status: 'ok', figures }
    return {
      status: 'failing',
      reason: `a job has been silent for ${formatMinutes(silentMs)}: does the cron run?`,
      figures,
    }
  },

  async webhooks({ db, now }) {
    const [[lag]] = await db().read(selectLagOfAll(now))
    const { enabled = 0, behind = 0, oldestWaitingSince = null, stalled = 0 } = lag ?? {}
    const figures = { enabled, behind, oldestWaitingMs: oldestWaitingSince && now - oldestWaitingSince, stalled }
    if (stalled === 0) return { status: 'ok', figures }
    return {
      status: 'failing',
      reason: `nothing is sent to ${stalled} of ${enabled} webhooks, although something is due: does the cron run, and is SECRETS_KEY the key of their secrets?`,
      figures,
    }
  },

  async maintenance(context) {
    const examined = await Promise.all(
      Object.entries(MAINTENANCE_TASKS).map(async ([name, task]) => {
        const backlog = await task(context).backlog?.()
        return backlog ? [{ name, ...backlog }] : []
      }),
    )
    const backlogs = examined.flat()
    const figures = Object.fromEntries(backlogs.map(({ name, left }) => [name, left]))
    const behind = backlogs.filter(({ dueSince }) => dueSince !== null && context.now - dueSince > BEHIND_MS_MAX)
    if (behind.length === 0) return { status: 'ok', figures }
    const overdue = behind.map(({ name, dueSince }) => `${name} (${formatMinutes(context.now - (dueSince ?? 0))})`)
    return { status: 'failing', reason: `behind: ${overdue.join(', ')}`, figures }
  },
}

const formatMinutes = (ms: number): string => `${Math.floor(ms / MINUTE_MS)} minutes`

/** Tries some bindings, and names those that fail. */
async function tryEach<Name extends string>(
  names: readonly Name[],
  use: (name: Name) => Promise<unknown>,
): Promise<Check> {
  const tried = await Promise.allSettled(names.map(async name => use(name)))
  const failed = tried.flatMap((result, nth) =>
    result.status === 'rejected'
      ? [`${names[nth]}: ${result.reason instanceof Error ? result.reason.message : ''}`]
      : [],
  )
  return failed.length === 0 ? { status: 'ok' } : { status: 'failing', reason: failed.join('; ') }
}
