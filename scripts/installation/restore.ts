import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { countSendingJobs, RESTORE } from '../../src/background-job/maintenance/restored.ts'
import { selectState } from '../../src/db/maintenance-state.ts'
import { forgetReplayed, type ReplayProgress, readProgress, selectReplayed } from '../../src/maintenance/replayed.ts'
import { DAY_MS, SECOND_MS } from '../../src/time-units.ts'
import { must, SetupError } from './command.ts'
import { confirm } from './confirm.ts'
import { endParts } from './gradual.ts'
import { heedInterruption, unlessInterrupted } from './interruption.ts'
import { type Installation, UsageError } from './options.ts'
import { endPause, forEachQueue, setPause, withNext } from './pause.ts'
import { decide, readPauseState } from './pause-rules.ts'
import { getBookmarksFile, getRestoreFile } from './record.ts'
import { takeBookmark } from './resources.ts'
import {
  addEarlier,
  DAYS_MAX,
  forgetRestore,
  isAtWork,
  keepRestoreRecord,
  newRestoreRecord,
  type RestoreRecord,
  readRestoreRecord,
  releaseAtExit,
} from './restore-record.ts'
import { endSignInLinks, readWithdrawn, restartFailing, type WithdrawnRows, withdrawAgain } from './revocations.ts'
import { readRows, writeRows } from './rows.ts'
import { readTeamIds } from './team-decisions.ts'
import { type Running, readRunning } from './versions.ts'

interface RestoreOptions {
  to?: string | undefined
  bookmark?: string | undefined
  isAgreed: boolean
  /** The database does not answer: nothing is read of it before. */
  isUnread: boolean
  /** Goes on although another machine has begun a restore, and knows what that one has read. */
  takesOver: boolean
}

/** Within it, open requests and the jobs that are run have ended. The checks of this command don't wait. */
const SETTLE_SECONDS = Number(process.env.RESTORE_SETTLE_SECONDS ?? 60)
/** The cron runs each minute: after so long without a sign of it, it doesn't. The checks of this command don't wait as long. */
const CRON_MS_MAX = Number(process.env.RESTORE_CRON_SECONDS ?? 600) * SECOND_MS
const ASK_SECONDS = Math.min(5, SETTLE_SECONDS)
/** So many lines of bookmarks are shown where one is mistyped. */
const BOOKMARKS_SHOWN = 10

/**
 * Takes the database back, in an order in which nothing is sent twice and nothing comes back that was taken away or erased:
 * nobody reads it before. Each step can be repeated: a command that broke off is run again with the same time.
 */
