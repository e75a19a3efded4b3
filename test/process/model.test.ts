import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'
import { newNumber } from '../support/provider.ts'
import { IS_CHAOS, SEED } from '../support/seed.ts'
import { storableText } from '../support/unicode.ts'

// Random sequences of changes, some of them at the same time, against a model that fits on a page. Requests at the same
// time must have come out as in some order one after the other. RUNS from the environment.

const KEYS = ['A', 'B'] as const
const CITIES = ['Goa', 'Pune']
const NEXT: Record<string, string[]> = { NEW: ['BUSY', 'LOST'], BUSY: ['NEW', 'WON', 'LOST'], WON: [], LOST: ['BUSY'] }
/** The statuses of the states of some procedures; other procedures have none. */
const SAID: Record<string, { status?: string; startsHere?: false }> = {
  WON: { status: 'COMPLETED', startsHere: false },
  LOST: { status: 'CANCELLED' },
}
const TOGETHER_MAX = 3

const RUNS = Number(env.RUNS || (IS_CHAOS ? 300 : 20))

/** The procedure and customers of a run. */
interface World {
  said: typeof SAID
  /** The customers that there are, by their numbers: they stay as they are. */
  customers: readonly { id: string; phone: string }[]
  /** True if a new process gets the customer with its number. */
  hasPhone: boolean
}

interface Entry {
  id: string
  data: Record<string, unknown>
  status: string
  state: string
  /** The customer's id. */
  record: string | null
  version: number
  isDeleted: boolean
  isPurged: boolean
  /** The values that a revert restores, by version. */
  past: Record<number, Pick<Entry, 'data' | 'status' | 'state'>>
}

interface Body {
  data: Record<string, unknown>
  status?: string
  state?: string
  /** The position of the customer, or null for none. */
  record?: number | null
}

/** `nth`: of the processes there are, counted on from the end of the list to its beginning. */
type Address = { nth: number } | { key: string }

type Step =
  | { do: 'create'; body: Body }
  | { do: 'upsert'; body: Body }
  | { do: 'update'; at: Address; body: Body; ifMatch: number | null }
  | { do: 'delete'; at: Address; ifMatch: number | null }
  | { do: 'restore'; at: { nth: number } }
  | { do: 'revert'; at: Address; version: number; force: boolean; ifMatch: number | null }
  | { do: 'purge'; at: { nth: number }; ifMatch: number | null }
  /** A change by a job, whose entry has no more than its success. */
  | { do: 'bulk update'; at: { nth: number }; body: Body }
  | { do: 'bulk upsert'; body: Body }
  | { do: 'bulk delete'; at: { nth: number } }
  | { do: 'bulk restore'; at: { nth: number } }

interface Outcome {
  status: number
  code?: string
  data?: unknown
}

const getKey = ({ data }: Entry) => data.key
const alive = (entries: Entry[], key: unknown) =>
  entries.find(each => !each.isDeleted && key !== undefined && getKey(each) === key)

const refuse = (status: number, code: string): Outcome => ({ status, code })
const show = ({ id, data, status, state, record, isDeleted }: Omit<Entry, 'version' | 'isPurged' | 'past'>) => ({
  id,
  data,
  status,
  state,
  record,
  isDeleted,
})

/** Adds a version that can be reverted to. */
function next(entry: Entry): Entry {
  const { data, status, state, version, past } = entry
  return { ...entry, version: version + 1, past: { ...past, [version + 1]: { data, status, state } } }
}

function changed({ said, customers }: World, entry: Entry, { data, status, state, record }: Body): Entry {
  const merged = { ...entry.data, ...data }
  for (const [name, value] of Object.entries(merged)) if (value === null) delete merged[name]
  const moved = state ?? (status === 'COMPLETED' ? 'WON' : undefined)
  let ends = status ?? entry.status
  if (status === undefined && moved !== undefined) {
    const isLeft = said[entry.state]?.status !== undefined
    ends = said[moved]?.status ?? (isLeft ? 'OPEN' : entry.status)
  }
  const customer = record === undefined ? entry.record : record === null ? null : (customers[record]?.id ?? null)
  return next({ ...entry, data: merged, status: ends, state: moved ?? entry.state, record: customer })
}

/** The customer with the number of a new process, if nobody is named. */
function created(world: World, id: string, body: Body): Entry {
  const of = world.hasPhone ? world.customers.find(({ phone }) => phone === body.data.tel) : undefined
  const blank = { id, data: {}, status: 'OPEN', state: 'NEW', record: of?.id ?? null, version: 0 }
  return changed(world, { ...blank, isDeleted: false, isPurged: false, past: {} }, body)
}

