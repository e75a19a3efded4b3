import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'
import { timelessHarness } from '../support/timeless.ts'

const ENTRIES = 10_000
const PARTS = Array.from({ length: ENTRIES }, (_, index) => index)

afterEach(() => vi.restoreAllMocks())

describe('what a bulk update of 10,000 processes costs', () => {
  it('stays within its budget, whether processes are named by id, by primary key, by a query, or created or updated', async () => {
    const team = await newLeadTeam()
    const making = timelessHarness()
    const made = await making.request(
      team,
      'POST',
      `${LEADS}/bulk-create`,
      PARTS.map(index => ({ lead_id: `L${index}`, data: { city: 'Goa', score: 1 } })),
    )
    expect(made.status).toBe(202)
    await making.settle(team)
    const ids: string[] = []
    for (let skip = 0; skip < ENTRIES; skip += 100) {
      const page = await making.request(team, 'GET', `${JOBS}/${made.body._data.id}/entries?skip=${skip}`)
      ids.push(...page.body._data.map((each: { completionResult: { id: string } }) => each.completionResult.id))
    }
    console.log('create', report(making))
    for (const named of ['id', 'lead_id', 'where', 'upsert']) {
      const harness = timelessHarness()
      const processes = PARTS.map(index => ({
        [named]: named === 'id' ? ids[index] : `L${index}`,
        update: { data: { city: named, score: index } },
      }))
      // The queue finds most of the matches.
      const matching = { where: { city: 'lead_id' }, update: { data: { city: named, score: 2 } } }
      const upserts = PARTS.map(index => ({ lead_id: `L${index}`, data: { city: named, score: index } }))
      const accepted =
        named === 'upsert'
          ? await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, upserts)
          : await harness.request(team, 'PATCH', LEADS, named === 'where' ? matching : { processes })
      expect(accepted.status).toBe(202)
      await harness.settle(team)
      const job = await harness.request(team, 'GET', `${JOBS}/${accepted.body._data.id}`)
      expect(job.body._meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(ENTRIES)
      console.log(named, report(harness))
      const { calls, rows } = harness
      expect(calls.database / ENTRIES).toBeLessThanOrEqual(0.01)
      expect(calls.queue / ENTRIES).toBeLessThanOrEqual(0.01)
      expect(calls.object / ENTRIES).toBeLessThanOrEqual(0.02)
      // Each process has its row, and the index entry of the one indexed attribute that changed. Each step writes some
      // rows of its own; a slow database gets smaller and more of them.
      expect(rows.written / ENTRIES - 2).toBeLessThanOrEqual(0.03)
      expect(rows.read / ENTRIES).toBeLessThanOrEqual(7.05)
    }
  })

  it('is the same for an undo, also where each process was changed by two entries in a row', async () => {
    const team = await newLeadTeam()
    const making = timelessHarness()
    const count = ENTRIES / 2
    const items = PARTS.slice(0, count).map(index => ({ lead_id: `U${index}`, data: { city: 'Goa', score: 1 } }))
    await making.request(team, 'POST', `${LEADS}/bulk-create`, items)
    await making.settle(team)
    for (const times of [1, 2]) {
      const processes = PARTS.slice(0, count).flatMap(index =>
        Array.from({ length: times }, (_, nth) => ({ lead_id: `U${index}`, update: { data: { score: nth + 2 } } })),
      )
      const updating = timelessHarness()
      const { body } = await updating.request(team, 'PATCH', LEADS, { processes })
      await updating.settle(team)
      const harness = timelessHarness()
      const undo = await harness.request(team, 'POST', `${JOBS}/${body._data.id}/undo`)
      expect(undo.status).toBe(202)
      await harness.settle(team)
      const job = await harness.request(team, 'GET', `${JOBS}/${undo.body._data.id}`)
      expect(job.body._meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(count * times)
      const { calls, rows } = harness
      const perEntry = (value: number) => value / (count * times)
      const costs = [calls.database, rows.read, rows.written].map(perEntry)
      console.log('undo', times, JSON.stringify({ calls, costs }))
      expect(perEntry(calls.database)).toBeLessThanOrEqual(0.03)
      // Each process has its row. Each step writes some rows of its own.
      expect(perEntry(rows.written) - 1).toBeLessThanOrEqual(0.05)
      expect(perEntry(rows.read)).toBeLessThanOrEqual(17)
    }
  })

  it('is as much for creating or updating new processes as for creating them', async () => {
    const team = await newLeadTeam()
    for (const route of ['bulk-create', 'bulk-upsert']) {
      const harness = timelessHarness()
      const items = PARTS.map(index => ({ lead_id: `${route} ${index}`, data: { city: 'Goa', score: 1 } }))
      expect((await harness.request(team, 'POST', `${LEADS}/${route}`, items)).status).toBe(202)
      await harness.settle(team)
      console.log(route, report(harness))
      const { calls, rows } = harness
      expect(calls.database / ENTRIES).toBeLessThanOrEqual(0.01)
      // Each process has its row, and five entries of indexes.
      expect(rows.written / ENTRIES - 6).toBeLessThanOrEqual(0.03)
      expect(rows.read / ENTRIES).toBeLessThanOrEqual(3.05)
    }
  })

  it('takes no more round trips where each process is created by one entry and updated by the next', async () => {
    const team = await newLeadTeam()
    const harness = timelessHarness()
    const items = PARTS.map(index => ({ lead_id: `twice ${index >> 1}`, data: { score: index % 2 } }))
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, items)
    await harness.settle(team)
    console.log('twice', report(harness))
    expect(harness.calls.database / ENTRIES).toBeLessThanOrEqual(0.01)
    const { data } = await team.call('GET', `${JOBS}/${body._data.id}/entries?skip=9998`)
    expect(data.map((each: { completionResult: object }) => each.completionResult)).toMatchObject([
      { created: true, primaryKey: 'twice 4999' },
      { created: false, primaryKey: 'twice 4999' },
    ])
    expect((await team.call('GET', `${LEADS}/lead_id/twice 4999`)).data.data.score).toBe(1)
  })
})

const report = ({ calls, rows }: Harness) =>
  JSON.stringify({
    calls,
    rows,
    perEntry: { trips: calls.database / ENTRIES, read: rows.read / ENTRIES, written: rows.written / ENTRIES },
  })