export async function restore(installation: Installation, options: RestoreOptions): Promise<void> {
  const { run, config, name } = installation
  const moment = options.to === undefined ? undefined : readMoment(options.to)
  if (moment === undefined && options.bookmark === undefined) throw new UsageError('restore needs --to or --bookmark')
  if (moment !== undefined && options.bookmark !== undefined)
    throw new UsageError('restore takes one of --to and --bookmark')
  if (options.bookmark !== undefined && options.isUnread)
    throw new UsageError('--unread is for --to: with --bookmark nothing is read before')
  if (options.bookmark !== undefined) checkBookmark(installation, options.bookmark)
  const target = moment === undefined ? `--bookmark=${options.bookmark}` : `--timestamp=${moment.toISOString()}`
  const where = moment?.toISOString() ?? `the bookmark ${options.bookmark}`
  const what = `The database of ${name} goes back to ${where}. What all teams have written since is undone, and teams that were made since are lost. Meanwhile, for some minutes, nobody reads or writes. A pause ends with it.`
  await confirm(installation, what, options.isAgreed)

  const again = `npm run admin -- restore --installation ${name} ${moment === undefined ? `--bookmark ${options.bookmark}` : `--to ${moment.toISOString()}`}${options.isUnread ? ' --unread' : ''}${options.takesOver ? ' --take-over' : ''}`
  const resumes = `npm run admin -- resume --installation ${name}`
  const closed = `${name} stays closed, and nobody reads or writes anything. Whether the database has gone back already makes no difference: run the same command again, with the same time:\n  ${again}`
  readRecordAtRest(installation)
  const nothing = `Nothing was changed. Run the same command again:\n  ${again}`
  if (moment)
    withNext(
      `If Cloudflare does not have that moment, as the database is younger or has been made anew, name a later one by --to. ${nothing}`,
      () => takeBookmark(run, config, moment),
    )
  let left = nothing
  try {
    await heedInterruption(async interruption => {
      const { running: before, record, isGoingOn } = begin(installation, options, target)
      if (record.step === 'restored') {
        console.log(`restored  to ${where} by a command that broke off: what has been written since stays`)
        await end(before)
        console.log('To go back once more, run the same command again')
        return
      }
      // Nobody reads a database that has gone back: so it is closed at once, and not paused first.
      if (isGoingOn) left = closed
      else
        left = `Nothing was restored, and ${name} may be paused. Run the same command again, or end the pause:\n  ${again}\n  ${resumes}`
      setPause(installation, before, isGoingOn ? 'closed' : 'true')
      let running = readRunning(installation)
      await forEachQueue(installation, 'pause-delivery')
      console.log(`waiting ${SETTLE_SECONDS} s until what had begun has ended`)
      await unlessInterrupted(interruption, () => setTimeout(SETTLE_SECONDS * SECOND_MS))
      record.undo ??= keepBookmark(installation, isGoingOn)
      console.log(`bookmark  ${record.undo}, kept in ${getBookmarksFile(name)}. It takes this restore back:
          npm run admin -- restore --installation ${name} --bookmark ${record.undo}`)
      if (moment && !options.isUnread) record.withdrawn.unshift(readWithdrawnSince(installation, moment, isGoingOn))
      refuseIfChanged(installation, running)
      keepRestoreRecord(installation, record)
      left = `${closed}\nIf Cloudflare refuses that moment each time, the database has not gone back to it: name another one by --to, or open ${name} as it is:\n  ${resumes} --abandon-restore`
      if (!readPauseState(running.secrets).restores.includes(record.run)) {
        setPause(installation, running, 'closed', record.run)
        running = readRunning(installation)
      }
      refuseOfAnother(running, record, options)
      must(run, ['d1', 'time-travel', 'restore', 'DB', '--json', target, '--config', config])
      console.log(`restored  to ${moment?.toISOString() ?? options.bookmark}`)
      left = closed
      // The code that runs may be newer than the schema of that time.
      must(run, ['d1', 'migrations', 'apply', 'DB', '--remote', '--config', config])
      console.log('migrated')
      record.teams = readTeamIds(installation)
      if (moment) for (const withdrawn of record.withdrawn) withdrawAgain(installation, withdrawn, moment.getTime())
      writeRows(installation, [endSignInLinks(), restartFailing()])
      await settle(installation, running, interruption)
      running = readRunning(installation)
      refuseOfAnother(running, record, options)
      keepRestoreRecord(installation, { ...record, step: 'restored' })
      await end(running)
    })
  } catch (error) {
    if (!(error instanceof SetupError) || error instanceof RefusedRestore) throw error
    throw new SetupError(`${error.message}\n\n${left}`)
  }
  console.log(`What is left to do is in the guide "Running it", under "After a restore"`)
  if (moment && !options.isUnread)
    console.log(
      'If it was the wrong time, restore to the right one, on this machine: what was decided before this restore is carried over then, too',
    )

  /** From here on the same command goes back no more. */
  async function end(running: Running): Promise<void> {
    left = `The database is restored. What is left is to end the pause:\n  ${resumes} --abandon-restore`
    endPause(installation, running)
    left = `The database is restored. What is left is to end the pause:\n  ${resumes}`
    await forEachQueue(installation, 'resume-delivery')
    forgetRestore(installation)
    console.log(`${name} goes on`)
  }
}

/** An error that says itself what to do next. */
class RefusedRestore extends SetupError {}

interface BegunRestore {
  running: Running
  record: RestoreRecord
  /** An earlier run has closed the installation, and may have restored. */
  isGoingOn: boolean
}

/** What this machine has kept of a restore that no process works on. */
function readRecordAtRest(installation: Installation): RestoreRecord | undefined {
  const kept = readRestoreRecord(installation)
  if (!kept || !isAtWork(kept)) return kept
  throw new RefusedRestore(
    `a restore of ${installation.name} is running on this machine (process ${kept.pid}): nothing was changed. Wait for its end. If process ${kept.pid} is no restore, set the pid in ${getRestoreFile(installation.name)} to 0`,
  )
}

/** What this machine has kept of a restore counts as long as the account tells of that restore. */
function begin(installation: Installation, options: RestoreOptions, target: string): BegunRestore {
  const kept = readRecordAtRest(installation)
  const running = readRunning(installation, endParts(installation))
  const { restores } = readPauseState(running.secrets)
  const isDone = kept?.step === 'restored' && kept.target === target
  const isOwn = kept !== undefined && (isDone || restores.includes(kept.run))
  const { step: _, ...known } = { ...newRestoreRecord(target), ...(isOwn ? kept : {}), pid: process.pid, target }
  const record: RestoreRecord = isDone ? { ...known, step: 'restored' } : known
  refuseOfAnother(running, record, options)
  keepRestoreRecord(installation, record)
  releaseAtExit(installation)
  return { running, record, isGoingOn: restores.length > 0 }
}

