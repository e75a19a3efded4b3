import { appendFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { countSendingJobs, RESTORE } from '../../src/background-job/maintenance/restored.ts'
import { selectState } from '../../src/db/maintenance-state.ts'
import { forgetReplayed, type ReplayProgress, readProgress, selectReplayed } from '../../src/maintenance/replayed.ts'
import { DAY_MS, SECOND_MS } from '../../src/time-units.ts'
import { must, SetupError } from './command.ts'
import { confirm } from './confirm.ts'
import { type Installation, UsageError } from './options.ts'
import { forEachQueue, resume, setPause } from './pause.ts'
import { getBookmarksFile } from './record.ts'
import { takeBookmark } from './resources.ts'
import { keepWithdrawn, readKeptWithdrawn, readWithdrawn, type WithdrawnRows, withdrawAgain } from './revocations.ts'
import { readRows, writeRows } from './rows.ts'

interface RestoreOptions {
  to?: string | undefined
  bookmark?: string | undefined
  isAgreed: boolean
  /** The database does not answer: nothing is read of it before. */
  isUnread: boolean
}

/** Time Travel goes back thirty days. */
const DAYS_MAX = 30
/** Within it, open requests and the jobs that are run have ended. The checks of this command don't wait. */
const SETTLE_SECONDS = Number(process.env.RESTORE_SETTLE_SECONDS ?? 60)
/** The cron runs each minute: after so long without a sign of it, it doesn't. */
const CRON_MS_MAX = 10 * 60_000
const ASK_SECONDS = Math.min(5, SETTLE_SECONDS)

/**
 * Takes the database back, in an order in which nothing is sent twice and nothing comes back that was taken away or erased:
 * nobody reads it before. Each step can be repeated: a command that broke off is run again with the same time.
 */
export async function restore(installation: Installation, options: RestoreOptions): Promise<void> {
  const { run, config, name } = installation
  const moment = options.to === undefined ? undefined : readMoment(options.to)
  if ((moment === undefined) === (options.bookmark === undefined))
    throw new UsageError('restore needs --to or --bookmark')
  const target = moment === undefined ? `--bookmark=${options.bookmark}` : `--timestamp=${moment.toISOString()}`
  const where = moment?.toISOString() ?? `the bookmark ${options.bookmark}`
  const what = `The database of ${name} goes back to ${where}. What all teams have written since is undone.`
  await confirm(installation, what, options.isAgreed)

  const again = `npm run admin -- restore --installation ${name} ${moment === undefined ? `--bookmark ${options.bookmark}` : `--to ${moment.toISOString()}`}`
  const closed = `${name} stays closed, and nobody reads or writes anything. Run the same command again, with the same time:\n  ${again}`
  // An earlier run has read what was taken away, and may have restored: to end the pause would bring it back.
  let left =
    readKeptWithdrawn(name).length > 0
      ? closed
      : `Nothing was restored, and ${name} may be paused. Run the same command again, or end the pause:\n  npm run admin -- resume --installation ${name}`
  try {
    setPause(installation, 'true')
    forEachQueue(installation, 'pause-delivery')
    console.log(`waiting ${SETTLE_SECONDS} s until what had begun has ended`)
    await setTimeout(SETTLE_SECONDS * SECOND_MS)
    const before = takeBookmark(run, config)
    appendFileSync(getBookmarksFile(name), `${new Date().toISOString()} ${before} before a restore\n`)
    console.log(`bookmark  ${before}, kept in ${getBookmarksFile(name)}. It takes this restore back:
          npm run admin -- restore --installation ${name} --bookmark ${before}`)
    if (moment && !options.isUnread) keepWithdrawn(installation, readWithdrawnSince(installation, moment))
    setPause(installation, 'closed')
    must(run, ['d1', 'time-travel', 'restore', 'DB', '--json', target, '--config', config])
    left = closed
    console.log(`restored  to ${moment?.toISOString() ?? options.bookmark}`)
    // The code that runs may be newer than the schema of that time.
    must(run, ['d1', 'migrations', 'apply', 'DB', '--remote', '--config', config])
    console.log('migrated')
    if (moment)
      for (const withdrawn of readKeptWithdrawn(name)) withdrawAgain(installation, withdrawn, moment.getTime())
    await settle(installation)
    // Running the restore again would undo what is written from now on.
    left = `The database is restored. What is left is to end the pause:\n  npm run admin -- resume --installation ${name}`
    resume(installation)
  } catch (error) {
    if (!(error instanceof SetupError) || error.message.includes(' stays ')) throw error
    throw new SetupError(`${error.message}\n\n${left}`)
  }
  console.log(`What is left to do is in the guide "Running it", under "After a restore"`)
}

function readMoment(text: string): Date {
  const moment = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(text) ? text : Number.NaN)
  if (Number.isNaN(moment.getTime()))
    throw new UsageError(`--to must be a time with its zone, such as 2026-11-26T03:00:00Z, and not "${text}"`)
  const age = Date.now() - moment.getTime()
  if (age < 0) throw new UsageError(`--to lies ahead: ${text}`)
  if (age > DAYS_MAX * DAY_MS) throw new UsageError(`--to is more than ${DAYS_MAX} days ago: Cloudflare keeps no more`)
  return moment
}

