import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'
import { SEED } from '../support/seed.ts'

// Random sequences of changes, some of them at the same time, against a model that fits on a page. Requests at the same
// time must have come out as in some order one after the other. RUNS from the environment.

const KEYS = ['A', 'B'] as const
const CITIES = ['Goa', 'Pune']
const STATES: Record<string, string[]> = { NEW: ['BUSY'], BUSY: ['NEW', 'WON'], WON: [] }
const TOGETHER_MAX = 3

const RUNS = Number(env.RUNS || 25)

interface Entry {
  id: string
  data: Record<string, unknown>
  status: string
  state: string
  version: number
  isDeleted: boolean
}

interface Body {
  data: Record<string, unknown>
  status?: string
  state?: string
}

/** `nth`: of the processes there are, counted on from the end of the list to its beginning. */
type Address = { nth: number } | { key: string }

type Step =
  | { do: 'create'; body: Body }
  | { do: 'upsert'; body: Body }
  | { do: 'update'; at: Address; body: Body; ifMatch: number | null }
  | { do: 'delete'; at: Address; ifMatch: number | null }
  | { do: 'restore'; at: { nth: number } }

interface Outcome {
  status: number
  code?: string
  data?: unknown
}

const keyOf = ({ data }: Entry) => data.key
const alive = (entries: Entry[], key: unknown) =>
  entries.find(each => !each.isDeleted && key !== undefined && keyOf(each) === key)

const refuse = (status: number, code: string): Outcome => ({ status, code })
const show = ({ id, data, status, state, isDeleted }: Entry) => ({ id, data, status, state, isDeleted })

function changed(entry: Entry, { data, status, state }: Body): Entry {
  const next = { ...entry.data, ...data }
  for (const [name, value] of Object.entries(next)) if (value === null) delete next[name]
  const moved = state ?? (status === 'COMPLETED' ? 'WON' : entry.state)
  return { ...entry, data: next, status: status ?? entry.status, state: moved, version: entry.version + 1 }
}

/** What a step must answer, and what it leaves behind. `id` is what the answer called a new process. */
function predict(
  entries: Entry[],
  step: Step,
  found: Entry | undefined,
  id: string,
): { outcome: Outcome; entries: Entry[] } {
  const stay = (outcome: Outcome) => ({ outcome, entries })
  const become = (status: number, entry: Entry) => ({
    outcome: { status, data: show(entry) },
    entries: entries.some(each => each.id === entry.id)
      ? entries.map(each => (each.id === entry.id ? entry : each))
      : [...entries, entry],
  })
  if (step.do === 'create' || (step.do === 'upsert' && !alive(entries, step.body.data.key))) {
    const blank = { id, data: {}, status: 'OPEN', state: 'NEW', version: 0, isDeleted: false }
    const entry = changed(blank, step.body)
    return alive(entries, keyOf(entry)) ? stay(refuse(409, 'duplicate_primary_key')) : become(201, entry)
  }
  const target = step.do === 'upsert' ? alive(entries, step.body.data.key) : found
  const now = target && entries.find(each => each.id === target.id)
  if (step.do === 'restore') {
    if (!now?.isDeleted) return stay(refuse(404, 'not_found'))
    if (alive(entries, keyOf(now))) return stay(refuse(409, 'duplicate_primary_key'))
    return become(200, { ...now, isDeleted: false, version: now.version + 1 })
  }
  if (!now || now.isDeleted) return stay(refuse(404, 'not_found'))
  if ('ifMatch' in step && step.ifMatch !== null && tagFor(step.ifMatch, target) !== now.version)
    return stay(refuse(412, 'precondition_failed'))
  if (step.do === 'delete') return become(200, { ...now, isDeleted: true })
  const next = changed(now, step.body)
  if (next.state !== now.state && !STATES[now.state]?.includes(next.state))
    return stay(refuse(409, 'transition_not_allowed'))
  const holder = alive(entries, keyOf(next))
  return holder && holder.id !== now.id ? stay(refuse(409, 'duplicate_primary_key')) : become(200, next)
}

/** 0: the tag as it was when the requests were sent; else one that is out of date. */
const tagFor = (ifMatch: number, seen: Entry | undefined) => (seen?.version ?? 1) - ifMatch

const at = (entries: Entry[], address: Address): Entry | undefined =>
  'nth' in address ? entries[entries.length - 1 - (address.nth % Math.max(1, entries.length))] : undefined

