import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AttributeType } from '../../src/procedure/model.ts'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { goBack, listPast, listPastValues, type PastChange, type ShownProcess } from '../support/past.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'
import { newNumber } from '../support/provider.ts'
import { IS_CHAOS, SEED } from '../support/seed.ts'
import { REFUSED, stored } from '../support/value-oracle.ts'
import { ENUM_VALUES, sentFor, TEAMLESS_TYPES } from '../support/values.ts'

// Random changes of a process by single calls, jobs, deletions, reverts and changes of its customer, and of which customer
// it has. After each of them the process is kept as it was answered; then history, asOf and blame must tell the same, until
// it is purged. RUNS from the environment.

const RUNS = Number(env.RUNS || (IS_CHAOS ? 100 : 8))
const NEXT: Record<string, string[]> = { NEW: ['BUSY', 'WON'], BUSY: ['NEW', 'WON', 'LOST'], WON: ['BUSY'], LOST: [] }
const SAID: Record<string, object> = { WON: { status: 'COMPLETED', startsHere: false }, LOST: { status: 'CANCELLED' } }
const STATES = Object.entries(NEXT).map(([shortId, next]) => ({ shortId, next, ...SAID[shortId] }))
const NAMES = ['score', 'city', 'note', 'a"b', 'tags', '😀\u0301']
const INDEXED: readonly AttributeType[] = ['string', 'integer', 'boolean', 'datetime', 'multiString', 'time']
const ATTRIBUTES = TEAMLESS_TYPES.map(type => {
  const values = ENUM_VALUES[type]
  return attribute(type, type, { indexed: INDEXED.includes(type), ...(values === undefined ? {} : { values }) })
})

type Data = Record<string, unknown>
interface Body {
  data: Data
  state?: string
  status?: string
  nextActionAt?: number | null
}
type Step =
  | { do: 'update' | 'upsert' | 'job'; body: Body }
  | { do: 'customer'; data: Data }
  | { do: 'attach'; phone: number }
  | { do: 'twice in a job'; bodies: [Body, Body] }
  | { do: 'revert'; version: number; force: boolean }
  | { do: 'relink'; by: 'update' | 'upsert' | 'job'; to: 'first' | 'other' | 'nobody' | 'new' }
  | { do: 'trash'; isDeletedByJob: boolean; isRestoredByJob: boolean }

const isSmall = (sent: unknown) => JSON.stringify(sent).length < 2_000
/** Generates an attribute of each type with values, which a few types return in another form. */
const typed = fc.constantFrom(...TEAMLESS_TYPES).chain(type =>
  sentFor(type)
    .filter(sent => {
      const arrived: unknown = JSON.parse(JSON.stringify(sent))
      return isSmall(sent) && stored({ type, values: ENUM_VALUES[type], indexed: true }, arrived) !== REFUSED
    })
    .map(sent => [type as string, sent] as const),
)
const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('Goa', 'Pune', null, { x: [1] }, { x: [2] }))
const body: fc.Arbitrary<Body> = fc.record(
  {
    data: fc
      .tuple(
        fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 3 }),
        fc.array(
          fc.oneof(
            { weight: 4, arbitrary: typed },
            fc.constantFrom(...TEAMLESS_TYPES).map(type => [type, null] as const),
          ),
          {
            maxLength: 2,
          },
        ),
      )
      .map(([free, declared]) => ({ ...free, ...Object.fromEntries(declared) })),
    state: fc.constantFrom(...Object.keys(NEXT)),
    status: fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED'),
    nextActionAt: fc.constantFrom(null, 1_900_000_000_000, 1_900_000_000_001),
  },
  { requiredKeys: ['data'] },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('update' as const, 'upsert' as const, 'job' as const), body }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('twice in a job' as const), bodies: fc.tuple(body, body) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('revert' as const),
      version: fc.integer({ min: 1, max: 12 }),
      force: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('relink' as const),
      by: fc.constantFrom('update', 'upsert', 'job'),
      to: fc.constantFrom('first', 'other', 'nobody', 'new'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('trash' as const),
      isDeletedByJob: fc.boolean(),
      isRestoredByJob: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('attach' as const), phone: fc.integer({ min: 0, max: 1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('customer' as const),
      data: fc.dictionary(fc.constantFrom('name', 'city'), value),
    }),
  },
)

