import type { Context, Hono, MiddlewareHandler } from 'hono'
import type { IdempotencyRecord } from '../db/write.ts'
import { AppError } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { AppEnv } from './context.ts'
import { computeDigest } from './digest.ts'
import { withIdempotency } from './idempotency/idempotency.ts'
import { suggestAddress } from './nearest-route.ts'
import { requireOwnOrigin } from './own-origin.ts'
import { isInstallationClosed, isInstallationPaused, maintenanceError } from './pause.ts'
import { readFromBookmark } from './request/bookmark.ts'
import { createBodyLimiter, createInputReader, type ReadInput } from './request/input.ts'
import type { StreamedBody } from './request/streamed-body.ts'
import { sendResponse } from './response/envelope.ts'
import { addContentETag } from './response/etag.ts'
import { addDeprecationHeaders } from './response/headers.ts'
import { changesNothing, isIdempotent, isWithinAllowance, type Route, takesBookmark } from './route.ts'

/** Authenticates a request. With `isWithinAllowance`, it is refused if the team has written what it may write on a day. */
type Authenticate = (c: Context<AppEnv>, permission: Permission, isWithinAllowance: boolean) => Promise<void>

/** Mounts routes, each with the same steps: authenticate, authorise, validate, perform (idempotently), respond. */
export function mount(app: Hono<AppEnv>, routes: readonly Route[], authenticate: Authenticate): void {
  for (const spec of routes) {
    const around = spec.deprecated === undefined ? [] : [addDeprecationHeaders(spec.deprecated)]
    app.on(spec.method.toUpperCase(), [spec.path], ...around, createHandler(spec, authenticate))
  }
}

function createHandler(spec: Route, authenticate: Authenticate): MiddlewareHandler<AppEnv> {
  // The reader is made for the first request: an isolate serves few of the routes, and starts sooner without the others.
  let readInput: ReadInput | undefined
  const getBytesMax = createBodyLimiter(spec)
  const takesKey = isIdempotent(spec)
  const onlyReads = changesNothing(spec)
  const readsNear = takesBookmark(spec)
  const withinAllowance = isWithinAllowance(spec)
  const needsToken = spec.permission !== null
  return async (c, next) => {
    if (spec.isFor?.(c.req.param()) === false) return next()
    c.set('route', { operation: spec.id, pattern: spec.path, params: c.req.param() })
    c.set('bodyBytesMax', getBytesMax(c))
    if (onlyReads ? needsToken && isInstallationClosed(c.env) : isInstallationPaused(c.env))
      throw maintenanceError(c.env)
    if (spec.isForOwnPages) requireOwnOrigin(c)
    if (spec.permission !== null) await authenticate(c, spec.permission, withinAllowance)
    if (readsNear) readFromBookmark(c)
    readInput ??= createInputReader(spec)
    const input = await readInput(c)
    const call = { c, scope: c.get('scope'), ...input }
    const perform = (idempotency: IdempotencyRecord | null) =>
      spec.perform({ ...call, scope: call.scope && { ...call.scope, idempotency } })
    c.set('mayHaveChanged', !onlyReads)
    const { outcome, replayed } = takesKey
      ? await withIdempotency(c, () => digestBody(c, spec, input.body), perform)
      : { outcome: await perform(null), replayed: false }
    if (replayed) {
      c.set('replayed', true)
      c.set('mayHaveChanged', false)
    }
    const current = replayed && spec.refreshOutcome ? await spec.refreshOutcome(outcome, call) : outcome
    const response = spec.respond(current, call)
    if (response instanceof Response) return response
    return sendResponse(c, spec.etag ? await addContentETag(c, response) : response)
  }
}

const digestBody = async (c: Context<AppEnv>, { bodyAs }: Route, body: unknown): Promise<string> =>
  bodyAs === undefined ? computeDigest(await c.req.arrayBuffer()) : (body as StreamedBody).digest()

/** Responds to an unknown path with 404, and to another method of a known path with 405 and its methods, as to OPTIONS. */
export const refuseUnknownRoute =
  (routes: readonly Pick<Route, 'method' | 'path'>[]): MiddlewareHandler<AppEnv> =>
  async c => {
    const allowed = routes.filter(spec => matches(spec.path, c.req.path)).map(spec => spec.method.toUpperCase())
    if (allowed.length === 0) throw unknownPathError(routes, c.req.path)
    const methods = [...new Set(allowed.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort()
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow: [...methods, 'OPTIONS'].sort().join(', ') })
    c.header('allow', methods.join(', '))
    throw new AppError('method_not_allowed', `${c.req.path} has no ${c.req.method}; it has ${methods.join(', ')}`)
  }

function unknownPathError(routes: readonly Pick<Route, 'path'>[], path: string): AppError {
  const trimmed = trimLastSlashes(path)
  const exists = trimmed !== path && routes.some(spec => matches(spec.path, trimmed))
  const meant = exists ? undefined : suggestAddress(routes, trimmed)
  const hint = exists
    ? { hint: `did you mean ${JSON.stringify(trimmed)}, without the slash at its end?` }
    : meant === undefined
      ? {}
      : { hint: `did you mean ${JSON.stringify(meant)}?` }
  return new AppError('not_found', [{ message: `there is no ${path}`, ...hint }])
}

function trimLastSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const actual = path.split('/')
  return (
    expected.length === actual.length &&
    expected.every((part, index) => (part.startsWith(':') ? actual[index] !== '' : part === actual[index]))
  )
}
