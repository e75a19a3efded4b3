import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { advanceTo } from '../support/clock.ts'
import { randomFaults } from '../support/faults.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam, rowEntriesBy } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'
import { createRandom, type Random } from '../support/random.ts'
import { IS_CHAOS, SEED } from '../support/seed.ts'
import { type Change, type Lead, Model, randomChange, randomCity, randomValues } from './model.ts'
import { expectChains, expectRecordChanges, type Replayed, readFeed, replayChanges } from './replay.ts'

// Random changes by calls and jobs, while anything fails: then the log, replayed from zero, is what the team has.

const RUNS = Number(env.RUNS || (IS_CHAOS ? 40 : 2))
const ROUNDS = 14
const ATTEMPTS_MAX = 12
const KEYS = ['A', 'B', 'C', 'D', 'E', 'F', 'G']
const RECORD = '/v1/ext/record'
const VARS = { JOB_TUNING: { chunkEntries: 4, sliceChunks: 2, timeLimitMs: 250 } }

interface Snapshot {
  at: number
  processes: Map<string, Shown>
}

interface Run {
  team: Team
  random: Random
  harness: Harness
  model: Model
  phones: string[]
  /** The values with which each process was made. */
  madeWith: Map<string, Omit<Replayed, 'version' | 'isDeleted'>>
  erased: Set<string>
  /** True if jobs have data of a customer, which is erased after the response. */
  hasJobs: boolean
}

