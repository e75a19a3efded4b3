import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, listEntries, newLeadTeam, rowEntriesBy } from '../support/jobs.ts'
import { expectPast } from '../support/past.ts'

/** So many that the changes of a step share statements, whichever attributes each of them names. */
const KEYS = ['A', 'B', 'C', 'E', 'F', 'G', 'H']
const key = fc.constantFrom(...KEYS, 'D')

/** What is refused is rare: most changes are made, and share their statements. */
const seldom = <T, U>(most: fc.Arbitrary<T>, refused: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: most }, { weight: 1, arbitrary: refused })

const anything = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant('105'),
  fc.constant([1, { b: null }]),
)
const data = fc.record(
  {
    city: seldom(fc.string({ maxLength: 4 }), anything),
    score: seldom(fc.integer(), anything),
    isHot: seldom(fc.boolean(), anything),
    note: anything,
    'a "quoted" name': anything,
  },
  { requiredKeys: [] },
)

const update = fc.record(
  {
    data,
    lead_id: fc.oneof(
      { weight: 5, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.oneof(key, fc.constant(null), fc.constant(7)) },
    ),
    status: seldom(fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED'), fc.constant('DONE')),
    state: seldom(fc.constantFrom('NEW', 'IN_PROGRESS', 'WON', 'LOST'), fc.constant('WONN')),
    nextActionAt: seldom(fc.constantFrom(1_700_000_000_000, '1700000000001', null), fc.constant(1_700_000_000)),
    assignedTo: seldom(fc.constantFrom('admin', null), fc.constant('nobody')),
    colour: fc.constant('red'),
  },
  { requiredKeys: [] },
)
type Sent = Record<string, unknown>

const change = fc.record({ key, isDeleted: fc.integer({ min: 0, max: 9 }).map(chance => chance === 0), update })

/** An update as a client writes it; faults and changes of the primary key are rarer than the rest. */
const toBody = ({ lead_id, data, colour, ...rest }: Sent): Sent => ({
  ...rest,
  ...(data === undefined && lead_id === undefined
    ? {}
    : { data: { ...(data as object), ...(lead_id === undefined ? {} : { lead_id }) } }),
  ...(colour === undefined || Math.abs(JSON.stringify(rest).length) % 5 > 0 ? {} : { colour }),
})

async function createLeadTeam(): Promise<Team> {
  const team = await newLeadTeam()
  for (const lead_id of KEYS) await team.call('POST', LEADS, { data: { lead_id } })
  return team
}

/** Reads a team's processes, without members that name times and ids. */
async function processes(team: Team): Promise<unknown> {
  const listed = await Promise.all([...KEYS, 'D', '7'].map(each => team.call('GET', `${LEADS}/lead_id/${each}`)))
  return listed.map(({ status, data, headers }) => ({
    status,
    etag: headers.get('etag'),
    data: data.data,
    state: data.state,
    its: data.status,
    nextActionAt: data.nextActionAt,
    isAssigned: data.assignedTo === team.admin,
    isCompleted: data.completedAt > 0,
  }))
}

/** An entry quotes the value that was refused, too. */
const QUOTED_VALUE = /( must be [^;]*?), not (?:"(?:[^"\\]|\\.)*"|[^\s;]+)/g

describe('a change made in bulk and the same change made by single requests', () => {
  it('leave the same processes, and are refused with the same words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 5, maxLength: 30 }), async changes => {
        const [single, bulk] = await Promise.all([createLeadTeam(), createLeadTeam()])
        const said: [string, string][] = []
        for (const { key, isDeleted, update } of changes) {
          const path = `${LEADS}/lead_id/${key}`
          const reply = isDeleted ? await single.call('DELETE', path) : await single.call('PUT', path, toBody(update))
          said.push([
            reply.status === 200 ? 'SUCCESS' : reply.status === 400 ? 'INVALID' : 'ERROR',
            reply.errors.join('; '),
          ])
        }
        const harness = new Harness({ JOB_TUNING: { chunkEntries: 16, ...rowEntriesBy(changes.length) } })
        const items = changes.map(({ key, isDeleted, update }) => ({
          lead_id: key,
          update: isDeleted ? { isDeleted } : toBody(update),
        }))
        const accepted = await harness.request(bulk, 'PATCH', LEADS, { processes: items })
        await harness.settle(bulk)
        const entries = await listEntries(bulk, accepted.body._data.id)
        const inEntries = entries.map(({ completionStatus, completionMessage = '' }: Record<string, string>) => [
          completionStatus,
          completionMessage.replaceAll(QUOTED_VALUE, '$1'),
        ])
        expect(inEntries).toEqual(said)
        expect(await processes(bulk)).toEqual(await processes(single))
        for (const { id } of (await bulk.call('GET', `${LEADS}?limit=100`)).data)
          await expectPast(bulk, `${LEADS}/${id}`)
      }),
      { numRuns: 10 },
    )
  })

  it('lose nothing of each other, with two jobs and single requests on the same processes', async () => {
    const team = await createLeadTeam()
    const rounds = Array.from({ length: 40 }, (_, index) => index)
    const harnesses = ['one', 'two'].map(name => ({ name, harness: new Harness({ JOB_TUNING: { chunkEntries: 5 } }) }))
    await Promise.all([
      ...harnesses.map(async ({ name, harness }) => {
        const items = rounds.map(index => ({ lead_id: KEYS[index % 3], data: { [`${name}-${index}`]: index } }))
        await harness.request(team, 'PATCH', LEADS, { processes: items })
        for (let turn = 0; turn < 10; turn++) await harness.deliver()
      }),
      ...rounds.map(index =>
        team.call('PUT', `${LEADS}/lead_id/${KEYS[index % 3]}`, { data: { [`single-${index}`]: index } }),
      ),
    ])
    await Promise.all(harnesses.map(({ harness }) => harness.settle(team)))
    const found = await Promise.all(KEYS.map(each => team.call('GET', `${LEADS}/lead_id/${each}`)))
    const all = Object.assign({}, ...found.map(({ data }) => data.data)) as Record<string, unknown>
    expect(
      Object.keys(all)
        .filter(name => name !== 'lead_id')
        .sort(),
    ).toEqual(['one', 'two', 'single'].flatMap(name => rounds.map(index => `${name}-${index}`)).sort())
    expect(
      found.map(({ headers }) => Number(headers.get('etag')?.slice(1).split('-')[0])).reduce((sum, n) => sum + n, 0),
    ).toBe(3 * rounds.length + KEYS.length)
  })
})
