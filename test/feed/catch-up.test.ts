import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { waitForJob } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'

// `YEARS=1` catches up a million events, half of them told one by one and half by jobs; the suite some thousand.
const isFull = (env.YEARS ?? '') !== ''
const [SINGLES, JOB_ROWS] = isFull ? [500_000, 625] : [1_600, 2]
const EVENTS_PER_ROW = 800
if (isFull) vi.setConfig({ testTimeout: 3_600_000 })

/** Updates of the team's processes, written as single requests and as the steps of a job write them. */
async function writeLog({ no }: Team, { singles, jobRows }: { singles: number; jobRows: number }) {
  const after = `json_object('id', p.id, 'set', json_object('score', 1), 'entry', 0)`
  const before = `json_array(1, 1, 1795276206000, 0, json('{}'), json('[[0]]'))`
  const range = `WITH RECURSIVE n(i) AS (SELECT 1 WHERE ?2 > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)`
  const columns = 'INSERT INTO event (team, sequence, count, at, type, proc, by, after, before)'
  const last = '(SELECT max(sequence) FROM event WHERE team = ?1)'
  const ofTeam = `(SELECT json_group_array(rid) FROM (SELECT rid FROM process WHERE team = ?1 LIMIT ${EVENTS_PER_ROW})) `
  const per = 20_000
  for (let done = 0; done < singles; done += per)
    await env.DB.prepare(
      `${columns} ${range}, rids(list) AS (SELECT ${ofTeam})
        SELECT ?1, ${last} + i, 1, ?3, 'process.updated', p.proc, jsonb('{}'), jsonb_object(CAST(p.rid AS TEXT), ${after}),
          jsonb_object(CAST(p.rid AS TEXT), ${before})
        FROM n, rids CROSS JOIN process p ON p.rid = list ->> ('$[' || (i % ${EVENTS_PER_ROW}) || ']')`,
    )
      .bind(no, Math.min(per, singles - done), Date.now())
      .run()
  for (let row = 0; row < jobRows; row++)
    await env.DB.prepare(
      `${columns} SELECT ?1, ${last} + ${EVENTS_PER_ROW}, ${EVENTS_PER_ROW}, ?2, 'process.updated', p.proc, jsonb('{}'),
        jsonb_group_object(CAST(p.rid AS TEXT), ${after}), jsonb_group_object(CAST(p.rid AS TEXT), ${before})
        FROM process p WHERE p.team = ?1`,
    )
      .bind(no, Date.now())
      .run()
}

it('catching up reads at most one row of the log and two of the process for each event', async () => {
  const team = await newTeam()
  const { path } = await newProcedure(team)
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  const processes = Array.from({ length: EVENTS_PER_ROW }, (_, nth) => ({ data: { lead_id: `L${nth}` } }))
  await waitForJob(team, (await team.call('POST', `${path}/bulk-create`, { processes })).data.id)
  const catchUp = async (from: number) => {
    const total = { events: 0, read: 0, trips: 0, pages: 0 }
    for (let after = from; ; ) {
      const { data, meta, cost, errors } = await team.call('GET', `/v1/ext/event?after=${after}`)
      expect(errors).toEqual([])
      expect(data.map(({ sequence }: { sequence: number }) => sequence)).toEqual(
        Array.from({ length: data.length }, (_, nth) => after + 1 + nth),
      )
      total.events += data.length
      total.read += cost.read
      total.trips += cost.trips
      total.pages++
      after = meta.next
      if (!meta.hasMore) return { ...total, latest: meta.latest }
    }
  }
  const { latest: first } = await catchUp(0)
  await writeLog(team, { singles: SINGLES, jobRows: 0 })
  const singles = await catchUp(first)
  await writeLog(team, { singles: 0, jobRows: JOB_ROWS })
  const ofJobs = await catchUp(singles.latest)
  if (isFull) console.log(JSON.stringify({ singles, ofJobs }))
  expect(singles.events).toBe(SINGLES)
  expect(ofJobs.events).toBe(JOB_ROWS * EVENTS_PER_ROW)
  // A page reads besides: the last number, its end, the procedure, the row in which it begins.
  expect(singles.read).toBeLessThanOrEqual(3 * singles.events + 6 * singles.pages)
  expect(ofJobs.read).toBeLessThanOrEqual(2 * ofJobs.events + 8 * ofJobs.pages)
  expect(singles.trips + ofJobs.trips).toBeLessThanOrEqual(3 * (singles.pages + ofJobs.pages))
})
