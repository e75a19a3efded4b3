import type { Context, MiddlewareHandler } from 'hono'
import { databaseWaits } from '../../db/waits/database-waits.ts'
import { measureWait } from '../../db/waits/measured-wait.ts'
import { timesBetween } from '../../db/waits/wait-rules.ts'
import { AppError } from '../../errors.ts'
import type { AppEnv, TakeTurn } from '../../http/context.ts'
import { describeError } from '../../http/request-log.ts'
import { withTimeout } from '../../timeout.ts'
import type { BudgetLimits } from './budget-rules.ts'
import {
  type BegunCall,
  endCall,
  isNext,
  leaveRoom,
  mustReport,
  mustReserve,
  NEXT_CALLS,
  newUse,
  type TeamUse,
  takeAnswer,
  takeRoom,
} from './room-rules.ts'
import { budgetLimitsOf } from './settings.ts'
import { budgetOf } from './team-budget.ts'

const OBJECT_TIMEOUT_MS = 3_000
const TEAMS_MAX = 10_000
/** A call waits here for so long until others of its team have ended, and so many do. */
const ROOM_WAIT_MS_MAX = 2_000
const ROOM_WAITING_MAX = 100
const STRICT_WAITING_MAX = 5
const ROOM_ASK_MS = 10
/** The last ones ask so much less often than the first ones. */
const ROOM_ASK_LATER_MAX = 5
/** Each isolate tells so often at most that calls of a team waited. */
const NOTE_EVERY_MS = 500

/** What this isolate has seen of each team. */
const useByTeam = new Map<number, TeamUse>()

/** The last two teams that called, and when. */
let [last, lastButOne] = [
  { team: 0, at: Number.NEGATIVE_INFINITY },
  { team: 0, at: Number.NEGATIVE_INFINITY },
]
/** Another team counts for so long after its call. */
const OTHERS_COUNT_MS = 5_000

function noteCaller(team: number): void {
  if (last.team !== team) lastButOne = last
  last = { team, at: Date.now() }
}

const isAlone = (team: number): boolean => (last.team === team ? lastButOne : last).at < Date.now() - OTHERS_COUNT_MS

const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Before a call does anything: waits until its team has room for it, or refuses it. */
export async function beginCall(c: Context<AppEnv>, team: number): Promise<void> {
  noteCaller(team)
  const limits = budgetLimitsOf(c.env)
  const use = useOf(team, limits)
  const call = await waitForRoom(use, `${c.req.method} ${c.req.routePath}`)
  if (mustReserve(use, call, Date.now())) await reserveTime(c, team, use, call)
  c.set('takeTurn', turnsOf(c, team))
  c.set('endCall', () => {
    const { isWait } = measureWait(c.get('cost'), bodyBytes(c))
    endCall(use, call, { ms: c.get('cost').ownMs, isWait, isAlone: isAlone(team) }, limits)
    return isWait
  })
}

/** A stream that has to wait for longer ends, and says so. */
const TURN_WAIT_MS_MAX = 60_000

/**
 * What a response reads after it has begun is a call of its own for the budget of its team. It can't be refused any more,
 * so it waits instead.
 */
function turnsOf(c: Context<AppEnv>, team: number): TakeTurn {
  const { env, req } = c
  const route = `${req.method} ${req.routePath}`
  const cost = c.get('cost')
  return async act => {
    noteCaller(team)
    const limits = budgetLimitsOf(env)
    const use = useOf(team, limits)
    const call = await waitPatiently(async () => {
      const begun = await waitForRoom(use, route)
      if (mustReserve(use, begun, Date.now())) await reserveTime(c, team, use, begun)
      return begun
    })
    const before = { ...cost }
    try {
      return await act()
    } finally {
      const times = timesBetween(before, cost)
      const { isWait } = measureWait(times)
      endCall(use, call, { ms: times.ownMs, isWait, isAlone: isAlone(team) }, limits)
      tellObjects(c, team, use, isWait)
    }
  }
}

async function waitPatiently(begin: () => Promise<BegunCall>): Promise<BegunCall> {
  for (const startedAt = Date.now(); ; ) {
    try {
      return await begin()
    } catch (error) {
      const seconds = error instanceof AppError ? error.faults[0]?.detail?.retryAfterSeconds : undefined
      if (typeof seconds !== 'number' || Date.now() - startedAt >= TURN_WAIT_MS_MAX) throw error
      await sleep(seconds * 1_000)
    }
  }
}

const bodyBytes = (c: Context<AppEnv>): number => Number(c.req.header('content-length') ?? 0)