function readWithdrawnSince(installation: Installation, moment: Date): WithdrawnRows {
  try {
    return readWithdrawn(installation, moment.getTime())
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    throw new SetupError(
      `${error.message}\n\nWhat was taken away since ${moment.toISOString()} could not be read, and ${installation.name} stays paused; nothing is restored. Run the same command again. If the database does not answer any more, add --unread: then keys that were revoked since, sessions, passkeys, users, secrets, opt-outs, teams that were erased, and suspensions and limits of teams are as they were at that time, and are to be changed again by hand`,
    )
  }
}

/**
 * The cron of the paused Worker cancels what may have been sent in the time that is lost, and erases again what was erased;
 * only then may anything go on.
 */
async function settle(installation: Installation): Promise<void> {
  writeRows(installation, [forgetReplayed()])
  const earlier = readSettled(installation)
  setPause(installation, 'restored')
  console.log('waiting   for the cron, which cancels the jobs that may have sent, and erases again who was erased')
  let seen = earlier.restoredAt
  let said = ''
  for (let until = Date.now() + CRON_MS_MAX; Date.now() < until; ) {
    await setTimeout(ASK_SECONDS * SECOND_MS)
    const { restoredAt, jobs, replay } = readSettled(installation)
    const text = describeProgress(replay)
    if (text !== said && text !== '') console.log(text)
    said = text
    if (restoredAt !== earlier.restoredAt && jobs === 0 && replay.isDone) return
    if (replay.failedRuns >= FAILED_RUNS_MAX) throw refuseUnerased(installation, replay)
    // With many to erase it takes more than one run.
    if (restoredAt !== seen) until = Date.now() + CRON_MS_MAX
    seen = restoredAt
  }
  throw new SetupError(
    `the cron of ${installation.name} has not run in ${CRON_MS_MAX / SECOND_MS} s, so it stays closed, and nothing is read or sent. See its logs; then run the same command again`,
  )
}

/** What fails so often, once all else is erased, is nothing that passes. */
const FAILED_RUNS_MAX = 3

function describeProgress({ erasedAgain, left, failed }: ReplayProgress): string {
  if (erasedAgain + left + failed.length === 0) return ''
  const others = [
    ...(left > 0 ? [`${left} customers are not through yet`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed, and are tried again`] : []),
  ]
  return `erased    again: ${[erasedAgain, ...others].join(', ')}`
}

function refuseUnerased({ name }: Installation, { failed }: ReplayProgress): SetupError {
  const named = failed.map(
    ({ team, what, id, cause }) => `  ${what} ${id}${team === null ? '' : ` of team ${team}`}: ${cause}`,
  )
  return new SetupError(
    `${failed.length} erasures could not be made again; all others are. ${name} stays closed, so that nobody reads what is to go:\n${named.join('\n')}\nOnce the causes are gone, run the same command again. To open ${name} without them, and have their teams erase them again by the API:  npm run admin -- resume --installation ${name}`,
  )
}

interface RestoreResult {
  restoredAt: string | undefined
  jobs: number
  replay: ReturnType<typeof readProgress>
}

function readSettled(installation: Installation): RestoreResult {
  const [restored, jobs, replayed] = readRows(installation, [
    selectState(RESTORE),
    countSendingJobs(Date.now()),
    selectReplayed(),
  ]) as [{ value: string }[], { count: number }[], { value: string }[]]
  return { restoredAt: restored[0]?.value, jobs: jobs[0]?.count ?? 0, replay: readProgress(replayed[0]?.value) }
}
