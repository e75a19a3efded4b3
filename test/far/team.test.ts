import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { WALKED_TABLES } from '../../src/team/tables.ts'
import { HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { connectSender } from './sender.ts'

const OPERATOR_TOKEN = 'operator-token-of-the-far-place-0123'
const JOBS = '/v1/ext/background-job'

afterEach(() => void vi.restoreAllMocks())

/** A request of the operator: its status, and the text of the response. */
async function operate(place: Place, method: string, path: string, body?: BodyInit) {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const init = { method, headers, ...(body === undefined ? {} : { body }) }
  return place.run(async () => {
    const response = await place.fetch(`/v1/operate${path}`, init)
    return { status: response.status, bytes: new Uint8Array(await response.arrayBuffer()) }
  })
}

const getText = ({ bytes }: { bytes: Uint8Array }) => new TextDecoder().decode(bytes)

async function operateJson(place: Place, method: string, path: string, body?: BodyInit) {
  const response = await operate(place, method, path, body)
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
  return { status: response.status, data: (JSON.parse(getText(response)) as any)._data }
}

/** Exports all rows of a team, each part of them from an isolate that does not know the part before. */
async function exported(place: Place, { id }: FarTeam): Promise<string[]> {
  const lines: string[] = []
  for (let query = ''; ; ) {
    place.vanish()
    const received = getText(await operate(place, 'GET', `/team/${id}/rows${query}`))
      .trimEnd()
      .split('\n')
    const last = JSON.parse(received.pop() ?? '{}') as { next?: string; end?: true }
    lines.push(...received)
    if (last.end) return lines
    query = `?after=${encodeURIComponent(last.next ?? '')}`
  }
}

async function erase(place: Place, { id }: FarTeam): Promise<void> {
  for (let query = ''; ; ) {
    const { status, data } = await operateJson(place, 'POST', `/team/${id}/erase${query}`)
    if (status !== 200) throw new Error(`the erasure answered ${status}`)
    if (data.done) return
    if (data.waitMs) await place.pass(data.waitMs)
    query = data.next ? `?after=${encodeURIComponent(data.next)}` : ''
  }
}

async function loadCounts({ no }: FarTeam): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name } of WALKED_TABLES) {
    const sql = `SELECT count(*) AS n FROM ${name} WHERE ${name === 'team' ? 'no' : 'team'} = ?`
    counts[name] = (await env.DB.prepare(sql).bind(no).first<{ n: number }>())?.n ?? 0
  }
  return counts
}

/** A team with processes, a customer, messages, a job whose entries are in R2, and one whose entries are not. */
async function startTeam(place: Place) {
  const team = await teamWithLeads(place)
  const line = await connectSender(team)
  const made = await team.call('POST', LEADS, { data: { lead_id: 'A' }, record: { data: { phone: '4915510000077' } } })
  const gone = await team.call('POST', LEADS, { data: { lead_id: 'gone' } }, { 'idempotency-key': 'once' })
  await team.call('DELETE', `${LEADS}/${gone.data.id}`)
  const sent = await line.send('4915510000078')
  const bulk = (name: string) =>
    team.call(
      'POST',
      `${LEADS}/bulk-create`,
      Array.from({ length: 600 }, (_, nth) => ({ lead_id: `${name}${nth}` })),
    )
  const archived = await bulk('x')
  await place.rest()
  await place.pass(HOUR_MS + MINUTE_MS)
  await place.cron()
  await place.rest()
  const recent = await bulk('y')
  await place.rest()
  const paths = [
    ...[`${LEADS}/${made.data.id}`, `${LEADS}/lead_id/y599`, `${LEADS}?limit=100`, `/v1/ext/message/${sent.data.id}`],
    ...[archived, recent].flatMap(({ data }) => [`${JOBS}/${data.id}`, `${JOBS}/${data.id}/entries?limit=100`]),
  ]
  const answers = async () => {
    const replies = []
    for (const path of paths) replies.push(await team.call('GET', path))
    return replies.map(({ status, data }, nth) => [paths[nth], status, data])
  }
  return { team, answers }
}

it('a team is exported, erased and imported again, far from its database, and no other team is touched', async () => {
  const place = far({}, { OPERATOR_TOKEN } as Partial<Env>)
  const other = await startTeam(place)
  const { team, answers } = await startTeam(place)
  const [before, answered, othersCounts] = [await loadCounts(team), await answers(), await loadCounts(other.team)]
  expect(answered.map(([, status]) => status)).toEqual(answered.map(() => 200))
  const lines = await exported(place, team)
  const { names } = (await operateJson(place, 'GET', `/team/${team.id}/objects`)).data as { names: string[] }
  const getPath = (name: string) => `/team/${team.id}/object?name=${encodeURIComponent(name)}`
  const objects: [string, Uint8Array][] = []
  for (const name of names) objects.push([name, (await operate(place, 'GET', getPath(name))).bytes])
  expect(objects).toHaveLength(1)

  await erase(place, team)
  expect(Object.values(await loadCounts(team)).every(count => count === 0)).toBe(true)
  expect((await team.call('GET', LEADS)).status).toBe(401)
  expect((await env.ARCHIVE.list({ prefix: `jobs/${team.id}/` })).objects).toEqual([])

  const send = async (part: readonly string[]) =>
    expect((await operateJson(place, 'POST', `/rows?team=${team.no}`, part.join('\n'))).status).toBe(200)
  await send(lines.slice(0, 1))
  for (const [name, bytes] of objects) expect((await operate(place, 'PUT', getPath(name), bytes)).status).toBe(200)
  for (let at = 0; at < lines.length; at += 500) await send(lines.slice(at, at + 500))
  await place.pass(MINUTE_MS)
  place.vanish()
  expect(await loadCounts(team)).toEqual(before)
  expect(await exported(place, team)).toEqual(lines)
  expect(await answers()).toEqual(answered)
  expect(await loadCounts(other.team)).toEqual(othersCounts)
})

it('an erasure of a team that breaks off anywhere starts again, and completes', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const place = far({}, { OPERATOR_TOKEN } as Partial<Env>)
  const faults = ['lost before', 'lost after', 'reset after'] as const
  // Each deletion breaks off once, by one fault or another.
  for (const [nth, fault] of faults.entries()) {
    const { team } = await startTeam(place)
    // The answer to the last step may be lost, too: then there is no such team any more.
    const tryToErase = () =>
      erase(place, team).then(
        () => true,
        (error: Error) => error.message.includes('404'),
      )
    let broken = 0
    for (place.faults.clear(); ; broken++) {
      place.faults.add({ kind: 'database', fault, about: 'DELETE FROM', skip: nth + broken * faults.length })
      if (await tryToErase()) break
      place.faults.clear()
    }
    expect(broken).toBeGreaterThan(10)
    place.faults.clear()
    expect(Object.values(await loadCounts(team)).every(count => count === 0)).toBe(true)
  }
})
