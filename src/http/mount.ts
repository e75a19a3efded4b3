import type { Hono, MiddlewareHandler } from 'hono'
import { AppError } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { AppEnv } from './context.ts'
import { sendResponse } from './envelope.ts'
import { withContentETag } from './etag.ts'
import { deprecationHeaders } from './headers.ts'
import { type Keyed, withIdempotency } from './idempotency/idempotency.ts'
import { noReceipt } from './idempotency/record.ts'
import { BODY_BYTES_MAX, limitBody, requireJson } from './json-body.ts'
import { isIdempotent, type Route, validators } from './route.ts'

/** The same chain for each route: authenticate, authorise, validate, perform (idempotently), respond. */
export function mount(app: Hono<AppEnv>, routes: readonly Route[], authenticate: Authenticate): void {
  for (const spec of routes)
    app.on(spec.method.toUpperCase(), [spec.path], ...middlewareOf(spec, authenticate), handlerOf(spec))
}

type Authenticate = (permission: Permission) => MiddlewareHandler<AppEnv>

const middlewareOf = (spec: Route, authenticate: Authenticate): MiddlewareHandler<AppEnv>[] => [
  ...(spec.deprecated === undefined ? [] : [deprecationHeaders(spec.deprecated)]),
  ...(spec.permission === null ? [] : [authenticate(spec.permission)]),
  ...(spec.body === undefined && spec.bodyAs === undefined
    ? []
    : [requireJson, limitBody(spec.bodyBytesMax ?? BODY_BYTES_MAX)]),
  ...validators(spec),
]

const handlerOf =
  (spec: Route): MiddlewareHandler<AppEnv> =>
  async c => {
    const valid = (target: string, schema: unknown): unknown =>
      schema === undefined ? undefined : c.req.valid(target as never)
    const call = {
      c,
      scope: c.var.scope,
      params: valid('param', spec.params),
      query: valid('query', spec.query),
      body: spec.bodyAs === 'bytes' ? new Uint8Array(await c.req.arrayBuffer()) : valid('json', spec.body),
    }
    const perform = ({ idempotency, receipt }: Keyed) =>
      spec.perform({ ...call, scope: call.scope && { ...call.scope, idempotency }, receipt })
    const { outcome, replayed } = isIdempotent(spec)
      ? await withIdempotency(c, perform)
      : { outcome: await perform({ idempotency: null, receipt: noReceipt }), replayed: false }
    if (replayed) c.header('idempotency-replayed', 'true')
    const current = replayed && spec.refreshOutcome ? await spec.refreshOutcome(outcome, call) : outcome
    const response = spec.respond(current, call)
    if (response instanceof Response) return response
    return sendResponse(c, spec.etag ? await withContentETag(c, response) : response)
  }

/** An unknown path is a 404; a known path with another method is a 405 that names its methods, as OPTIONS does. */
export const unknownRoute =
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
  const trimmed = path.replace(/\/+$/, '')
  const exists = trimmed !== path && routes.some(spec => matches(spec.path, trimmed))
  const hint = exists ? { hint: `did you mean ${JSON.stringify(trimmed)}, without the slash at its end?` } : {}
  return new AppError('not_found', [{ message: `there is no ${path}`, ...hint }])
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split('/')
  const actual = path.split('/')
  return (
    expected.length === actual.length &&
    expected.every((part, index) => (part.startsWith(':') ? actual[index] !== '' : part === actual[index]))
  )
}
