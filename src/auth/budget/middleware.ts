import type { Context, MiddlewareHandler } from 'hono'
import { subtractTimes } from '../../db/contention/contention-rules.ts'
import { getContention } from '../../db/contention/database-contention.ts'
import { measureContention } from '../../db/contention/measure.ts'
import { describeError } from '../../describe-error.ts'
import { AppError } from '../../errors.ts'
import type { AppEnv, WithPermit } from '../../http/context.ts'
import { sleep, withTimeout } from '../../timeout.ts'
import type { BudgetLimits } from './budget-rules.ts'
import {
  abandonCall,
  acquire,
  applyAnswer,
  createLoad,
  FIRST_IN_LINE,
  isFirstInLine,
  mustReport,
  mustReserve,
  type RunningCall,
  releaseCall,
  type TeamLoad,
} from './limit-rules.ts'
import { readBudgetLimits } from './settings.ts'
import { getTeamBudget } from './team-budget.ts'

const OBJECT_TIMEOUT_MS = 3_000
const TEAMS_MAX = 10_000
/** The time for which calls of a team queue here until others of the team have ended, and their number. */
const ACQUIRE_MS_MAX = 2_000
const QUEUED_MAX = 100
const STRICT_QUEUED_MAX = 5
const POLL_MS = 10
/** The last calls in the queue poll this much less often than the first ones. */
const POLL_SLOWDOWN_MAX = 5
/** An isolate reports contention of a team no more often than this. */
const REPORT_CONTENTION_EVERY_MS = 500

/** The load of each team on this isolate. */
const loadByTeam = new Map<number, TeamLoad>()

/** The last two teams that called, and when. */
let [last, lastButOne] = [
  { team: 0, at: Number.NEGATIVE_INFINITY },
  { team: 0, at: Number.NEGATIVE_INFINITY },
]
/** Another team counts as calling for this time after its call. */
const OTHERS_COUNT_MS = 5_000

function rememberCaller(team: number): void {
  if (last.team !== team) lastButOne = last
  last = { team, at: Date.now() }
}

const isOnlyCaller = (team: number): boolean =>
  (last.team === team ? lastButOne : last).at < Date.now() - OTHERS_COUNT_MS

/** Admits a call before it does anything: waits until its team is below its limits, or refuses the call. */
export async function admitCall(c: Context<AppEnv>, team: number): Promise<void> {
  rememberCaller(team)
  const limits = readBudgetLimits(c.env)
  const load = getLoad(team, limits)
  const call = await acquireCall(load, `${c.req.method} ${c.req.routePath}`)
  if (mustReserve(load, call, Date.now())) await reserveTime(c, team, load, call)
  c.set('withPermit', createPermit(c, team))
  c.set('releaseCall', () => {
    const { isContended } = measureContention(c.get('cost'), bodyBytes(c))
    releaseCall(load, call, { ms: c.get('cost').ownMs, isContended, isOnlyCaller: isOnlyCaller(team) }, limits)
    return isContended
  })
}

/** A stream that would have to wait longer ends, and says so. */
const PERMIT_WAIT_MS_MAX = 60_000

/**
 * Creates the permit for later parts of a response. Each part is admitted as a call of its own, but can't be refused any
 * more, so it waits instead.
 */
function createPermit(c: Context<AppEnv>, team: number): WithPermit {
  const { env, req } = c
  const route = `${req.method} ${req.routePath}`
  const cost = c.get('cost')
  return async act => {
    rememberCaller(team)
    const limits = readBudgetLimits(env)
    const load = getLoad(team, limits)
    const call = await retryUntilAdmitted(async () => {
      const admitted = await acquireCall(load, route)
      if (mustReserve(load, admitted, Date.now())) await reserveTime(c, team, load, admitted)
      return admitted
    })
    const before = { ...cost }
    try {
      return await act()
    } finally {
      const times = subtractTimes(before, cost)
      const { isContended } = measureContention(times)
      releaseCall(load, call, { ms: times.ownMs, isContended, isOnlyCaller: isOnlyCaller(team) }, limits)
      reportToObjects(c, team, load, isContended)
    }
  }
}

async function retryUntilAdmitted(begin: () => Promise<RunningCall>): Promise<RunningCall> {
  for (const startedAt = Date.now(); ; ) {
    try {
      return await begin()
    } catch (error) {
      const seconds = error instanceof AppError ? error.faults[0]?.detail?.retryAfterSeconds : undefined
      if (typeof seconds !== 'number' || Date.now() - startedAt >= PERMIT_WAIT_MS_MAX) throw error
      await sleep(seconds * 1_000)
    }
  }
}

const bodyBytes = (c: Context<AppEnv>): number => Number(c.req.header('content-length') ?? 0)

