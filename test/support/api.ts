import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { newTeam as newTeamStatements } from '../../src/auth/new-team.ts'
import worker from '../../src/index.ts'
import { expectDocumented } from './document.ts'
import { ORIGIN } from './origin.ts'

export interface Reply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a body
  data: any
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  meta: any
  errors: string[]
  cost: { trips: number; read: number; written: number }
}

export interface Team {
  no: number
  id: string
  token: string
  admin: string
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Reply>
  /** With a key of that role; for that user, if one is given. */
  as: (role: string, user?: string) => Promise<Team>
}

export { ORIGIN }

/**
 * The Worker's own `fetch`, called as the runtime calls it. (`exports.default.fetch` of the test pool takes longer with
 * every call: a quarter of a second each after a thousand.) What it leaves to `waitUntil` is done when this returns.
 */
export async function fetchWorker(path: string, init: RequestInit = {}, bindings: Env = env): Promise<Response> {
  const context = createExecutionContext()
  const request = new Request<unknown, IncomingRequestCfProperties>(
    ORIGIN + path,
    init as RequestInit<IncomingRequestCfProperties>,
  )
  const response = await worker.fetch(request, bindings, context)
  await waitOnExecutionContext(context)
  // Every answer that a test sees is held to the document. A stream is left to who asked for it.
  const isJson = response.headers.get('content-type')?.startsWith('application/json') && request.method !== 'HEAD'
  expectDocumented(request.method, path, response, isJson ? await response.clone().text() : undefined)
  return response
}

export async function request(
  method: string,
  path: string,
  init: RequestInit = {},
  bindings: Env = env,
): Promise<Reply> {
  const response = await fetchWorker(path, { ...init, method }, bindings)
  const text = method === 'HEAD' ? '' : await response.text()
  const body = text === '' ? { _data: {}, _meta: {}, _errors: [] } : JSON.parse(text)
  const timing = /trips=(\d+) read=(\d+) written=(\d+)/.exec(response.headers.get('server-timing') ?? '')
  const [trips = 0, read = 0, written = 0] = (timing ?? []).slice(1).map(Number)
  return {
    status: response.status,
    headers: response.headers,
    data: body._data,
    meta: body._meta,
    errors: body._errors,
    cost: { trips, read, written },
  }
}

const caller =
  (token: string): Team['call'] =>
  (method, path, body, headers = {}) =>
    request(method, path, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })

let counter = 0

/** A team of its own for each test, with an admin and a token. Nothing is shared with any other test. */
export async function newTeam(name = `Team ${++counter} ${crypto.randomUUID()}`): Promise<Team> {
  const made = await newTeamStatements(name, Date.now())
  const compiled = made.statements.map(each => each.compile())
  await env.DB.batch(compiled.map(({ text, params }) => env.DB.prepare(text).bind(...params)))
  const row = await env.DB.prepare('SELECT no FROM team WHERE id = ?').bind(made.teamId).first<{ no: number }>()
  const call = caller(made.token)
  const as = async (role: string, user?: string): Promise<Team> => {
    const key = await call('POST', '/v1/ext/api-key', { name: role, role, ...(user === undefined ? {} : { user }) })
    return { ...team, token: key.data.token, call: caller(key.data.token) }
  }
  const team: Team = { no: row?.no ?? 0, id: made.teamId, token: made.token, admin: made.userId, call, as }
  return team
}