function refuseOfAnother({ secrets }: Running, { run }: RestoreRecord, { takesOver }: RestoreOptions): void {
  if (decide(readPauseState(secrets), { verb: 'restore', own: run, takesOver }) === 'allowed') return
  throw new RefusedRestore(
    'another restore was begun and has not ended, on another machine or in another checkout: what that one has read, and is to take away again, is there alone. This one goes no further. Wait for its end, or run it again there. If its files are lost, add --take-over: then what was taken away before it is not carried over',
  )
}

/** Whoever ended the pause or deployed meanwhile is told nothing of a restore: so it does not close what goes on. */
function refuseIfChanged(installation: Installation, { id }: Running): void {
  if (readRunning(installation).id !== id)
    throw new SetupError(`somebody has paused, resumed or deployed ${installation.name} meanwhile`)
}

/** A bookmark that is mistyped would be refused by Cloudflare, but with the installation closed by then. */
function checkBookmark({ name }: Installation, bookmark: string): void {
  const file = getBookmarksFile(name)
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  const known = lines.map(line => line.split(' ')).find(words => words[1] === bookmark)
  if (known && Date.parse(known[0] ?? '') < Date.now() - DAYS_MAX * DAY_MS)
    throw new UsageError(
      `the bookmark ${bookmark} is of more than ${DAYS_MAX} days ago: Cloudflare does not go back further. Nothing was changed`,
    )
  if (known) return
  const shown = lines.slice(-BOOKMARKS_SHOWN).map(line => `\n  ${line}`)
  throw new UsageError(
    `${file} has no bookmark ${bookmark}. Nothing was changed. ${shown.length === 0 ? 'It has none.' : `Its last ones are:${shown.join('')}`}\nOne that another machine has kept, or the dashboard has shown, is added as a line: <time> <bookmark>`,
  )
}

function keepBookmark({ run, config, name }: Installation, isGoingOn: boolean): string {
  const bookmark = takeBookmark(run, config)
  const what = isGoingOn ? 'while another restore had not ended: it does not take that one back' : 'before a restore'
  appendFileSync(getBookmarksFile(name), `${new Date().toISOString()} ${bookmark} ${what}\n`)
  return bookmark
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

function readWithdrawnSince(installation: Installation, moment: Date, isClosed: boolean): WithdrawnRows {
  try {
    return addEarlier(installation, readWithdrawn(installation, moment.getTime()), moment.getTime())
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    throw new SetupError(
      `${error.message}\n\nWhat was taken away since ${moment.toISOString()} could not be read, and ${installation.name} ${isClosed ? 'stays closed; what an earlier run has read is kept' : 'is paused; nothing is restored'}. If the database does not answer any more, add --unread: then keys that were revoked since, sessions, passkeys, users, secrets, opt-outs, webhooks, plugins and jobs that were taken out of use, teams that were erased, and suspensions and limits of teams are as they were at that time, and are to be changed again by hand`,
    )
  }
}

/**
 * The cron of the paused Worker cancels what may have been sent in the time that is lost, and erases again what was erased;
 * only then may anything go on.
 */
async function settle(installation: Installation, running: Running, interruption: AbortSignal): Promise<void> {
  writeRows(installation, [forgetReplayed()])
  const earlier = readSettled(installation)
  setPause(installation, running, 'restored')
  console.log('waiting   for the cron, which cancels the jobs that may have sent, and erases again who was erased')
  let [hasRun, seen, said] = [false, '', '']
  for (let until = Date.now() + CRON_MS_MAX; Date.now() < until; ) {
    await unlessInterrupted(interruption, () => setTimeout(ASK_SECONDS * SECOND_MS))
    const { restoredAt, jobs, replay } = readSettled(installation)
    const text = describeProgress(replay)
    if (text !== said && text !== '') console.log(text)
    said = text
    hasRun ||= restoredAt !== earlier.restoredAt
    if (hasRun && jobs === 0 && replay.isDone) return
    if (replay.failedRuns >= FAILED_RUNS_MAX) throw refuseUnerased(installation, replay)
    // With many to erase it takes more than one run.
    const sign = JSON.stringify([jobs, replay])
    if (sign !== seen) until = Date.now() + CRON_MS_MAX
    seen = sign
  }
  const seconds = CRON_MS_MAX / SECOND_MS
  throw new SetupError(
    hasRun
      ? `the cron of ${installation.name} runs, and has come to no erasure in ${seconds} s: see in its logs what fails, such as the bucket "archive", which has their notes`
      : `the cron of ${installation.name} has not run in ${seconds} s. See its logs`,
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
  return new RefusedRestore(
    `${failed.length} erasures could not be made again; all others are. ${name} stays closed, so that nobody reads what is to go:\n${named.join('\n')}\nOnce the causes are gone, run the same command again. To open ${name} without them, and have their teams erase them again by the API:  npm run admin -- resume --installation ${name} --abandon-restore`,
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
