import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { AttributeType } from '../../src/procedure/model.ts'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { newProcedure, type Processes } from '../support/procedures.ts'
import { IS_CHAOS } from '../support/seed.ts'
import { sentText } from '../support/unicode.ts'
import { compared, isStorable, REFUSED, stored, type Typed } from '../support/value-oracle.ts'
import { ENUM_VALUES, sentFor, TEAMLESS_TYPES } from '../support/values.ts'

// Whatever is sent for an attribute of whatever type: each way to write takes what the guide says, and comes back with it,
// and each way to ask takes the same. What is refused is named, all of it, and nothing is changed.

const RUNS = Number(env.RUNS || (IS_CHAOS ? 1_000 : 40))

/** A procedure has sixteen indexes: these types have one each, the others are stored as one of them is. */
const INDEXED: readonly AttributeType[] = [
  ...(['string', 'email', 'phone', 'url', 'datetimeISO8601', 'stringEnum', 'integer', 'float', 'datetime'] as const),
  ...(['boolean', 'date', 'time', 'multiString', 'multiStringEnum', 'multiIntegerEnum'] as const),
]
const ATTRIBUTES = TEAMLESS_TYPES.flatMap((type): ({ shortId: string } & Typed)[] => {
  const values = ENUM_VALUES[type]
  const plain = { type, ...(values === undefined ? {} : { values }) }
  return [
    { shortId: type, ...plain },
    ...(INDEXED.includes(type) ? [{ shortId: `${type} by index`, ...plain, indexed: true }] : []),
  ]
})
const UNDECLARED: { shortId: string; type: AttributeType }[] = [
  { shortId: 'undeclared', type: 'json' },
  { shortId: 'ü "n/~', type: 'json' },
]

type Data = Record<string, unknown>
interface Sent {
  attribute: { shortId: string } & Typed
  value: unknown
}

const sentOne: fc.Arbitrary<Sent> = fc
  .constantFrom(...ATTRIBUTES, ...UNDECLARED)
  .chain(attribute => sentFor(attribute.type).map(value => ({ attribute, value })))
const sentValues = fc.uniqueArray(sentOne, {
  minLength: 4,
  maxLength: 12,
  size: 'max',
  selector: ({ attribute }) => attribute.shortId,
})

/** Returns a value as it arrives: minus zero is zero in JSON. */
const arrived = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const toData = (sent: readonly Sent[]): Data =>
  Object.fromEntries(sent.map(({ attribute, value }) => [attribute.shortId, value]))
const pointer = (base: string, name: string) => `${base}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`

/** A way to write attributes, with the paths of refused ones. */
interface Writer {
  name: string
  isJob: boolean
  send: (api: Processes, team: Team, key: string, data: Data) => Promise<string[]>
}

const refusedPaths = ({ status, meta, errors }: Reply): string[] => {
  if (status < 300) return []
  expect(status, errors.join()).toBe(400)
  return meta.errors.map((each: { path: string }) => each.path)
}

async function pathsOfEntry(team: Team, accepted: Reply): Promise<string[]> {
  expect(accepted.status, accepted.errors.join()).toBe(202)
  await waitForJob(team, accepted.data.id)
  const [entry] = (await team.call('GET', `/v1/ext/background-job/${accepted.data.id}/entries`)).data
  if (entry.completionStatus === 'SUCCESS') return []
  const { errors } = entry.completionResult ?? entry.validationResult
  return errors.map((each: { path: string }) => each.path)
}

const WRITERS: Writer[] = [
  {
    name: 'update',
    isJob: false,
    send: async (api, _, key, data) => refusedPaths(await api.update(`key/${key}`, { data })),
  },
  {
    name: 'create-or-update',
    isJob: false,
    send: async (api, _, key, data) => refusedPaths(await api.upsert({ data: { ...data, key } })),
  },
  {
    name: 'bulk update',
    isJob: true,
    send: async (api, team, key, data) =>
      pathsOfEntry(team, await team.call('PATCH', api.path, { processes: [{ key, update: { data } }] })),
  },
  {
    name: 'bulk upsert',
    isJob: true,
    send: async (api, team, key, data) =>
      pathsOfEntry(team, await team.call('POST', `${api.path}/bulk-upsert`, [{ key, data }])),
  },
  {
    name: 'bulk create',
    isJob: true,
    // The process has a key of its own, and is put in the place of the earlier one.
    send: async (api, team, key, data) => {
      const item = { data: { ...data, key: `${key}-new` } }
      const paths = await pathsOfEntry(team, await team.call('POST', `${api.path}/bulk-create`, [item]))
      const made = await api.fetch(`key/${key}-new`)
      expect(made.status).toBe(paths.length === 0 ? 200 : 404)
      if (paths.length > 0) return paths
      expect((await api.remove(`key/${key}`)).status).toBe(200)
      return refusedPaths(await api.update(made.data.id, { data: { ...BEFORE, ...data, key } }))
    },
  },
]

/** The values of a process before a refused change, which has to leave them alone. */
const BEFORE = { string: 'before', undeclared: 1 }

