import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { DAY_MS } from '../src/time-units.ts'
import { startTeam } from './support/check-server.ts'
import { expectSame, heldExpectations } from './support/expectations.ts'

// The demo team of `npm start` has a past, which was not made through the API: whether it hangs together, as the API tells it.
const PROCEDURES = ['enquiry', 'service_request', 'site_visit']
const PROCESSES_MIN = 2_800
const SAMPLES_OF_EACH = 25

interface Envelope<Data> {
  _data: Data
  _meta: { next: number | string | null }
  _errors: string[]
}
interface Process {
  id: string
  createdAt: number
  updatedAt: number
  state: string
  status: string
  assignedTo: string | null
  nextActionAt: number | null
  record: { id: string } | null
  data: Record<string, unknown>
}
interface Change {
  field: string
  from: unknown
  to: unknown
}
interface Past {
  version: number
  type: string
  at: number
  by: { user: string | null; apiKey: string | null; job: string | null }
  changes: Change[]
  sequence: number
}

const running = await startTeam('demo')
const headers = { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' }

async function call<Data>(path: string, body?: unknown, more?: HeadersInit): Promise<Envelope<Data>> {
  const init = {
    headers: { ...headers, ...more },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  }
  const response = await fetch(running.url + path, init)
  const envelope = (await response.json()) as Envelope<Data>
  if (!response.ok) throw new Error(`${path}: ${response.status} ${envelope._errors.join('; ')}`)
  return envelope
}
const toProcessesPath = (procedure: string) => `/v1/ext/procedure/${procedure}/process`

/** The fields that a history tells of, flat. */
const told = ({ status, state, assignedTo, nextActionAt, record, data }: Process): Record<string, unknown> => ({
  status,
  state,
  assignedTo,
  nextActionAt,
  record: record?.id ?? null,
  ...Object.fromEntries(Object.entries(data).map(([name, value]) => [`data.${name}`, value])),
})

async function loadHistory(procedure: string, id: string): Promise<Past[]> {
  const { _data: past, _meta } = await call<Past[]>(`${toProcessesPath(procedure)}/${id}/history?limit=100`)
  expectSame(_meta.next, null, `the history of ${id} is one page`)
  return past.reverse()
}

/** Each change begins where the one before has ended, and the last one ends at the process. */
async function readsRight(procedure: string, process: Process): Promise<void> {
  const past = await loadHistory(procedure, process.id)
  const now: Record<string, unknown> = {}
  for (const [nth, { version, type, at, changes, by }] of past.entries()) {
    expectSame(version, nth + 1, `the versions of ${process.id}`)
    expectSame(type, nth === 0 ? 'process.created' : 'process.updated', `what happened to ${process.id}`)
    expectSame(by.user === null, false, `somebody has changed ${process.id}`)
    expectSame(at >= (past[nth - 1]?.at ?? process.createdAt), true, `the times of ${process.id}`)
    for (const { field, from, to } of changes) {
      if (!isDeepStrictEqual(now[field] ?? null, from)) throw new Error(`${process.id} ${version} ${field}: ${from}`)
      now[field] = to
    }
    const { _data: then } = await call<Process>(`${toProcessesPath(procedure)}/${process.id}?asOf=${version}`)
    isAs(told(then), now, `${process.id} as of version ${version}`)
    const { _data: ofTime } = await call<Process>(`${toProcessesPath(procedure)}/${process.id}?asOf=${at}`)
    expectSame(ofTime.updatedAt, at, `${process.id} as of ${at}`)
  }
  expectSame(past[0]?.at, process.createdAt, `when ${process.id} was made`)
  expectSame(past.at(-1)?.at, process.updatedAt, `when ${process.id} was changed last`)
  isAs(told(process), now, `${process.id} now`)
}

function isAs(found: Record<string, unknown>, wanted: Record<string, unknown>, about: string): void {
  for (const name of new Set([...Object.keys(found), ...Object.keys(wanted)]))
    if (!isDeepStrictEqual(found[name] ?? null, wanted[name] ?? null))
      throw new Error(`${about}: ${name} is ${found[name]} instead of ${wanted[name]}`)
}

async function processes(): Promise<void> {
  let all = 0
  for (const procedure of PROCEDURES) {
    const by = async (...fields: unknown[]) =>
      (
        await call<{ group: Record<string, unknown>; count: number }[]>(`${toProcessesPath(procedure)}/aggregate`, {
          groupBy: fields,
        })
      )._data
    const states = await by('status', 'state')
    const count = states.reduce((sum, each) => sum + each.count, 0)
    const months = await by({ field: 'createdAt', by: 'month' })
    expectSame(months.length >= 4, true, `${procedure} was made over months`)
    expectSame(
      months.reduce((sum, each) => sum + each.count, 0),
      count,
      `${procedure}, by month`,
    )
    all += count
    const some = (await call<Process[]>(`${toProcessesPath(procedure)}/list?all=true`, {}))._data
    for (let nth = 0; nth < SAMPLES_OF_EACH; nth++) {
      const process = some[Math.floor((nth * some.length) / SAMPLES_OF_EACH)]
      if (process) await readsRight(procedure, process)
    }
  }
  expectSame(all >= PROCESSES_MIN, true, `there are ${all} processes`)
}

/** Each filter finds the same by its index and by a scan: slots, elements and words are there. */
async function indexes(): Promise<void> {
  const { _data: all } = await call<Process[]>(`${toProcessesPath('enquiry')}/list?all=true`, {})
  const count = async (where: object) =>
    (await call<{ count: number }[]>(`${toProcessesPath('enquiry')}/aggregate`, { where }))._data[0]?.count
  const wanted = (has: (process: Process) => boolean) => all.filter(has).length
  expectSame(
    await count({ interests: 'battery' }),
    wanted(({ data }) => has(data.interests, 'battery')),
    'an element',
  )
  expectSame(
    await count({ city: 'Pune' }),
    wanted(({ data }) => data.city === 'Pune'),
    'an attribute',
  )
  expectSame(
    await count({ score: { '>=': 70 } }),
    wanted(({ data }) => Number(data.score) >= 70),
    'a range',
  )
  expectSame(
    await count({ status: 'OPEN' }),
    wanted(({ status }) => status === 'OPEN'),
    'a field',
  )
  const { _data: found } = await call<Process[]>(`${toProcessesPath('enquiry')}/list`, {
    search: 'monsoon pune',
    limit: 100,
  })
  expectSame(
    found.length,
    wanted(({ data }) => /monsoon/.test(String(data.notes)) && data.city === 'Pune'),
    'words',
  )
  expectSame(new Set(all.map(({ record }) => record?.id)).size < all.length, true, 'customers with several processes')
}

const has = (list: unknown, value: string): boolean => Array.isArray(list) && list.includes(value)

/** The log has each number, and the feed shows the last month of it. */
async function feed(): Promise<void> {
  const { _data: state } = await call<{ oldest: number; latest: number }>('/v1/ext/event-feed')
  // The oldest ones leave it while this is read.
  let after = state.oldest + 20
  let first: string | undefined
  while (after < state.latest) {
    const { _data: events } = await call<{ sequence: number; timestamp: string }[]>(
      `/v1/ext/event?after=${after}&limit=100`,
    )
    for (const event of events) {
      expectSame(Number(event.sequence), ++after, 'the numbers of the log')
      first ??= event.timestamp
    }
  }
  expectSame(Date.now() - Date.parse(first ?? '') > 25 * DAY_MS, true, `the feed begins at ${first}`)
}

const JOB_BEGINS_SECONDS_MAX = 60

/** The demo has each state that the pages of the admin area distinguish. */
async function states(): Promise<void> {
  const statuses = async (path: string) =>
    (await call<{ status?: string; completionStatus?: string; enabled?: boolean }[]>(path))._data.map(
      ({ status, completionStatus, enabled }) => status ?? completionStatus ?? String(enabled),
    )
  const includes = (found: string[], wanted: string[], about: string) =>
    expectSame(
      wanted.filter(each => !found.includes(each)),
      [],
      `${about} among ${found}`,
    )
  const jobs = await statuses('/v1/ext/background-job')
  includes(jobs, ['SUCCESS', 'ERROR', 'NOT_STARTED', 'CANCELLED', 'IN_PROGRESS'], 'jobs')
  // The first message of a job stops it.
  const plugins = () => statuses('/v1/ext/plugin')
  for (let second = 0; second < JOB_BEGINS_SECONDS_MAX && !(await plugins()).includes('STOPPED'); second++)
    await setTimeout(1_000)
  includes(await plugins(), ['ACTIVE', 'STOPPED'], 'plugins')
  includes(await statuses('/v1/ext/webhook'), ['true', 'false'], 'webhooks')
  const { _data: webhooks } = await call<{ id: string; description: string }[]>('/v1/ext/webhook')
  const failing = webhooks.find(({ description }) => description.startsWith('Accounting'))
  const deliveries = `/v1/ext/webhook/${failing?.id}/delivery?failed=true`
  expectSame((await call<unknown[]>(deliveries))._data.length > 0, true, 'a delivery that failed')
  const { _data: keys } = await call<{ expiresAt: number | null }[]>('/v1/ext/api-key')
  expectSame(keys.filter(({ expiresAt }) => (expiresAt ?? Infinity) < Date.now() + 7 * DAY_MS).length, 1, 'a key')
}

try {
  const { _data: health } = await call<{ status: string }>('/v1/health?deep=true', undefined, {
    authorization: `Bearer ${running.operator}`,
  })
  expectSame(health.status, 'ok', JSON.stringify(health))
  const { _data: users } = await call<{ role: { shortId: string } | string }[]>('/v1/ext/users')
  expectSame(users.length, 11, 'the users')
  await processes()
  await indexes()
  await feed()
  await states()
  console.log(`the demo team hangs together: ${heldExpectations()} checks`)
} finally {
  await running.stop()
}