/** Predicts the response to a step and the state after it. `reply` has the id of a new process. */
function predict(
  world: World,
  entries: Entry[],
  { step, reply }: { step: Step; reply: Reply },
  found: Entry | undefined,
): { outcome: Outcome; entries: Entry[] } {
  const stay = (outcome: Outcome) => ({ outcome, entries })
  const become = (status: number, entry: Entry, isShown = true) => ({
    outcome: isShown ? { status, data: show(entry) } : { status },
    entries: entries.some(each => each.id === entry.id)
      ? entries.map(each => (each.id === entry.id ? entry : each))
      : [...entries, entry],
  })
  const isUpsert = step.do === 'upsert' || step.do === 'bulk upsert'
  if (step.do === 'create' || (isUpsert && !alive(entries, step.body.data.key))) {
    const entry = created(world, reply.data.id, step.body)
    if (world.said[entry.state]?.startsHere === false && (step.body.state || step.body.status === 'COMPLETED'))
      return stay(refuse(400, 'invalid_request'))
    return alive(entries, getKey(entry))
      ? stay(refuse(409, 'duplicate_primary_key'))
      : become(201, entry, step.do !== 'bulk upsert')
  }
  const target = isUpsert ? alive(entries, step.body.data.key) : found
  const now = target && entries.find(each => each.id === target.id)
  const holder = (entry: Entry) => {
    const other = alive(entries, getKey(entry))
    return other !== undefined && other.id !== entry.id
  }
  if (step.do === 'restore' || step.do === 'bulk restore') {
    const isBulk = step.do === 'bulk restore'
    // An existing process stays as it is.
    if (isBulk && now && !now.isDeleted && !now.isPurged) return stay({ status: 200 })
    if (!now?.isDeleted || now.isPurged) return stay(refuse(404, 'not_found'))
    if (holder(now)) return stay(refuse(409, 'duplicate_primary_key'))
    return become(200, next({ ...now, isDeleted: false }), !isBulk)
  }
  // Jobs still have data of it: a second request is told so.
  if (step.do === 'purge' && now?.isPurged)
    return stay(reply.status === 202 ? { status: 202 } : refuse(404, 'not_found'))
  if (step.do === 'purge' && now?.isDeleted && step.ifMatch === null)
    return become(202, { ...now, isDeleted: true, isPurged: true }, false)
  if (!now || now.isDeleted || now.isPurged) return stay(refuse(404, 'not_found'))
  const isOutdated = 'ifMatch' in step && step.ifMatch !== null && tagFor(step.ifMatch, target) !== tagFor(0, now)
  if (step.do === 'revert') {
    const past = now.past[step.version]
    if (!past) return stay(refuse(404, 'not_found'))
    if (isOutdated) return stay(refuse(412, 'precondition_failed'))
    const reverted = { ...now, ...past }
    if (JSON.stringify(sorted(show(reverted))) === JSON.stringify(sorted(show(now)))) return become(200, now)
    const isMove = reverted.state !== now.state && !NEXT[now.state]?.includes(reverted.state)
    if (isMove && !step.force) return stay(refuse(409, 'transition_not_allowed'))
    return holder(reverted) ? stay(refuse(409, 'duplicate_primary_key')) : become(200, next(reverted))
  }
  if (isOutdated) return stay(refuse(412, 'precondition_failed'))
  if (step.do === 'purge') return become(202, { ...now, isDeleted: true, isPurged: true }, false)
  if (step.do === 'delete' || step.do === 'bulk delete')
    return become(200, { ...now, isDeleted: true }, step.do === 'delete')
  const after = changed(world, now, step.body)
  if (after.state !== now.state && !NEXT[now.state]?.includes(after.state))
    return stay(refuse(409, 'transition_not_allowed'))
  return holder(after) ? stay(refuse(409, 'duplicate_primary_key')) : become(200, after, !step.do.startsWith('bulk'))
}

/** 0: the tag as it was when the requests were sent; else one that is out of date. */
const tagFor = (ifMatch: number, seen: Pick<Entry, 'version' | 'record'> | undefined) =>
  `${(seen?.version ?? 1) - ifMatch}-${seen?.record ? 1 : 0}`

const at = (entries: Entry[], address: Address): Entry | undefined =>
  'nth' in address ? entries[entries.length - 1 - (address.nth % Math.max(1, entries.length))] : undefined

/** Returns the body to send, with the customer by its id. */
const sent = ({ customers }: World, { record, ...body }: Body) => ({
  ...body,
  ...(record === undefined ? {} : { record: record === null ? null : { id: customers[record]?.id } }),
})