/** A caller's view of the process, without the customer, of whom a version may show older data. */
interface Seen {
  version: number
  process: ShownProcess
}

interface Place {
  team: Team
  api: Processes
  id: string
  phones: string[]
  /** The ids of two customers. */
  customers: string[]
}

async function perform({ team, api, id, phones, customers }: Place, step: Step, seen: Seen): Promise<Reply[]> {
  const job = async (processes: unknown[]) => {
    const accepted = await team.call('PATCH', api.path, { processes })
    expect(accepted.status, accepted.errors.join()).toBe(202)
    await waitForJob(team, accepted.data.id)
    return []
  }
  if (step.do === 'update') return [await api.update(id, step.body)]
  if (step.do === 'upsert') return [await api.upsert({ ...step.body, data: { ...step.body.data, lead_id: 'A' } })]
  if (step.do === 'job')
    return job([
      { id: 'other', update: step.body },
      { id, update: step.body },
    ])
  if (step.do === 'twice in a job') return job(step.bodies.map(update => ({ id, update })))
  if (step.do === 'revert')
    return [
      await team.call('PUT', `${api.path}/${id}/revert`, {
        version: 1 + (step.version % seen.version),
        force: step.force,
      }),
    ]
  if (step.do === 'relink') {
    const [first, other] = customers
    const record = { first: { id: first }, other: { id: other }, nobody: null, new: { data: { name: 'Mei' } } }[step.to]
    if (step.by === 'job') return job([{ id, update: { record } }])
    return [
      step.by === 'update' ? await api.update(id, { record }) : await api.upsert({ record, data: { lead_id: 'A' } }),
    ]
  }
  if (step.do === 'attach')
    return [
      await api.upsert({
        data: { lead_id: 'A' },
        record: { data: { phone: phones[step.phone], [`at${step.phone}`]: seen.version } },
      }),
    ]
  if (step.do === 'customer')
    return seen.process.record
      ? [await team.call('PUT', `/v1/ext/record/${seen.process.record.id}`, { data: step.data })]
      : []
  if (step.do !== 'trash') return []
  if (step.isDeletedByJob) await job([{ id, isDeleted: true }])
  else expect((await api.remove(id)).status).toBe(200)
  expect((await api.fetch(id)).status).toBe(404)
  if (step.isRestoredByJob) return job([{ id, isDeleted: false }])
  return [await api.restore(id)]
}

const getVersion = ({ headers }: Reply) => Number(/"(\d+)-/.exec(headers.get('etag') ?? '')?.[1])

const clean = (state: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(state).filter(([field, each]) => each !== null && !field.startsWith('record.')))

it('history, asOf and blame show what was stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), fc.boolean(), async (steps, isByPhone) => {
      const team = await newTeam()
      const attributes = [attribute('lead_id', 'string'), attribute('tel', 'phone'), ...ATTRIBUTES]
      const api = await newProcedure(team, { states: STATES, attributes, phoneAttribute: 'tel' })
      const phones = [newNumber(), newNumber()]
      const other = await api.create({ data: { lead_id: 'other' }, record: { data: { phone: phones[1] } } })
      const made = await api.create({
        data: { lead_id: 'A', score: 1, city: 'Goa', ...(isByPhone ? { tel: `+${phones[0]}` } : {}) },
        ...(isByPhone ? {} : { record: { data: { phone: phones[0] } } }),
      })
      const { id } = made.data
      const place = { team, api, id, phones, customers: [made.data.record.id, other.data.record.id] }
      const seen: Seen[] = [{ version: 1, process: made.data }]
      for (const each of steps) {
        const last = seen.at(-1)
        if (!last) continue
        for (const { status, errors, meta } of await perform(place, each, last)) {
          if (status === 409) expect(meta.errors[0].code).toBe('transition_not_allowed')
          else expect(status, errors.join()).toBe(200)
        }
        const now = await api.fetch(id)
        seen.push({ version: getVersion(now), process: now.data })
      }
      const entries = await listPast(team, `${api.path}/${id}`)
      await tellsWhatWasSeen(api, id, seen, entries)
      followsTheMoves(entries)
      expect((await team.call('DELETE', `${api.path}/${id}?purge=true`)).status).toBe(202)
      for (const path of ['', '/history', '?asOf=1', '?blame=true'])
        expect((await api.fetch(`${id}${path}`)).status, path).toBe(404)
    }),
    { numRuns: RUNS, seed: SEED },
  )
})

