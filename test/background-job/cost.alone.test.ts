import { afterEach, describe, expect, it, vi } from 'vitest'
import { newTeam } from '../support/api.ts'
import type { Harness } from '../support/harness.ts'
import { JOBS, LEADS, leadProcedure } from '../support/jobs.ts'
import { timelessHarness } from '../support/timeless.ts'

const ENTRIES = 10_000
const PARTS = Array.from({ length: ENTRIES }, (_, index) => index)

afterEach(() => vi.restoreAllMocks())

describe('what a bulk update of 10,000 processes costs', () => {
  it('stays within its budget, whether processes are named by id, by primary key, or by a query', async () => {
    const team = await newTeam()
    await leadProcedure(team)
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
    for (const named of ['id', 'lead_id', 'where']) {
      const harness = timelessHarness()
      const processes = PARTS.map(index => ({
        [named]: named === 'id' ? ids[index] : `L${index}`,
        update: { data: { city: named, score: index } },
      }))
      // Most of those that match are found by the queue.
      const matching = { where: { city: 'lead_id' }, update: { data: { city: named, score: 2 } } }
      const accepted = await harness.request(team, 'PATCH', LEADS, named === 'where' ? matching : { processes })
      expect(accepted.status).toBe(202)
      await harness.settle(team)
      const job = await harness.request(team, 'GET', `${JOBS}/${accepted.body._data.id}`)
      expect(job.body._meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(ENTRIES)
      console.log(named, report(harness))
      const { calls, rows } = harness
      expect(calls.database / ENTRIES).toBeLessThanOrEqual(0.01)
      expect(calls.queue / ENTRIES).toBeLessThanOrEqual(0.01)
      expect(calls.object / ENTRIES).toBeLessThanOrEqual(0.02)
      // Each process: its row, and the index entry of the one indexed attribute that changed.
      // Each step writes some rows of its own; a slow database gets smaller and more of them.
      expect(rows.written / ENTRIES - 2).toBeLessThanOrEqual(0.03)
      expect(rows.read / ENTRIES).toBeLessThanOrEqual(7.05)
    }
  }, 120_000)
})

const report = ({ calls, rows }: Harness) =>
  JSON.stringify({
    calls,
    rows,
    perEntry: { trips: calls.database / ENTRIES, read: rows.read / ENTRIES, written: rows.written / ENTRIES },
  })