async function perform(world: World, team: Team, api: Processes, entries: Entry[], step: Step): Promise<Reply> {
  if (step.do === 'create') return api.create(sent(world, step.body))
  if (step.do === 'upsert') return api.upsert(sent(world, step.body))
  if (step.do === 'bulk upsert') return changeByJob(team, 'POST', `${api.path}/bulk-upsert`, sent(world, step.body))
  const seen = at(entries, step.at)
  const address = 'key' in step.at ? `key/${step.at.key}` : (seen?.id ?? crypto.randomUUID())
  if (step.do === 'restore') return api.restore(address)
  if (step.do === 'bulk update')
    return changeByJob(team, 'PATCH', api.path, { id: address, update: sent(world, step.body) })
  if (step.do === 'bulk delete' || step.do === 'bulk restore')
    return changeByJob(team, 'PATCH', api.path, { id: address, isDeleted: step.do === 'bulk delete' })
  const known = 'key' in step.at ? alive(entries, step.at.key) : seen
  const headers = step.ifMatch === null ? {} : { 'if-match': `"${tagFor(step.ifMatch, known)}"` }
  if (step.do === 'revert') {
    const { version, force } = step
    return team.call('PUT', `${api.path}/${address}/revert`, { version, ...(force ? { force } : {}) }, headers)
  }
  if (step.do === 'purge') return team.call('DELETE', `${api.path}/${address}?purge=true`, undefined, headers)
  return step.do === 'update' ? api.update(address, sent(world, step.body), headers) : api.remove(address, headers)
}

const STATUS_OF_CODE: Record<string, number> = { not_found: 404, invalid_request: 400 }

/** An entry of a job, as the answer of a call. */
async function changeByJob(team: Team, method: 'PATCH' | 'POST', path: string, item: object): Promise<Reply> {
  const accepted = await team.call(method, path, { processes: [item] })
  expect(accepted.status, accepted.errors.join()).toBe(202)
  await waitForJob(team, accepted.data.id)
  const entries = await team.call('GET', `/v1/ext/background-job/${accepted.data.id}/entries`)
  const [{ completionStatus, completionResult }] = entries.data
  if (completionStatus === 'SUCCESS') {
    const { id, created } = completionResult
    return { ...entries, status: created ? 201 : 200, data: { id } }
  }
  const [{ code }] = completionResult.errors
  return { ...entries, status: STATUS_OF_CODE[code] ?? 409, data: {}, meta: { errors: [{ code }] } }
}

function getOutcome({ status, data, meta }: Reply): Outcome {
  if (status >= 300) return { status, code: meta.errors[0].code }
  return 'status' in data ? { status, data: show({ ...data, record: data.record?.id ?? null }) } : { status }
}

function* orders<T>(items: T[]): Generator<T[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries())
    for (const rest of orders(items.filter((_, other) => other !== index))) yield [item, ...rest]
}

/** Every state that some order of the steps leads to in which each would have been answered as it was. */
function explanations(world: World, entries: Entry[], done: { step: Step; reply: Reply }[]): Entry[][] {
  const before = entries
  return [...orders(done)].flatMap(order => {
    let now = entries
    for (const { step, reply } of order) {
      const found = 'at' in step ? ('key' in step.at ? alive(now, step.at.key) : at(before, step.at)) : undefined
      const seen = found && (before.find(each => each.id === found.id) ?? found)
      const tagged = 'at' in step && 'key' in step.at ? alive(before, step.at.key) : seen
      const asSeen = found && { ...found, version: tagged?.version ?? 1, record: tagged?.record ?? null }
      const { outcome, entries: next } = predict(world, now, { step, reply }, asSeen)
      if (JSON.stringify(sorted(outcome)) !== JSON.stringify(sorted(getOutcome(reply)))) return []
      now = next
    }
    return [now]
  })
}

const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .sort()
          .map(([name, inner]) => [name, sorted(inner)]),
      )
    : value

const compareIds = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

type Shown = Omit<Entry, 'record'> & { record: { id: string } | null }
const shownIn = (data: Shown[]) =>
  data
    .map(each => show({ ...each, record: each.record?.id ?? null }))
    .sort(compareIds)
    .map(sorted)

async function readAll(team: Team, path: string): Promise<unknown> {
  const read = async (where: object) => {
    const { data } = await team.call('POST', `${path}/list`, { where, limit: 100 })
    return shownIn(data)
  }
  const byCity = await Promise.all(CITIES.map(city => read({ city })))
  const byKey = await Promise.all(KEYS.map(key => read({ key })))
  const { data: trash } = await team.call('GET', `${path}/trash?limit=100`)
  return { all: await read({}), byCity, byKey, trash: shownIn(trash) }
}