async function perform(api: Processes, entries: Entry[], step: Step): Promise<Reply> {
  if (step.do === 'create') return api.create(step.body)
  if (step.do === 'upsert') return api.upsert(step.body)
  const seen = at(entries, step.at)
  const address = 'key' in step.at ? `key/${step.at.key}` : (seen?.id ?? crypto.randomUUID())
  if (step.do === 'restore') return api.restore(address)
  const known = 'key' in step.at ? alive(entries, step.at.key) : seen
  const headers = step.ifMatch === null ? {} : { 'if-match': `"${tagFor(step.ifMatch, known)}-0"` }
  return step.do === 'update' ? api.update(address, step.body, headers) : api.remove(address, headers)
}

const outcomeOf = ({ status, data, meta }: Reply): Outcome =>
  status < 300 ? { status, data: show({ ...data, version: 0 }) } : { status, code: meta.errors[0].code }

function* orders<T>(items: T[]): Generator<T[]> {
  if (items.length === 0) yield []
  for (const [index, item] of items.entries())
    for (const rest of orders(items.filter((_, other) => other !== index))) yield [item, ...rest]
}

/** Every state that some order of the steps leads to in which each would have been answered as it was. */
function explanations(entries: Entry[], done: { step: Step; reply: Reply }[]): Entry[][] {
  const before = entries
  return [...orders(done)].flatMap(order => {
    let now = entries
    for (const { step, reply } of order) {
      const found = 'at' in step ? ('key' in step.at ? alive(now, step.at.key) : at(before, step.at)) : undefined
      const seen = found && (before.find(each => each.id === found.id) ?? found)
      const tagged = 'at' in step && 'key' in step.at ? alive(before, step.at.key) : seen
      const { outcome, entries: next } = predict(
        now,
        step,
        found && { ...found, version: tagged?.version ?? 1 },
        reply.data.id,
      )
      if (JSON.stringify(sorted(outcome)) !== JSON.stringify(sorted(outcomeOf(reply)))) return []
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

const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)

async function readAll(team: Team, path: string): Promise<unknown> {
  const read = async (where: object) => {
    const { data } = await team.call('POST', `${path}/list`, { where, limit: 100 })
    return (data as Entry[]).map(show).sort(byId).map(sorted)
  }
  const byCity = await Promise.all(CITIES.map(city => read({ city })))
  const byKey = await Promise.all(KEYS.map(key => read({ key })))
  return { all: await read({}), byCity, byKey }
}

function readModel(entries: Entry[]): unknown {
  const read = (keep: (entry: Entry) => boolean) =>
    entries
      .filter(each => !each.isDeleted && keep(each))
      .map(show)
      .sort(byId)
      .map(sorted)
  return {
    all: read(() => true),
    byCity: CITIES.map(city => read(({ data }) => data.city === city)),
    byKey: KEYS.map(key => read(({ data }) => data.key === key)),
  }
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })
const data = fc
  .record({
    key: maybe(fc.constantFrom(...KEYS, null)),
    city: maybe(fc.constantFrom(...CITIES, null)),
    n: maybe(fc.nat({ max: 3 })),
    'o"d.d': maybe(fc.constantFrom(null, 'x', [1])),
  })
  .map(made => Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)))
const body = fc
  .record({
    data,
    status: maybe(fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED')),
    state: maybe(fc.constantFrom(...Object.keys(STATES))),
  })
  .map(({ data, status, state }): Body => ({ data, ...(status ? { status } : {}), ...(state ? { state } : {}) }))
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
)
const history = fc.array(fc.array(step, { minLength: 1, maxLength: TOGETHER_MAX }), { minLength: 3, maxLength: 10 })

it(`ends as the model does, whatever is done in whatever order (RUNS=${RUNS} SEED=${SEED})`, async () => {
  const team = await newTeam()
  let procedures = 0
  await fc.assert(
    fc.asyncProperty(history, async groups => {
      const states = Object.entries(STATES).map(([shortId, next]) => ({ shortId, next }))
      const attributes = [attribute('key', 'string'), attribute('city', 'string', { indexed: true })]
      const api = await newProcedure(team, { states, attributes, primaryKey: 'key' }, `model${++procedures}`)
      let entries: Entry[] = []
      for (const group of groups) {
        const done = await Promise.all(group.map(async one => ({ step: one, reply: await perform(api, entries, one) })))
        const said = () => JSON.stringify(done.map(each => ({ ...each.step, answer: outcomeOf(each.reply) })))
        const possible = explanations(entries, done)
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
}, 600_000)
