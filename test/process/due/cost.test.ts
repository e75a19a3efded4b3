import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { scanDueActions } from '../../../src/process/due/scan.ts'
import { newTeam, type Team } from '../../support/api.ts'
import { loadDueEvents, switchOnFeed } from '../../support/due.ts'
import { Harness } from '../../support/harness.ts'
import { newProcedure } from '../../support/procedures.ts'

const PROCESSES = 2_000

async function teamWithTimes(procedures: number, nextActionAt: number): Promise<Team> {
  const team = await newTeam()
  await switchOnFeed(team)
  for (let nth = 0; nth < procedures; nth++) await newProcedure(team, { primaryKey: null }, `kind-${nth}`)
  await env.DB.prepare(
    `INSERT INTO process (rid, id, proc, team, status, state, next_action_at, updated_at, data)
      SELECT ?1 * 1000000 + key, 'put-' || key, no, team, 3, 'NEW', ?2, 0, jsonb('{"city": "Pune"}')
      FROM json_each(?3), procedure WHERE team = ?1 AND short_id = 'kind-0'`,
  )
    .bind(team.no, nextActionAt, JSON.stringify(Array.from({ length: PROCESSES }, () => 0)))
    .run()
  return team
}

async function runPass({ no }: Team) {
  const harness = new Harness()
  const scan = await scanDueActions({ env: harness.env, onNotified: () => {} }, no)
  expect(scan.left).toEqual([])
  return { ...harness.rows, trips: harness.calls.database }
}

it('a notified next action writes one row, and one more for each page', async () => {
  const team = await teamWithTimes(5, Date.now() - 60_000)
  const { read, written, trips } = await runPass(team)
  expect(await loadDueEvents(team)).toHaveLength(PROCESSES)
  if (env.COSTS) console.info(JSON.stringify({ readEach: read / PROCESSES, writtenEach: written / PROCESSES, trips }))
  expect(trips).toBeLessThanOrEqual(PROCESSES / 100 + 3)
  expect(written).toBeLessThanOrEqual(PROCESSES + trips)
  expect(read / PROCESSES).toBeLessThanOrEqual(13)
})

it('a scan without a match takes one trip, writes one row and reads a few for each procedure, however many were notified before', async () => {
  const team = await teamWithTimes(5, Date.now() - 60_000)
  await runPass(team)
  const { read, written, trips } = await runPass(team)
  if (env.COSTS) console.info(JSON.stringify({ read, written, trips }))
  expect({ trips, written }).toEqual({ trips: 1, written: 1 })
  expect(read).toBeLessThanOrEqual(3 + 5 * 3)
})
