import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, LEADS, newLeadTeam } from '../support/jobs.ts'
import { repeatRow } from '../support/repeated-row.ts'

it('the usage of the oldest day of a log that was cut has the events that are kept, and the month is marked as incomplete', async () => {
  const team = await newLeadTeam()
  for (let nth = 0; nth < 3; nth++) await team.call('POST', LEADS, { data: { lead_id: `${nth}` } })
  const usage = async () => (await team.call('GET', '/v1/ext/usage')).data
  expect(await usage()).toMatchObject({ isComplete: true, total: { events: 3 } })
  await env.DB.prepare('UPDATE event SET sequence = sequence + 1000000 WHERE team = ?').bind(team.no).run()
  expect(await usage()).toMatchObject({ isComplete: false, total: { events: 3 } })
})

it('the usage of a month with more deliveries than are read is marked as incomplete', async () => {
  const team = await newTeam()
  const { data } = await team.call('POST', '/v1/ext/webhook', { url: 'https://www.example.com/hook' })
  await env.DB.prepare(
    `INSERT INTO webhook_delivery (team, webhook, number, at, count, failed, attempts)
      WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 20001)
      SELECT team, no, n, ?2, 1, 0, jsonb('[]') FROM n CROSS JOIN webhook WHERE id = ?1`,
  )
    .bind(data.id, Date.now())
    .run()
  expect((await team.call('GET', '/v1/ext/usage')).data.isComplete).toBe(false)
})

it('the usage of a month with more jobs than are read is marked as incomplete', async () => {
  const team = await newLeadTeam()
  const { data } = await bulk(team, 'POST', [{ data: { lead_id: '1' } }])
  const usage = async () => (await team.call('GET', '/v1/ext/usage')).data
  expect(await usage()).toMatchObject({ isComplete: true, total: { jobs: 1, jobEntries: 1 } })
  const row = { table: 'background_job', where: `id = '${data.id}'` }
  await repeatRow(row, 20_000, { no: 'no + n', id: "id || '-' || n" })
  expect(await usage()).toMatchObject({ isComplete: false, total: { jobs: 20_000 } })
})