async function acquireCall(load: TeamLoad, route: string): Promise<RunningCall> {
  const startedAt = Date.now()
  const waiting = { askedAt: startedAt }
  try {
    for (let now = startedAt; ; now = Date.now()) {
      if (load.overUntil > now) throw overBudgetError(load.overUntil - now)
      const call = isFirstInLine(load, { route, waiting }, now) ? acquire(load, route, now) : undefined
      if (call) return call
      if (now === startedAt) {
        if (load.waiting.length >= (now < load.strictUntil ? STRICT_QUEUED_MAX : QUEUED_MAX)) throw tooManyAtOnceError()
        load.waiting.push(waiting)
      } else if (now - startedAt >= ACQUIRE_MS_MAX) throw tooManyAtOnceError()
      waiting.askedAt = now
      const roundsAhead = Math.max(0, Math.floor(load.waiting.indexOf(waiting) / FIRST_IN_LINE))
      await sleep(POLL_MS * (1 + Math.min(roundsAhead, POLL_SLOWDOWN_MAX)))
    }
  } finally {
    load.waiting = load.waiting.filter(each => each !== waiting)
  }
}

/** Reserves the time of a call. If the Durable Object can't be reached, calls are let through. */
async function reserveTime(c: Context<AppEnv>, team: number, load: TeamLoad, call: RunningCall): Promise<void> {
  const ask = () => getTeamBudget(c.env, team).reserve(call.expectedMs, readBudgetLimits(c.env))
  const answer = await withTimeout(OBJECT_TIMEOUT_MS, ask).catch(() => undefined)
  // Nothing is known to be taken, so its report takes all of its time.
  if (!answer) return
  const { startInMs, isReserved } = answer
  if (!isReserved) {
    abandonCall(load, call)
    applyAnswer(load, { overMs: startInMs, strictMs: load.strictUntil - Date.now() }, Date.now())
    throw overBudgetError(startInMs)
  }
  call.reservedMs = call.expectedMs
  if (startInMs > 0) await sleep(startInMs)
}

const overBudgetError = (inMs: number): AppError =>
  overloadError('your team has used more time of the database than its share', inMs)

const tooManyAtOnceError = (): AppError =>
  overloadError('your team has too many calls at once that load the database for long', 1_000)

function overloadError(message: string, inMs: number): AppError {
  const seconds = Math.ceil(inMs / 1000)
  const hint = `try again in ${seconds} seconds; use indexed attributes in filters, cursors instead of skip, and bulk requests`
  return new AppError('rate_limited', [{ message, hint, detail: { retryAfterSeconds: seconds } }])
}

/** Releases the call after its response, and reports its database time to the Durable Objects. */
export const chargeTeam: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  const isContended = c.get('releaseCall')?.() ?? false
  const scope = c.get('scope')
  const load = scope && loadByTeam.get(scope.team.no)
  if (load) reportToObjects(c, scope.team.no, load, isContended)
}

function reportToObjects(c: Context<AppEnv>, team: number, load: TeamLoad, isContended: boolean): void {
  const now = Date.now()
  if (isContended && now >= load.reportedContentionAt + REPORT_CONTENTION_EVERY_MS) {
    load.reportedContentionAt = now
    c.executionCtx.waitUntil(noteContention(c, team))
  }
  if (mustReport(load, now)) c.executionCtx.waitUntil(report(c, team, load))
}

async function noteContention(c: Context<AppEnv>, team: number): Promise<void> {
  await withTimeout(OBJECT_TIMEOUT_MS, () => getContention(c.env).note(team)).catch(() => {})
}

function getLoad(team: number, limits: BudgetLimits): TeamLoad {
  const known = loadByTeam.get(team)
  if (known) return known
  if (loadByTeam.size >= TEAMS_MAX) loadByTeam.clear()
  const load = createLoad(limits)
  loadByTeam.set(team, load)
  return load
}

/** Reports the used time. If the Durable Object can't be reached, calls are let through. */
async function report(c: Context<AppEnv>, team: number, load: TeamLoad): Promise<void> {
  const { ms, reservedMs } = load
  Object.assign(load, { ms: 0, reservedMs: 0, reporting: true })
  try {
    const limits = readBudgetLimits(c.env)
    const ask = () => getTeamBudget(c.env, team).spend(team, { ms, reservedMs }, limits)
    applyAnswer(load, await withTimeout(OBJECT_TIMEOUT_MS, ask), Date.now())
  } catch (error) {
    applyAnswer(load, { overMs: 0, strictMs: 0 }, Date.now())
    console.warn(JSON.stringify({ budget: 'unknown', cause: describeError(error) }))
  } finally {
    load.reporting = false
  }
}
