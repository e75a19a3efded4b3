import type { MiddlewareHandler } from 'hono'
import type { AppEnv } from '../http/context.ts'
import { isInstallationPaused } from '../http/pause.ts'
import { collectLine, collectUsage, planBatch } from './collect.ts'
import { type RequestLine, toLoggedFaults, toLoggedPath } from './line.ts'
import { readRequestLogSettings } from './settings.ts'

const HTTP_ERROR = 400

/** Collects the requests of a team's callers, after the response. Unauthenticated callers have no team, and leave nothing here. */
export const collectRequests: MiddlewareHandler<AppEnv> = async (c, next) => {
  const startedAt = performance.now()
  await next()
  const caller = c.get('caller')
  if (caller === undefined) return
  const settings = readRequestLogSettings(c.env)
  if (settings.retentionMs === 0 || isInstallationPaused(c.env)) return
  const { trips, rowsRead, rowsWritten, ownMs } = c.get('cost')
  const route = c.get('route')
  const code = c.get('errorCode') ?? null
  const faults = toLoggedFaults(c.get('faults') ?? [], code)
  // Only Cloudflare's edge sets this header.
  const address = c.req.header('cf-connecting-ip')
  const line: RequestLine = {
    id: c.get('requestId'),
    method: c.req.method,
    operation: route?.operation ?? null,
    path: toLoggedPath(route?.pattern ?? '*', route?.params ?? {}, Object.keys(c.req.query())),
    status: c.res.status,
    code,
    ...(faults.length > 0 && { faults }),
    by: caller.by,
    user: caller.user,
    ...(address !== undefined && { address }),
    ms: Math.round(performance.now() - startedAt),
    databaseMs: Math.round(ownMs * 10) / 10,
    trips,
    read: rowsRead,
    written: rowsWritten,
  }
  const now = Date.now()
  collectUsage(caller.team, now, line)
  const isOfInterest = line.status >= HTTP_ERROR || c.get('mayHaveChanged') === true
  // The pages of a session call again and again by themselves: their reads are counted, and not logged.
  const readsPercent = 'session' in line.by ? 0 : settings.readsPercent
  if (isOfInterest || Math.random() * 100 < readsPercent) collectLine(caller.team, line)
  const left = planBatch(c.env, settings.batchMs, now)
  if (left) c.executionCtx.waitUntil(left())
}