it('an attribute accepts and refuses what the guide says, and returns it', {
  timeout: 60_000 + RUNS * 1_500,
}, async () => {
  const team = await newTeam()
  const attributes = [{ shortId: 'key', type: 'string' }, ...ATTRIBUTES]
  const api = await newProcedure(team, { attributes, primaryKey: 'key' }, 'values')
  let [made, taken, refused] = [0, 0, 0]

  await fc.assert(
    fc.asyncProperty(sentValues, fc.constantFrom(...WRITERS), sentText(6), async (sent, writer, name) => {
      const key = `K${++made}`
      const verdicts = sent.map(each => ({ ...each, kept: stored(each.attribute, arrived(each.value)) }))
      const right = verdicts.filter(({ kept }) => kept !== REFUSED)
      const wrong = verdicts.filter(({ kept }) => kept === REFUSED)
      ;[taken, refused] = [taken + right.length, refused + wrong.length]

      // Right and wrong together are refused whole, with a fault of each that is wrong.
      await api.create({ data: { key, ...BEFORE } })
      const paths = await writer.send(api, team, key, toData(sent))
      if (wrong.length > 0) {
        expect(paths.sort(), writer.name).toEqual(
          wrong.map(each => pointer('/body/data', each.attribute.shortId)).sort(),
        )
        expect((await api.fetch(`key/${key}`)).data.data).toEqual({ key, ...BEFORE })
        expect(await writer.send(api, team, key, toData(right)), writer.name).toEqual([])
      } else expect(paths, writer.name).toEqual([])
      const expected = Object.fromEntries(right.map(({ attribute, kept }) => [attribute.shortId, kept]))
      const { data: process } = await api.fetch(`key/${key}`)
      expect(process.data, writer.name).toEqual({ key, ...BEFORE, ...expected })

      await asksTheSame(team, api, process.id, sent)
      await keepsCustomer(api, `C${made}`, name)
    }),
    { numRuns: RUNS },
  )
  expect(Math.min(taken, refused)).toBeGreaterThan(RUNS)
})

/** The places that take a filter. */
const ASKERS: ((team: Team, path: string, where: object) => Promise<Reply>)[] = [
  (team, path, where) => team.call('POST', `${path}/list`, { where }),
  (team, path, where) => team.call('GET', `${path}/count?where=${encodeURIComponent(JSON.stringify(where))}`),
  (team, path, where) => team.call('POST', `${path}/aggregate`, { where }),
  (team, path, where) => team.call('POST', `${path}/list?all=true&format=ndjson`, { where }),
  (team, path, where) => team.call('PATCH', path, { where, update: { state: 'NEW' }, allowUndeclared: true }),
]

const isScalar = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)

/** A filter takes the values that `data` takes, finds the process by them, and refuses the others in the same words. */
async function asksTheSame(team: Team, api: Processes, id: string, sent: readonly Sent[]): Promise<void> {
  const asked = sent.flatMap(({ attribute, value }) =>
    (Array.isArray(value) ? value.slice(0, 3) : [value])
      .filter(isScalar)
      .map(each => ({ attribute, value: each, meant: compared(attribute, arrived(each)) })),
  )
  const wrong = asked.filter(({ meant }) => meant === REFUSED)
  if (wrong.length > 0) {
    const or = wrong.map(({ attribute, value }) => ({ [attribute.shortId]: value }))
    const ask = ASKERS[wrong.length % ASKERS.length]
    const reply = await ask?.(team, api.path, { or })
    expect(reply && refusedPaths(reply).map(path => path.replace(/^\/(body|query)\/where/, ''))).toEqual(
      wrong.map(({ attribute }, nth) => pointer(`/or/${nth}`, attribute.shortId)),
    )
    // The message is that of `data` for the same value.
    const scalars = wrong.filter(({ attribute }) => !attribute.type.startsWith('multi') && !attribute.indexed)
    const [first] = scalars
    if (first) {
      const inData = await api.create({ data: { [first.attribute.shortId]: first.value } })
      const nth = wrong.indexOf(first)
      expect([reply?.errors[nth], reply?.meta.errors[nth].hint]).toEqual([inData.errors[0], inData.meta.errors[0].hint])
    }
  }
  const kept = (await api.fetch(id)).data.data
  const and = asked
    .filter(({ attribute, meant }) => meant !== REFUSED && Object.hasOwn(kept, attribute.shortId))
    .filter(({ attribute, meant }) => [kept[attribute.shortId]].flat().includes(meant))
    .map(({ attribute, value }) => ({ [attribute.shortId]: value }))
  const found = await team.call('POST', `${api.path}/list`, { where: { and: [{ id }, ...and] } })
  expect(found.errors, JSON.stringify(and)).toEqual([])
  expect(found.data.length, JSON.stringify(and)).toBe(1)
}

/** Expects that a customer may have any text, except characters that no text may have. */
async function keepsCustomer(api: Processes, key: string, text: string): Promise<void> {
  const data = { email: `${key}@example.com`, name: text, 'any "name"': [{ inner: text }] }
  const reply = await api.create({ data: { key }, record: { data } })
  if (isStorable(data)) expect([reply.status, reply.data.record?.data]).toEqual([201, data])
  else expect(refusedPaths(reply).every(path => path.startsWith('/body/record/data'))).toBe(true)
  const kept = await api.fetch(`key/${key}`)
  expect(kept.status).toBe(isStorable(data) ? 200 : 404)
  if (isStorable(data)) expect(kept.data.record.data).toEqual(data)
}
