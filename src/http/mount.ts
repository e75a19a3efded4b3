import type { Hono, MiddlewareHandler } from 'hono'
import { AppError } from '../errors.ts'
import type { Permission } from '../permissions.ts'
import type { AppEnv } from './context.ts'
import { send } from './envelope.ts'
import { tagged } from './etag.ts'
import { farewell } from './headers.ts'
import { type Keyed, withIdempotency } from './idempotency/idempotency.ts'
import { noReceipt } from './idempotency/record.ts'
import { BODY_BYTES_MAX, limitBody, requireJson } from './json-body.ts'
import { isIdempotent, type Route, validators } from './route.ts'

/** A chain of the same steps for each route: who is it, may they, is it well formed, do it (once), say it. */
export function mount(app: Hono<AppEnv>, routes: readonly Route[], authenticate: Guard): void {
  for (const spec of routes) app.on(spec.method.toUpperCase(), [spec.path], ...steps(spec, authenticate), run(spec))
}

type Guard = (permission: Permission) => MiddlewareHandler<AppEnv>

const steps = (spec: Route, authenticate: Guard): MiddlewareHandler<AppEnv>[] => [
  ...(spec.deprecated === undefined ? [] : [farewell(spec.deprecated)]),
  ...(spec.permission === null ? [] : [authenticate(spec.permission)]),
  ...(spec.body === undefined && spec.bodyAs === undefined
    ? []
    : [requireJson, limitBody(spec.bodyBytesMax ?? BODY_BYTES_MAX)]),
  ...validators(spec),
]

const run =
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
    const said = spec.respond(replayed && spec.recall ? await spec.recall(outcome, call) : outcome, call)
    if (said instanceof Response) return said
    return send(c, spec.tagged ? await tagged(c, said) : said)
  }

/** An unknown address is a 404; a known one with another method is a 405 that names the methods it has, as OPTIONS does. */
export const unknownRoute =
  (routes: readonly Pick<Route, 'method' | 'path'>[]): MiddlewareHandler<AppEnv> =>
  async c => {
    const allowed = routes.filter(spec => matches(spec.path, c.req.path)).map(spec => spec.method.toUpperCase())
    if (allowed.length === 0) throw nowhere(routes, c.req.path)
    const methods = [...new Set(allowed.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])))].sort()
    if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow: [...methods, 'OPTIONS'].sort().join(', ') })
    c.header('allow', methods.join(', '))
    throw new AppError('method_not_allowed', `${c.req.path} has no ${c.req.method}; it has ${methods.join(', ')}`)
  }

function nowhere(routes: readonly Pick<Route, 'path'>[], path: string): AppError {
  const meant = path.replace(/\/+$/, '')
  const isThere = meant !== path && routes.some(spec => matches(spec.path, meant))
  const hint = isThere ? { hint: `did you mean ${JSON.stringify(meant)}, without the slash at its end?` } : {}
  return new AppError('not_found', [{ message: `there is no ${path}`, ...hint }])
}

function matches(pattern: string, path: string): boolean {
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((part, index) => (part.startsWith(':') ? given[index] !== '' : part === given[index]))
  )
}