/** Expects that each transition is allowed or forced, and that nothing else is marked as forced. */
function followsTheMoves(entries: PastChange[]): void {
  for (const { type, changes, forced } of entries.filter(each => each.type === 'process.updated')) {
    const move = changes.find(({ field }) => field === 'state')
    const isAllowed = move === undefined || NEXT[String(move.from)]?.includes(String(move.to)) === true
    expect({ type, changes, forced: forced === true }).toEqual({ type, changes, forced: !isAllowed })
  }
}

async function tellsWhatWasSeen(
  api: Processes,
  id: string,
  seen: readonly Seen[],
  entries: PastChange[],
): Promise<void> {
  const last = seen.at(-1)
  if (!last) return
  // Walking back by the entries leads through all that was seen.
  const state = listPastValues(last.process)
  for (const [name, each] of Object.entries(last.process.record?.data ?? {})) state[`record.${name}`] = each
  const byVersion = new Map<number, Record<string, unknown>>()
  for (const entry of entries) {
    if (!byVersion.has(entry.version)) byVersion.set(entry.version, clean(state))
    // Nothing of another customer was visible.
    if (entry.type === 'record.updated') continue
    goBack(state, entry)
  }
  expect(clean(state)).toEqual({})
  for (const each of seen) expect(byVersion.get(each.version)).toEqual(clean(listPastValues(each.process)))
  const sequences = entries.map(each => Reflect.get(each, 'sequence') as number)
  expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => other - one))
  for (const each of seen) {
    const past = await api.fetch(`${id}?asOf=${each.version}&blame=true`)
    const { record, ...shown } = past.data
    const { record: seenRecord, ...expected } = each.process
    expect(shown).toEqual(expected)
    expect(record?.id).toBe(seenRecord?.id)
    blamesRightly(past.meta.blame, each.version, entries)
  }
  // A time shows the customer as well; of those in one millisecond the last is meant.
  for (const [nth, each] of seen.entries()) {
    const now = Math.max(
      Number(each.process.updatedAt),
      Number(Reflect.get(each.process.record ?? {}, 'updatedAt') ?? 0),
    )
    const next = seen[nth + 1]?.process
    if (next && Math.max(Number(next.updatedAt), Number(Reflect.get(next.record ?? {}, 'updatedAt') ?? 0)) <= now)
      continue
    const { data } = await api.fetch(`${id}?asOf=${now}`)
    expect(data).toEqual(each.process)
  }
}

/** Adds the changes since the process had its present customer. */
function addCustomerEntries(entries: readonly PastChange[]): PastChange[] {
  const links = entries.map(({ changes }) => changes.find(({ field }) => field === 'record'))
  const now = links.find(each => each !== undefined)?.to
  return entries.filter((_, at) => {
    const next = links.slice(0, at).findLast(each => each !== undefined)
    return (next === undefined ? now : next.from) === now
  })
}

/** Expects for each field the newest entry up to the version that changed it. */
function blamesRightly(
  blame: Record<string, { version: number; at: number; by: Data } | null>,
  version: number,
  entries: PastChange[],
) {
  // A version shows the customer as of when it was made.
  const makesVersion = ({ type }: PastChange) => type !== 'process.deleted' && type !== 'record.updated'
  const upTo = entries.slice(entries.findIndex(each => each.version === version && makesVersion(each)))
  const attached = upTo.find(({ changes }) => changes.some(each => each.field === 'record'))
  for (const [field, toBlame] of Object.entries(blame)) {
    const places = field.startsWith('record.') ? addCustomerEntries(upTo) : upTo
    const known = places.find(({ changes }) => changes.some(each => each.field === field))
    // A value that the customer had before is told by whoever gave it, then.
    if (field.startsWith('record.') && !known) continue
    const changed = known ?? upTo.at(-1)
    // A customer who was gone and came back brings what was known of them, and what was said of them meanwhile.
    if (field.startsWith('record.') && attached && upTo.indexOf(attached) < upTo.indexOf(known ?? attached)) {
      expect(toBlame?.version, field).toBe(attached.version)
      continue
    }
    expect({ field, ...toBlame }).toEqual({
      field,
      at: changed?.at,
      by: changed?.by,
      version: changed?.version,
    })
  }
}