function readModel(entries: Entry[]): unknown {
  const read = (keep: (entry: Entry) => boolean) =>
    entries
      .filter(each => !each.isPurged && keep(each))
      .map(show)
      .sort(compareIds)
      .map(sorted)
  return {
    all: read(({ isDeleted }) => !isDeleted),
    byCity: CITIES.map(city => read(({ data, isDeleted }) => !isDeleted && data.city === city)),
    byKey: KEYS.map(key => read(({ data, isDeleted }) => !isDeleted && data.key === key)),
    trash: read(({ isDeleted }) => isDeleted),
  }
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const data = fc
  .record({
    key: maybe(fc.constantFrom(...KEYS, null)),
    city: maybe(fc.constantFrom(...CITIES, null)),
    n: maybe(fc.nat({ max: 3 })),
    'o"d.d': maybe(fc.oneof(fc.constantFrom(null, 'x', [1]), storableText(3))),
    tel: maybe(fc.constantFrom('tel 0', 'tel 1', '12', null)),
  })
  .map(made => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)))
const body = fc
  .record({
    data,
    status: maybe(fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED')),
    state: maybe(fc.constantFrom(...Object.keys(NEXT))),
    record: maybe(fc.constantFrom(null, 0, 1)),
  })
  .map(
    ({ data, status, state, record }): Body => ({
      data,
      ...(status ? { status } : {}),
      ...(state ? { state } : {}),
      ...(record === undefined ? {} : { record }),
    }),
  )
const nth = fc.nat({ max: 3 }).map(value => ({ nth: value }))
const address: fc.Arbitrary<Address> = fc.oneof(
  nth,
  fc.constantFrom(...KEYS).map(key => ({ key })),
)
const ifMatch = fc.option(fc.nat({ max: 1 }), { freq: 2 })
const keyed = fc
  .tuple(body, fc.constantFrom(...KEYS))
  .map(([made, key]): Body => ({ ...made, data: { ...made.data, key } }))
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('create' as const), body }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('upsert' as const), body: keyed }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('update' as const), at: address, body, ifMatch }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), at: address, ifMatch }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('restore' as const), at: nth }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('revert' as const),
      at: address,
      version: fc.integer({ min: 1, max: 4 }),
      force: fc.boolean(),
      ifMatch,
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('purge' as const), at: nth, ifMatch }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bulk update' as const), at: nth, body }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('bulk upsert' as const), body: keyed }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bulk delete' as const), at: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('bulk restore' as const), at: nth }) },
)
const history = fc.array(fc.array(step, { minLength: 1, maxLength: TOGETHER_MAX }), { minLength: 3, maxLength: 10 })

it(`a sequence of calls ends as the model does, whatever is done in whatever order (RUNS=${RUNS} SEED=${SEED})`, async () => {
  const team = await newTeam()
  let procedures = 0
  const customers: { id: string; phone: string }[] = []
  for (const phone of [newNumber(), newNumber()]) {
    const { data } = await team.call('POST', '/v1/ext/record', { data: { phone } })
    customers.push({ id: data.id, phone })
  }
  /** A number of a customer is known when the team is. */
  const named = (value: unknown) => customers[['tel 0', 'tel 1'].indexOf(String(value))]?.phone ?? value
  const replaceNumbers = (one: Step): Step =>
    'body' in one && 'tel' in one.body.data
      ? { ...one, body: { ...one.body, data: { ...one.body.data, tel: named(one.body.data.tel) } } }
      : one
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), fc.boolean(), async (drawn, saysMore, hasPhone) => {
      const world: World = { said: saysMore ? SAID : {}, customers, hasPhone }
      const groups = drawn.map(group => group.map(replaceNumbers))
      const states = Object.entries(NEXT).map(([shortId, next]) => ({ shortId, next, ...world.said[shortId] }))
      const attributes = [
        ...[attribute('key', 'string'), attribute('city', 'string', { indexed: true })],
        attribute('tel', 'string'),
      ]
      const phoneAttribute = hasPhone ? { phoneAttribute: 'tel' } : {}
      const definition = { states, attributes, primaryKey: 'key', ...phoneAttribute }
      const api = await newProcedure(team, definition, `model${++procedures}`)
      let entries: Entry[] = []
      for (const group of groups) {
        const done = await Promise.all(
          group.map(async one => ({ step: one, reply: await perform(world, team, api, entries, one) })),
        )
        const said = () => JSON.stringify(done.map(each => ({ ...each.step, answer: getOutcome(each.reply) })))
        const possible = explanations(world, entries, done)
        expect(possible.length, `no order explains ${said()} on ${JSON.stringify(entries)}`).toBeGreaterThan(0)
        const actual = JSON.stringify(await readAll(team, api.path))
        const explained = possible.find(each => JSON.stringify(readModel(each)) === actual)
        expect(
          explained,
          `after ${said()} there is ${actual}, not ${JSON.stringify(possible.map(readModel))}`,
        ).toBeDefined()
        entries = explained ?? []
      }
    }),
    { numRuns: RUNS },
  )
})
