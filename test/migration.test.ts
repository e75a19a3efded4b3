import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newTeam, type Team } from './support/api.ts'
import { bulk, entriesOf, JOBS, LEADS, leadProcedure } from './support/jobs.ts'
import { connected, newNumber } from './support/provider.ts'

/** What a team reads of everything it has. The job and the message are of before the migration, too. */
async function everythingOf(team: Team, job: string, message: string): Promise<unknown> {
  const config = await team.call('GET', '/v1/ext/config')
  const listed = await team.call('POST', `${LEADS}/list`, { where: { city: 'Oslo', score: { '>=': 2 } } })
  const sorted = await team.call('POST', `${LEADS}/list`, { sort: [{ field: 'city', order: 'asc' }] })
  const sent = await team.call('GET', `/v1/ext/message/${message}`)
  const read = [config, listed, sorted, await team.call('GET', `${JOBS}/${job}`), sent]
  expect(read.map(({ errors }) => errors)).toEqual(read.map(() => []))
  return [...read.map(({ data }) => data as unknown), await entriesOf(team, job)]
}

const lead = (number: number) => ({
  data: { lead_id: `L${number}`, city: number % 2 ? 'Oslo' : 'Pune', score: number },
  record: { data: { phone_number: newNumber() } },
})

it('a later migration applies to data that was written before it', async () => {
  const team = await newTeam()
  await leadProcedure(team)
  const { data: job } = await bulk(team, 'POST', [1, 2, 3, 4].map(lead))
  const first = await team.call('GET', `${LEADS}/lead_id/L1`)
  const { data: deleted } = await team.call('DELETE', `${LEADS}/lead_id/L4`)
  const whatsapp = await connected(team)
  const { data: message } = await whatsapp.send(newNumber(), { templateName: 'hello_world' })
  const before = await everythingOf(team, job.id, message.id)

  const { results } = await env.DB.prepare(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name <> 'd1_migrations'",
  ).all<{ name: string }>()
  expect(results.length).toBeGreaterThan(10)
  const queries = results.flatMap(({ name }) => [
    `ALTER TABLE "${name}" ADD COLUMN later_number integer DEFAULT 7 NOT NULL`,
    `ALTER TABLE "${name}" ADD COLUMN later_text text`,
    `CREATE INDEX "${name}_later" ON "${name}" (later_text)`,
  ])
  await applyD1Migrations(env.DB, [...env.TEST_MIGRATIONS, { name: '9999_later.sql', queries }])

  expect(await everythingOf(team, job.id, message.id)).toEqual(before)
  const restored = await team.call('POST', `${LEADS}/${deleted.id}/restore`)
  expect([restored.status, restored.data.data.lead_id]).toEqual([200, 'L4'])
  const updated = await team.call('PUT', `${LEADS}/lead_id/L1`, { data: { score: 11 } })
  expect(updated.data).toEqual({
    ...first.data,
    updatedAt: updated.data.updatedAt,
    data: { ...first.data.data, score: 11 },
  })
  const fifth = lead(5)
  const created = await team.call('POST', LEADS, fifth, { 'idempotency-key': 'later' })
  const replayed = await team.call('POST', LEADS, fifth, { 'idempotency-key': 'later' })
  expect([created.status, replayed.status, replayed.data.id]).toEqual([201, 201, created.data.id])
  const { meta } = await bulk(team, 'PATCH', { where: { city: 'Oslo' }, update: { state: 'IN_PROGRESS' } })
  expect(meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(3)
  const next = await whatsapp.send(newNumber(), { templateName: 'hello_world' })
  expect(next.data.deliveryStatus).toBe('SENT')
})
