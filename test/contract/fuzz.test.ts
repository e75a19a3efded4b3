import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { procedures } from '../../drizzle/demo.ts'
import { chance } from '../support/chance.ts'
import { operations } from '../support/document.ts'
import { bodyOf, NASTY_TEXTS } from '../support/fuzz.ts'
import { newTeam, type Reply, request, type Team } from '../support/world.ts'

const REQUESTS = Number(env.FUZZ || 5_000)
const TIME_LIMIT_MS = 20 * 60_000
/** What must never be said to a caller. */
const INTERNALS =
  /D1_ERROR|SQLITE|no such (?:column|table)|syntax error|\n\s+at |\.ts:\d+|node_modules|\bundefined\b is not|Cannot read/

/** Real things for the places of an address, by the name of the place. What is made on the way is added. */
const things: Record<string, string[]> = {
  procedureShortId: ['lead', 'lead', 'lead', 'ticket', 'fieldvisit', 'case'],
  processId: [],
  primaryKeyShortId: ['lead_id', 'lead_id', 'ticket_id', 'city'],
  primaryKeyValue: ['LEAD-1'],
  userId: [],
  keyId: [],
}
const MADE: Record<string, string> = {
  createProcess: 'processId',
  createOrUpdateProcess: 'processId',
  createUser: 'userId',
  createApiKey: 'keyId',
}

const seed = Number(env.SEED || Math.floor(Math.random() * 2 ** 31))
const by = chance(seed)

it(`answers ${REQUESTS} requests, valid and broken, as documented and never with a fault of ours`, {
  timeout: TIME_LIMIT_MS,
}, async () => {
  const team = await newTeam()
  for (const [shortId, definition] of Object.entries(procedures))
    await team.call('PUT', `/v1/ext/procedure/${shortId}`, definition)
  await team.call('POST', '/v1/ext/user', { username: 'meera', role: 'manager' })
  await team.call('POST', '/v1/ext/procedure/lead/process', { data: { lead_id: 'LEAD-1' } })
  const went = new Map(operations.map(({ operation }) => [operation.operationId, { well: 0, badly: 0 }]))

  for (let number = 0; number < REQUESTS; number++) {
    const chosen = by.pick(operations)
    const { operationId } = chosen.operation
    const reply = await send(team, chosen, `request ${number} of seed ${seed}: ${operationId}`)
    const counts = went.get(operationId)
    if (counts !== undefined && reply !== undefined) reply.status < 400 ? counts.well++ : counts.badly++
  }

  const known = operations.filter(({ path }) =>
    [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => name in things),
  )
  expect(known.length).toBeGreaterThan(20)
  for (const { operation, path } of known) {
    const { well = 0, badly = 0 } = went.get(operation.operationId) ?? {}
    expect(well, `${operation.operationId} never went well`).toBeGreaterThan(0)
    if (path.includes('{')) expect(badly, `${operation.operationId} was never refused`).toBeGreaterThan(0)
  }
  console.info(`seed ${seed}:`, Object.fromEntries([...went].map(([id, { well, badly }]) => [id, `${well}/${badly}`])))
})

async function send(team: Team, { method, path, operation }: (typeof operations)[number], place: string) {
  const address = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(name)) + queryOf(operation)
  const body = bodyOf(operation, by, personal)
  const type = Object.keys(operation.requestBody?.content ?? {})[0] ?? 'application/json'
  const headers: Record<string, string> = {
    ...(by.is(0.97) ? { authorization: `Bearer ${by.is(0.97) ? team.token : header()}` } : {}),
    ...(body === undefined
      ? {}
      : { 'content-type': by.is(0.97) ? type : by.pick(['text/plain', 'application/xml', '']) }),
    ...(by.is(0.2) ? { 'idempotency-key': by.is(0.7) ? crypto.randomUUID() : header() } : {}),
    ...(by.is(0.1) ? { 'if-match': by.pick(['"1-0"', '"1-1"', '*', 'W/"2-0"', header()]) } : {}),
    ...(by.is(0.1) ? { 'if-none-match': by.pick(['"1-0"', '*', '"1-0", "2-0"', header()]) } : {}),
  }
  const verb = by.is(0.98) ? method.toUpperCase() : by.pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
  const sent = body !== undefined && !['GET', 'HEAD'].includes(verb) ? { body } : {}
  try {
    // Held to the document on the way.
    const reply = await request(verb, address, { headers, ...sent })
    remember(operation.operationId, reply)
    const said = JSON.stringify([reply.errors, reply.meta])
    if (INTERNALS.test(said)) throw new Error(`told of our insides: ${said}`)
    const faults: { code: string }[] = reply.meta?.errors ?? []
    if (reply.status >= 500 && !faults.every(({ code }) => code.startsWith('provider_')))
      throw new Error(`a fault of ours: ${said}`)
    return reply
  } catch (error) {
    // What the client side refuses to send never reached us.
    if (error instanceof TypeError && /header|URL|URI/i.test(error.message)) return undefined
    throw new Error(`${place}\n${verb} ${address} ${JSON.stringify(headers)}\n${body?.slice(0, 2_000)}`, {
      cause: error,
    })
  }
}

function segment(name: string): string {
  const known = things[name] ?? []
  if (known.length > 0 && by.is(0.9)) return encodeURIComponent(by.pick(known))
  if (by.is(0.1)) return by.pick(['%', '%E0%A4%A', '%00', '..%2f..', '%2F', 'a%20b', ';', ':', '@', '*', '~'])
  return encodeURIComponent(by.pick(NASTY_TEXTS).toWellFormed()) || 'x'
}

function queryOf({ parameters = [] }: (typeof operations)[number]['operation']): string {
  const chosen = parameters.filter(each => each.in === 'query' && by.is(0.3))
  const value = () => (by.is(0.5) ? by.pick(['0', '1', '10', '100', 'OPEN', 'NEW', 'meera']) : by.pick(NASTY_TEXTS))
  const pairs = chosen.map(({ name = '' }): [string, string] => [name, value().toWellFormed()])
  if (by.is(0.03)) pairs.push([by.pick(NASTY_TEXTS).toWellFormed(), 'x'])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const header = (): string =>
  by
    .pick(NASTY_TEXTS)
    .replace(/[^\x20-\xff]/g, 'ÿ')
    .slice(0, 300)

/** Bodies that many can send without being in each other's way: keys and names of their own. */
function personal(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || by.is(0.1)) return body
  const own = { ...(body as Record<string, unknown>) }
  if ('username' in own)
    Object.assign(own, { username: crypto.randomUUID(), email: `${crypto.randomUUID()}@acme.example` })
  if (typeof own.data === 'object' && own.data !== null && 'lead_id' in own.data && by.is(0.8))
    own.data = { ...own.data, lead_id: crypto.randomUUID() }
  return own
}

function remember(operationId: string, { status, data }: Reply): void {
  const kind = MADE[operationId]
  if (kind === undefined || status >= 300) return
  things[kind]?.push(data.id)
  if (kind === 'processId' && typeof data.data?.lead_id === 'string') things.primaryKeyValue?.push(data.data.lead_id)
}
