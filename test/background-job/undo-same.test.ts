import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam, rowEntriesBy } from '../support/jobs.ts'
import { expectPast } from '../support/past.ts'
import { IS_CHAOS } from '../support/seed.ts'

/** So many that the changes of a step share statements, whichever attributes each of them names. */
const KEYS = ['A', 'B', 'C', 'F', 'G', 'H']
const key = fc.constantFrom(...KEYS, 'D', 'E')
const text = fc.constantFrom('Goa', 'Pune west', 'goa', '', 'x'.repeat(300))

const data = fc.record(
  {
    city: fc.oneof(text, fc.constant(null)),
    score: fc.oneof(fc.integer(), fc.constant(null)),
    isHot: fc.oneof(fc.boolean(), fc.constant(null)),
    tags: fc.oneof(fc.array(fc.constantFrom('one', 'two', 'three'), { maxLength: 3 }), fc.constant(null)),
    note: fc.oneof(text, fc.constant({ deep: [1, null, { a: false }] }), fc.constant(null)),
    'a "quoted" name': fc.oneof(fc.integer(), fc.constant(null)),
  },
  { requiredKeys: [] },
)
const update = fc.record(
  {
    data,
    status: fc.constantFrom('OPEN', 'COMPLETED', 'CANCELLED'),
    state: fc.constantFrom('NEW', 'IN_PROGRESS', 'WON', 'LOST'),
    nextActionAt: fc.constantFrom(1_700_000_000_000, 1_900_000_000_000, null),
    assignedTo: fc.constantFrom('admin', null),
  },
  { requiredKeys: [] },
)
const moved = fc.oneof(
  { weight: 5, arbitrary: fc.constant({}) },
  fc.record({ lead_id: fc.oneof(key, fc.constant(null)) }),
)

const about = (lead: string) => ({ procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: lead })
const entry = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(key, update, moved).map(([lead, sent, more]) => ({
      apiType: 'PROCESS_UPDATE',
      apiData: { ...about(lead), processUpdate: { ...sent, data: { ...sent.data, ...more } } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, update).map(([lead, { status, ...sent }]) => ({
      apiType: 'PROCESS_CREATE',
      apiData: { procedureId: 'lead', processCreate: { ...sent, data: { ...sent.data, lead_id: lead } } },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(key, update).map(([lead, { status, ...sent }]) => ({
      apiType: 'PROCESS_UPSERT',
      apiData: { procedureId: 'lead', processUpsert: { ...sent, data: { ...sent.data, lead_id: lead } } },
    })),
  },
  { weight: 2, arbitrary: key.map(lead => ({ apiType: 'PROCESS_DELETE', apiData: about(lead) })) },
  { weight: 2, arbitrary: key.map(lead => ({ apiType: 'PROCESS_RESTORE', apiData: about(lead) })) },
)

async function run(team: Team, harness: Harness, path: string, body?: unknown): Promise<string> {
  const reply = await harness.request(team, 'POST', path, body)
  expect(reply.body._errors).toEqual([])
  await harness.settle(team)
  return reply.body._data.id
}

/** Reads the processes of a team, one by one and in lists, without the times of their last changes. */
async function seen(team: Team): Promise<unknown> {
  const list = async (body: object) => {
    const { data, errors } = await team.call('POST', `${LEADS}/list`, { limit: 100, ...body })
    expect(errors).toEqual([])
    return data.map(({ updatedAt: _, ...rest }: { updatedAt: number }) => rest)
  }
  const ids = async (body: object) => (await list(body)).map(({ id }: { id: string }) => id)
  const byKey = await Promise.all(
    [...KEYS, 'D', 'E'].map(async lead => (await team.call('GET', `${LEADS}/lead_id/${lead}`)).data.id ?? null),
  )
  return {
    all: await list({}),
    byKey,
    goa: await ids({ where: { city: 'Goa' } }),
    two: await ids({ where: { tags: 'two' } }),
    open: await ids({ where: { status: 'OPEN', state: 'NEW' } }),
    later: await ids({ sort: [{ field: 'nextActionAt', order: 'asc' }] }),
    found: await ids({ where: { search: 'goa' } }),
  }
}

describe('an undo of any job on any processes', () => {
  it('restores the values of before, and an undo of the undo those of after', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { maxLength: 12 }),
        fc.array(entry, { minLength: 1, maxLength: 20 }),
        fc.constantFrom(1, 3, 50),
        async (earlier, entries, chunkEntries) => {
          const team = await newLeadTeam({
            attributes: [
              { shortId: 'lead_id', type: 'string' },
              { shortId: 'city', type: 'string', indexed: true, searchable: true },
              { shortId: 'score', type: 'integer' },
              { shortId: 'isHot', type: 'boolean' },
              { shortId: 'tags', type: 'multiString', indexed: true },
            ],
          })
          const harness = new Harness({
            JOB_TUNING: { chunkEntries, sliceChunks: 3, ...rowEntriesBy(entries.length) },
          })
          for (const lead_id of KEYS) await team.call('POST', LEADS, { data: { lead_id } })
          if (earlier.length > 0) await run(team, harness, JOBS, { entries: earlier })
          const before = await seen(team)
          const job = await run(team, harness, JOBS, { entries })
          const after = await seen(team)
          const { data } = await team.call('GET', `${JOBS}/${job}/entries?completionStatus=SUCCESS&limit=100`)
          if (data.every((each: { completionResult: object }) => 'unchanged' in each.completionResult)) return
          const undone = await run(team, harness, `${JOBS}/${job}/undo`)
          const errors = await team.call('GET', `${JOBS}/${undone}/entries?completionStatus=ERROR`)
          expect(errors.data).toEqual([])
          expect(await seen(team)).toEqual(before)
          const again = await run(team, harness, `${JOBS}/${undone}/undo`)
          expect((await team.call('GET', `${JOBS}/${again}`)).data.completionStatus).toBe('SUCCESS')
          expect(await seen(team)).toEqual(after)
          for (const { id } of (await team.call('GET', `${LEADS}?limit=100`)).data)
            await expectPast(team, `${LEADS}/${id}`)
        },
      ),
      { numRuns: IS_CHAOS ? 100 : 8 },
    )
  })
})