async function waitForRoom(use: TeamUse, route: string): Promise<BegunCall> {
  const startedAt = Date.now()
  const waiting = { askedAt: startedAt }
  try {
    for (let now = startedAt; ; now = Date.now()) {
      if (use.overUntil > now) throw overShare(use.overUntil - now)
      const call = isNext(use, { route, waiting }, now) ? takeRoom(use, route, now) : undefined
      if (call) return call
      if (now === startedAt) {
        if (use.waiting.length >= (now < use.strictUntil ? STRICT_WAITING_MAX : ROOM_WAITING_MAX)) throw tooManyAtOnce()
        use.waiting.push(waiting)
      } else if (now - startedAt >= ROOM_WAIT_MS_MAX) throw tooManyAtOnce()
      waiting.askedAt = now
      const turnsLeft = Math.max(0, Math.floor(use.waiting.indexOf(waiting) / NEXT_CALLS))
      await sleep(ROOM_ASK_MS * (1 + Math.min(turnsLeft, ROOM_ASK_LATER_MAX)))
    }
  } finally {
    use.waiting = use.waiting.filter(each => each !== waiting)
  }
}

/** If the object can't be reached, calls are let through. */
async function reserveTime(c: Context<AppEnv>, team: number, use: TeamUse, call: BegunCall): Promise<void> {
  const asking = (async () => budgetOf(c.env, team).reserve(call.expectedMs, budgetLimitsOf(c.env)))()
  const { startInMs, isReserved } = await withTimeout(OBJECT_TIMEOUT_MS, asking).catch(() => LET_THROUGH)
  if (!isReserved) {
    leaveRoom(use, call)
    takeAnswer(use, { overMs: startInMs, strictMs: use.strictUntil - Date.now() }, Date.now())
    throw overShare(startInMs)
  }
  call.reservedMs = call.expectedMs
  if (startInMs > 0) await sleep(startInMs)
}

const LET_THROUGH = { startInMs: 0, isReserved: true }

const overShare = (inMs: number): AppError =>
  tooMuch('your team has used more time of the database than its share', inMs)

const tooManyAtOnce = (): AppError =>
  tooMuch('your team has too many calls at once that use the database for long', 1_000)

function tooMuch(message: string, inMs: number): AppError {
  const seconds = Math.ceil(inMs / 1000)
  const hint = `try again in ${seconds} seconds; use indexed attributes in filters, cursors instead of skip, and bulk requests`
  return new AppError('rate_limited', [{ message, hint, detail: { retryAfterSeconds: seconds } }])
}

/** Behind the response: adds up what calls cost the database, and tells the objects what others have to know of it. */
export const chargeTeam: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const isWait = c.get('endCall')?.() ?? false
  const scope = c.get('scope')
  const use = scope && useByTeam.get(scope.team.no)
  if (use) tellObjects(c, scope.team.no, use, isWait)
}

function tellObjects(c: Context<AppEnv>, team: number, use: TeamUse, isWait: boolean): void {
  const now = Date.now()
  if (isWait && now >= use.notedAt + NOTE_EVERY_MS) {
    use.notedAt = now
    c.executionCtx.waitUntil(noteWait(c, team))
  }
  if (mustReport(use, now)) c.executionCtx.waitUntil(report(c, team, use))
}

async function noteWait(c: Context<AppEnv>, team: number): Promise<void> {
  await withTimeout(OBJECT_TIMEOUT_MS, (async () => databaseWaits(c.env).note(team))()).catch(() => {})
}

function useOf(team: number, limits: BudgetLimits): TeamUse {
  const known = useByTeam.get(team)
  if (known) return known
  if (useByTeam.size >= TEAMS_MAX) useByTeam.clear()
  const use = newUse(limits)
  useByTeam.set(team, use)
  return use
}

/** If the object can't be reached, calls are let through. */
async function report(c: Context<AppEnv>, team: number, use: TeamUse): Promise<void> {
  const { ms, reservedMs } = use
  Object.assign(use, { ms: 0, reservedMs: 0, reporting: true })
  try {
    const limits = budgetLimitsOf(c.env)
    const asking = (async () => budgetOf(c.env, team).spend(team, { ms, reservedMs }, limits))()
    takeAnswer(use, await withTimeout(OBJECT_TIMEOUT_MS, asking), Date.now())
  } catch (error) {
    takeAnswer(use, { overMs: 0, strictMs: 0 }, Date.now())
    console.warn(JSON.stringify({ budget: 'unknown', cause: describeError(error) }))
  } finally {
    use.reporting = false
  }
}