const shuffled = <T>(random: Random, items: readonly T[]): T[] =>
  items
    .map(item => ({ item, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item)

/** Repeats a call until its answer is certain. What takes no key is known to be done where it is repeated in vain. */
async function certain({ team, harness }: Run, method: string, path: string, body?: unknown) {
  const headers: Record<string, string> = method === 'DELETE' ? {} : { 'idempotency-key': crypto.randomUUID() }
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const reply = await harness.request(team, method, path, body, headers)
    if (reply.status < 500) return { ...reply, isRepeated: attempt > 1 }
  }
  throw new Error(`${method} ${path} never had an answer`)
}

async function perform(run: Run, change: Change): Promise<void> {
  const { model } = run
  const { status, body, isRepeated } = await send(run, change)
  const id = body._data?.id ?? ''
  const expected = model.apply(change, id)
  const got = status >= 400 ? 'refused' : change.do === 'create' || expected === 'made' ? 'made' : 'changed'
  const isDone = change.do === 'delete' && status === 404 && isRepeated
  expect(isDone ? expected : got, JSON.stringify([change, body])).toBe(expected)
  if (expected === 'made') noteMade(run, body._data)
}

function send(run: Run, change: Change) {
  const at = `${LEADS}/lead_id/${change.key}`
  if (change.do === 'create') return certain(run, 'POST', LEADS, change.body)
  if (change.do === 'upsert') return certain(run, 'PUT', LEADS, change.body)
  if (change.do === 'update') return certain(run, 'PUT', at, change.body)
  if (change.do === 'restore') return certain(run, 'POST', `${LEADS}/${change.id}/restore`)
  return certain(run, 'DELETE', at)
}

type Shown = Omit<Replayed, 'version' | 'record'> & { record: { id: string; data: object } | null }

function noteMade({ madeWith }: Run, { id, data, status, state, record }: Shown): void {
  madeWith.set(id, { id, data, status, state, record: record?.id ?? null })
}

const getEntry = (change: Change) => {
  const named = { procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: change.key }
  if (change.do === 'delete') return { apiType: 'PROCESS_DELETE', apiData: named }
  if (change.do === 'update') return { apiType: 'PROCESS_UPDATE', apiData: { ...named, processUpdate: change.body } }
  if (change.do === 'restore') throw new Error('no job restores')
  return { apiType: 'PROCESS_CREATE', apiData: { procedureId: 'lead', processCreate: change.body } }
}

/** Runs a job, whose processes are known by its results and by the log. */
async function runJob(run: Run, changes: readonly Change[]): Promise<void> {
  const { model, harness, team } = run
  const { status, body } = await certain(run, 'POST', JOBS, { entries: changes.map(getEntry) })
  expect(status, JSON.stringify(body)).toBe(202)
  run.hasJobs = true
  await harness.settle(team)
  const { data } = await team.call('GET', `${JOBS}/${body._data.id}/entries`)
  const made: Lead[] = []
  for (const [nth, change] of changes.entries()) {
    const id = data[nth].completionResult?.processId ?? data[nth].completionResult?.id ?? ''
    const expected = model.apply(change, id)
    expect([change, data[nth].completionStatus]).toEqual([change, expected === 'refused' ? 'ERROR' : 'SUCCESS'])
    if (expected !== 'made') continue
    const lead = model.alive(change.key)
    if (!lead) throw new Error('the model lost what it made')
    made.push(structuredClone(lead))
  }
  await identify(run)
  for (const { id, data, status, state, customer } of made)
    run.madeWith.set(id, { id, data, status, state, record: customer && (model.known(customer.phone)?.id ?? null) })
}

/** Looks up the ids of new customers. */
async function identify({ team, model }: Run): Promise<void> {
  for (const customer of model.customers)
    if (customer.id === '') customer.id = (await team.call('GET', `${RECORD}?phone=${customer.phone}`)).data[0].id
}

/** Makes some calls and a job at the same time, each with processes and customers of its own. */
async function changeAtOnce(run: Run): Promise<void> {
  const { random, model } = run
  const [keys, phones] = [shuffled(random, KEYS), shuffled(random, run.phones)]
  const singles = keys
    .splice(0, random.whole(1, 3))
    .map(key => randomChange(random, model, { key, phone: phones.pop(), isEntry: false }))
  const entries = Array.from({ length: random.chance(0.6) ? random.whole(1, 9) : 0 }, () =>
    randomChange(random, model, { key: random.pick(keys), phone: phones[0], isEntry: true }),
  )
  await Promise.all([
    ...singles.map(change => perform(run, change)),
    ...(entries.length > 0 ? [runJob(run, entries)] : []),
  ])
}

async function changeWhere(run: Run): Promise<void> {
  const { random, model, team, harness } = run
  const city = randomCity(random)
  const isDeleted = random.chance(0.3)
  const score = random.whole(10, 19)
  const update = isDeleted ? { isDeleted } : { data: { score } }
  const { status, body } = await certain(run, 'PATCH', LEADS, { where: { city }, update })
  expect(status, JSON.stringify(body)).toBe(202)
  run.hasJobs = true
  await harness.settle(team)
  for (const { key, data, isDeleted: isGone } of model.leads)
    if (!isGone && data.city === city)
      model.apply(isDeleted ? { do: 'delete', key } : { do: 'update', key, body: { data: { score } } }, '')
}

async function changeCustomer(run: Run): Promise<void> {
  const { random, model } = run
  const customers = model.customers.filter(({ isErased }) => !isErased)
  if (customers.length === 0) return
  const customer = random.pick(customers)
  const { id } = customer
  if (random.chance(0.6)) {
    const data = randomValues(random, customer.phone)
    expect((await certain(run, 'PUT', `${RECORD}/${id}`, { data })).body._data.data).toMatchObject(
      model.merge(customer.phone, data).data,
    )
    return
  }
  const { status, isRepeated } = await certain(run, 'DELETE', `${RECORD}/${id}`)
  const answer = run.hasJobs ? 202 : 200
  expect(isRepeated ? [answer, 404] : [answer]).toContain(status)
  model.erase(customer)
  run.erased.add(id)
}

/** Returns all present processes, by their list. */
async function listProcesses(team: Team): Promise<Map<string, Shown>> {
  const { data } = await team.call('POST', `${LEADS}/list`, { limit: 100 })
  return new Map((data as Shown[]).map(each => [each.id, each]))
}

async function expectModel({ team, model }: Run): Promise<Map<string, Shown>> {
  const processes = await listProcesses(team)
  const shown = [...processes.values()].map(({ id, data, status, state, record }) => [
    id,
    data,
    status,
    state,
    record?.data ?? null,
  ])
  const expected = model.leads
    .filter(({ isDeleted }) => !isDeleted)
    .map(({ id, data, status, state, customer }) => [id, data, status, state, customer?.data ?? null])
  expect(Object.fromEntries(shown.map(([id, ...rest]) => [id, rest]))).toEqual(
    Object.fromEntries(expected.map(([id, ...rest]) => [id, rest])),
  )
  return processes
}

async function expectReplay(
  { team, random, model, madeWith, erased }: Run,
  processes: Map<string, Shown>,
): Promise<void> {
  await expectChains(team)
  const events = await readFeed(team, random)
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, nth) => nth + 1))
  const taken = new Map<string, Shown>()
  for (const { type, data } of events) {
    const { process } = data as { process?: Shown | null }
    if (type.startsWith('process.') && process) taken.set(process.id, process)
  }
  expect([...taken.values()].filter(({ isDeleted }) => !isDeleted).sort(compareIds)).toEqual(
    [...processes.values()].sort(compareIds),
  )
  expectRecordChanges(events, model.customers)
  const replayed = replayChanges(events, madeWith, erased)
  expect([...replayed.values()].sort(compareIds)).toEqual(
    model.leads
      .map(({ id, data, status, state, customer, version, isDeleted }) => ({
        id,
        data,
        status,
        state,
        version,
        isDeleted,
        record: customer?.id ?? null,
      }))
      .sort(compareIds),
  )
  for (const { id, record, isDeleted } of replayed.values())
    if (!isDeleted) expect([id, record]).toEqual([id, processes.get(id)?.record?.id ?? null])
  expect(await listFieldChanges(team)).toBe(model.leads.reduce((sum, { version }) => sum + version, 0))
}

