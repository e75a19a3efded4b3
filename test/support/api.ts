import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { isUniqueViolation } from '../../src/db/guard.ts'
import { retryOnConflict } from '../../src/db/retry.ts'
import worker from '../../src/index.ts'
import { buildTeam as newTeamStatements, selectNextTeamNumber } from '../../src/team/new-team.ts'
import { arrive } from './arrival.ts'
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
  /** Returns the team with a key of that role; for that user, if one is given. */
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
  const response = await arrive(request.method, () => worker.fetch(request, bindings, context))
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

/** Teams are made one after the other: each has the next number. */
let lastMade: Promise<unknown> = Promise.resolve()
async function makeTeam(name: string) {
  const { text } = selectNextTeamNumber.compile()
  const next = await env.DB.prepare(text).first<{ no: number }>()
  const made = await newTeamStatements(name, { no: next?.no ?? 1, now: Date.now() })
  const compiled = made.statements.map(each => each.compile())
  await env.DB.batch(compiled.map(({ text: insert, params }) => env.DB.prepare(insert).bind(...params)))
  return made
}

/** Row numbers have twelve random bits: where the clock stands still, two teams may draw the same one for their admins. */
const isNumberTaken = (error: unknown): boolean => isUniqueViolation(error, 'user.no')

/** A team of its own for each test, with an admin and a token. Nothing is shared with any other test. */
export async function newTeam(name = `Team ${++counter} ${crypto.randomUUID()}`): Promise<Team> {
  const making = lastMade.then(() => retryOnConflict(isNumberTaken, () => makeTeam(name)))
  lastMade = making.catch(() => undefined)
  const made = await making
  const call = caller(made.token)
  const as = async (role: string, user?: string): Promise<Team> => {
    const key = await call('POST', '/v1/ext/api-key', { name: role, role, ...(user === undefined ? {} : { user }) })
    return { ...team, token: key.data.token, call: caller(key.data.token) }
  }
  const team: Team = { no: made.teamNo, id: made.teamId, token: made.token, admin: made.userId, call, as }
  return team
}
