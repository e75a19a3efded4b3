import { getStepEntries } from '../../background-job/run/step-size.ts'
import { yieldToOthers } from '../../background-job/run/yield.ts'
import { type ContentionEnv, getContention } from '../../db/contention/database-contention.ts'
import { type Cost, createCost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { type DuePosition, moveNotified, moveScanned, notifyPage, selectSuspension, selectTimes } from './store.ts'

/** A page of the index is one transaction: a hundred entries take some milliseconds of the database. */
const PAGE_ENTRIES_MIN = 100
const PAGE_ENTRIES_MAX = 500
/** D1 lets an invocation run 1,000 statements. */
const STATEMENTS_MAX = 700
const ASK_MS_MAX = 1_000

/** A scan that is under way, with the pages that it has not come to yet. */
export interface DueScan {
  team: number
  upTo: number
  isSettled: boolean
  left: { proc: number; after: DuePosition }[]
  /** The first time after `upTo`; null: there is none. */
  next: number | null
  /** It has passed so many entries of the index. */
  entries: number
  /** Nothing was done, because the team is suspended. */
  isSuspended: boolean
}

type ScanEnv = Pick<Env, 'DB'> & ContentionEnv

interface ScanContext {
  env: ScanEnv
  /** Is called after each page whose events were inserted. */
  onNotified: () => void
}

/** Notifies of all that has come until now, or goes on with an unfinished scan. What is `left` needs another invocation. */
export async function scanDueActions(context: ScanContext, team: number, unfinished?: DueScan): Promise<DueScan> {
  const cost = createCost()
  const base = openDatabase(context.env, cost)
  const writer = () => ({ db: base.reconnect(), idempotency: null })
  const scan = await (unfinished ? continueScan(writer, unfinished) : beginScan(writer, team, Date.now()))
  if (scan.isSuspended) return scan
  while (scan.left.length > 0 && cost.statements < STATEMENTS_MAX) await notifyNextPage(context, writer, scan, cost)
  if (scan.left.length === 0 && scan.entries > 0 && scan.isSettled)
    await write(writer(), { effect: [moveNotified(team, scan.upTo)], outcome: null })
  return scan
}

type NewWriter = () => Parameters<typeof write>[0]

async function readSuspension(writer: NewWriter, team: number): Promise<boolean> {
  const [[found]] = await writer().db.read(selectSuspension(team))
  return found?.suspendedAt != null
}

const continueScan = async (writer: NewWriter, scan: DueScan): Promise<DueScan> => ({
  ...scan,
  isSuspended: await readSuspension(writer, scan.team),
})

async function beginScan(writer: NewWriter, team: number, now: number): Promise<DueScan> {
  const [{ rows: starts }, { rows: times }] = await write(writer(), {
    effect: [moveScanned(team, now), selectTimes(team)],
    outcome: null,
  })
  const [started] = starts
  const scan: DueScan = { team, upTo: now, isSettled: true, left: [], next: null, entries: 0, isSuspended: false }
  // The feed was switched off, or the team is suspended or gone.
  if (!started) return { ...scan, isSuspended: await readSuspension(writer, team) }
  const nexts = times.flatMap(({ next }) => next ?? [])
  return {
    ...scan,
    upTo: started.upTo,
    isSettled: started.isSettled === 1,
    left: times
      .filter(({ first }) => first !== null)
      .map(({ proc }) => ({ proc, after: { at: started.after, rid: 0 } })),
    next: nexts.length === 0 ? null : Math.min(...nexts),
  }
}

async function notifyNextPage(
  { env, onNotified }: ScanContext,
  writer: NewWriter,
  scan: DueScan,
  cost: Cost,
): Promise<void> {
  const [procedure] = scan.left
  if (!procedure) return
  const { team, upTo } = scan
  const before = { ...cost }
  const entries = Math.floor(Math.min(PAGE_ENTRIES_MAX, Math.max(PAGE_ENTRIES_MIN, getStepEntries())))
  const page = notifyPage({ team, upTo, entries, ...procedure, now: Date.now() })
  const [{ rows }, { changes }] = await write(writer(), { effect: page, outcome: null })
  if (changes > 0) onNotified()
  const [end] = rows
  const passed = end?.entries ?? 0
  scan.entries += passed
  if (end?.isFull === 1) procedure.after = end
  else scan.left.shift()
  await yieldToOthers([before, cost], passed, () =>
    withTimeout(ASK_MS_MAX, () => getContention(env).areOthersWaiting(null)).catch(() => false),
  )
}
