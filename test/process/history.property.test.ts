import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { ended } from '../support/jobs.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'
import { SEED } from '../support/seed.ts'

// Random changes of a process by single calls, jobs, deletions, reverts and changes of its customer. After each of them
// the process is kept as it was answered; then history, asOf and blame must tell the same. RUNS from the environment.

const RUNS = Number(env.RUNS || 8)
const STATES = ['NEW', 'BUSY', 'WON']
const NAMES = ['score', 'city', 'note', 'a"b', 'tags']

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
  | { do: 'revert'; version: number }
  | { do: 'trash' }

const value = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('Goa', 'Pune', null, { x: [1] }, { x: [2] }))
const body: fc.Arbitrary<Body> = fc.record(
  {
    data: fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 4 }),
    state: fc.constantFrom(...STATES),
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
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revert' as const), version: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 1, arbitrary: fc.constant({ do: 'trash' as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('attach' as const), phone: fc.integer({ min: 0, max: 1 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('customer' as const),
      data: fc.dictionary(fc.constantFrom('name', 'city'), value),
    }),
  },
)

/** What a caller saw of the process, without the customer, of whom a version may show older data. */
interface Seen {
  version: number
  process: Data & { data: Data; record: { id: string; data: Data } | null }
}

async function perform(
  team: Team,
  api: Processes,
  id: string,
  step: Step,
  phones: string[],
  seen: Seen,
): Promise<Reply[]> {
  const job = async (processes: unknown[]) => {
    const accepted = await team.call('PATCH', api.path, { processes })
    expect(accepted.status, accepted.errors.join()).toBe(202)
    await ended(team, accepted.data.id)
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
    return [await team.call('PUT', `${api.path}/${id}/revert`, { version: 1 + (step.version % seen.version) })]
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
  await api.remove(id)
  return [await api.restore(id)]
}

const versionOf = ({ headers }: Reply) => Number(/"(\d+)-/.exec(headers.get('etag') ?? '')?.[1])

/** Puts back what the entries say was before. */
function applyBack(
  state: Record<string, unknown>,
  entry: { changes: { field: string; from: unknown; to: unknown }[] },
) {
  for (const { field, from, to } of entry.changes) {
    expect(state[field] ?? null, field).toEqual(to)
    state[field] = from
  }
}

const flat = ({ process }: Seen): Record<string, unknown> => ({
  status: process.status,
  state: process.state,
  nextActionAt: process.nextActionAt,
  assignedTo: process.assignedTo,
  record: process.record?.id ?? null,
  ...Object.fromEntries(Object.entries(process.data).map(([name, each]) => [`data.${name}`, each])),
})

const clean = (state: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(state).filter(([field, each]) => each !== null && !field.startsWith('record.')))

it('history, asOf and blame tell what was seen', { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async steps => {
      const team = await newTeam()
      const api = await newProcedure(team, { attributes: [attribute('lead_id', 'string')] })
      const at = Date.now()
      const phones = [`91${at}1`, `91${at}2`]
      await api.create({ data: { lead_id: 'other' } })
      const made = await api.create({
        data: { lead_id: 'A', score: 1, city: 'Goa' },
        record: { data: { phone: phones[0] } },
      })
      const { id } = made.data
      const seen: Seen[] = [{ version: 1, process: made.data }]
      for (const each of steps) {
        const last = seen.at(-1)
        if (!last) continue
        const replies = await perform(team, api, id, each, phones, last)
        for (const { status, errors } of replies) expect(status, errors.join()).toBe(200)
        const now = await api.fetch(id)
        seen.push({ version: versionOf(now), process: now.data })
      }
      const entries = await all(team, `${api.path}/${id}/history`)
      await tellsWhatWasSeen(api, id, seen, entries)
    }),
    { numRuns: RUNS, seed: SEED },
  )
})

async function all(team: Team, path: string) {
  const entries: (Entry & { sequence: number })[] = []
  for (let cursor = ''; ; ) {
    const page = await team.call('GET', `${path}?limit=3${cursor}`)
    entries.push(...page.data)
    if (page.meta.next === null) return entries
    cursor = `&cursor=${page.meta.next}`
  }
}

interface Entry {
  version: number
  type: string
  at: number
  by: Data
  changes: { field: string; from: unknown; to: unknown }[]
}

async function tellsWhatWasSeen(api: Processes, id: string, seen: readonly Seen[], entries: Entry[]): Promise<void> {
  const last = seen.at(-1)
  if (!last) return
  // Walking back by the entries leads through all that was seen.
  const state = flat(last)
  for (const [name, each] of Object.entries(last.process.record?.data ?? {})) state[`record.${name}`] = each
  const byVersion = new Map<number, Record<string, unknown>>()
  for (const entry of entries) {
    if (!byVersion.has(entry.version)) byVersion.set(entry.version, clean(state))
    // Of another customer nothing was seen.
    if (entry.type === 'record.updated') continue
    applyBack(state, entry)
  }
  expect(clean(state)).toEqual({})
  for (const each of seen) expect(byVersion.get(each.version)).toEqual(clean(flat(each)))
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

/** For each field the newest entry up to the version that changed it. */
function blamesRightly(
  blame: Record<string, { version: number; at: number; by: Data } | null>,
  version: number,
  entries: Entry[],
) {
  // A version shows the customer as of when it was made.
  const makesVersion = ({ type }: Entry) => type !== 'process.deleted' && type !== 'record.updated'
  const upTo = entries.slice(entries.findIndex(each => each.version === version && makesVersion(each)))
  for (const [field, blamedOn] of Object.entries(blame)) {
    const known = upTo.find(({ changes }) => changes.some(each => each.field === field))
    // A value that the customer had before is told by whoever gave it, then.
    if (field.startsWith('record.') && !known) continue
    const changed = known ?? upTo.at(-1)
    expect({ field, ...blamedOn }).toEqual({
      field,
      at: changed?.at,
      by: changed?.by,
      version: changed?.version,
    })
  }
}