const compareIds = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)

/** Counts the versions of processes, by the log. */
async function listFieldChanges({ no }: Team): Promise<number> {
  const row = await env.DB.prepare(
    "SELECT sum(count) AS n FROM event WHERE team = ? AND type IN ('process.created', 'process.updated', 'process.restored')",
  )
    .bind(no)
    .first<{ n: number }>()
  return row?.n ?? 0
}

/**
 * Expects that history shows each process as it was at the end of each round, and does not find those that did not
 * exist.
 */
async function expectPast({ team, model, erased }: Run, snapshots: readonly Snapshot[]): Promise<void> {
  for (const { at, processes } of snapshots)
    for (const { id } of model.leads) {
      const now = processes.get(id)
      const { status, data } = await team.call('GET', `${LEADS}/${id}?asOf=${at}`)
      const isErased = now?.record && erased.has(now.record.id)
      const expected = now && { ...now, ...(isErased ? { record: null } : {}) }
      expect([at, id, status, status === 200 ? data : undefined]).toEqual([at, id, now ? 200 : 404, expected])
    }
}

async function survives(seed: number): Promise<void> {
  const random = createRandom(seed)
  const team = await newLeadTeam({
    states: ['NEW', 'BUSY', 'WON'].map(shortId => ({ shortId })),
    completedState: 'WON',
  })
  const harness = new Harness(
    { JOB_TUNING: { ...VARS.JOB_TUNING, ...rowEntriesBy(seed) } },
    randomFaults(createRandom(seed + 1), 0.05),
  )
  const phones = Array.from({ length: 5 }, newNumber)
  const run: Run = {
    team,
    random,
    harness,
    phones,
    model: new Model(),
    madeWith: new Map(),
    erased: new Set(),
    hasJobs: false,
  }
  const snapshots: Snapshot[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const dice = random.next()
    if (dice < 0.65) await changeAtOnce(run)
    else await (dice < 0.78 ? changeWhere(run) : changeCustomer(run))
    await harness.settle(team)
    await identify(run)
    snapshots.push({ processes: await expectModel(run), at: Date.now() })
    // The next round is later, by the clock as well.
    advanceTo(Date.now() + 10)
  }
  await expectReplay(run, snapshots.at(-1)?.processes ?? new Map())
  await expectPast(run, snapshots)
}

it(`the log, replayed from zero, gives the present state of the team, whatever fails (RUNS=${RUNS} SEED=${SEED})`, async () => {
  for (let nth = 0; nth < RUNS; nth++)
    await survives(SEED + nth).catch((error: Error) => {
      throw new Error(`seed ${SEED + nth}: ${error.message}`, { cause: error })
    })
})
