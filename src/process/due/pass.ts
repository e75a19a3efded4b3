import { sharedStepEntries, yieldToOthers } from '../../background-job/run/yield.ts'
import { type Cost, noCost } from '../../db/cost.ts'
import { openDatabase } from '../../db/databases.ts'
import { databaseWaits, type WaitsEnv } from '../../db/waits/database-waits.ts'
import { write } from '../../db/write.ts'
import { withTimeout } from '../../timeout.ts'
import { type DuePosition, lookFor, moveTold, selectTimes, tellPage } from './statements.ts'

/** Of an index, in one transaction: a hundred take some milliseconds of the database. */
const PAGE_ENTRIES_MIN = 100
const PAGE_ENTRIES_MAX = 500
/** D1 lets an invocation run 1,000. */
const STATEMENTS_MAX = 700
const ASK_MS_MAX = 1_000

/** A look that is under way: what it has not come to yet. */
export interface DuePass {
  team: number
  upTo: number
  isSettled: boolean
  left: { proc: number; after: DuePosition }[]
  /** The first time after `upTo`; null: there is none. */
  next: number | null
  /** How many entries of the index it has passed. */
  entries: number
}

type PassEnv = Pick<Env, 'DB'> & WaitsEnv

interface PassContext {
  env: PassEnv
  /** A page was told of. */
  onTold: () => void
}

/** Tells what has come until now, or goes on with that. It is done when nothing is left; otherwise it needs another invocation. */
export async function tellDueActions(context: PassContext, team: number, begun?: DuePass): Promise<DuePass> {
  const cost = noCost()
  const base = openDatabase(context.env, cost)
  const writer = () => ({ db: base.reconnect(), idempotency: null })
  const pass = begun ?? (await beginPass(writer, team, Date.now()))
  while (pass.left.length > 0 && cost.statements < STATEMENTS_MAX) await tellNextPage(context, writer, pass, cost)
  if (pass.left.length === 0 && pass.entries > 0 && pass.isSettled)
    await write(writer(), { effect: [moveTold(team, pass.upTo)], outcome: null })
  return pass
}

type NewWriter = () => Parameters<typeof write>[0]

async function beginPass(writer: NewWriter, team: number, now: number): Promise<DuePass> {
  const [{ rows: looks }, { rows: times }] = await write(writer(), {
    effect: [lookFor(team, now), selectTimes(team)],
    outcome: null,
  })
  const [look] = looks
  const pass: DuePass = { team, upTo: now, isSettled: true, left: [], next: null, entries: 0 }
  // The feed was switched off, or the team is gone.
  if (!look) return pass
  const nexts = times.flatMap(({ next }) => next ?? [])
  return {
    ...pass,
    upTo: look.upTo,
    isSettled: look.isSettled === 1,
    left: times.filter(({ first }) => first !== null).map(({ proc }) => ({ proc, after: { at: look.after, rid: 0 } })),
    next: nexts.length === 0 ? null : Math.min(...nexts),
  }
}

async function tellNextPage({ env, onTold }: PassContext, writer: NewWriter, pass: DuePass, cost: Cost): Promise<void> {
  const [procedure] = pass.left
  if (!procedure) return
  const { team, upTo } = pass
  const before = { ...cost }
  const entries = Math.floor(Math.min(PAGE_ENTRIES_MAX, Math.max(PAGE_ENTRIES_MIN, sharedStepEntries())))
  const page = tellPage({ team, upTo, entries, ...procedure, now: Date.now() })
  const [{ rows }, { changes }] = await write(writer(), { effect: page, outcome: null })
  if (changes > 0) onTold()
  const [end] = rows
  const passed = end?.entries ?? 0
  pass.entries += passed
  if (end?.isFull === 1) procedure.after = end
  else pass.left.shift()
  await yieldToOthers([before, cost], passed, () =>
    withTimeout(ASK_MS_MAX, databaseWaits(env).doOthersWait(null)).catch(() => false),
  )
}
