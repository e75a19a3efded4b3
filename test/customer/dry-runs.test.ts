import { expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'
import { tablesWith } from '../support/tables-with.ts'

// Dry runs about a customer who is erased: while they run, after them, and after they were applied.

const RECORD = '/v1/ext/record'
const ROUNDS_MAX = 30
const ATTRIBUTES = [
  { shortId: 'lead_id', type: 'string' },
  { shortId: 'name', type: 'string', personal: true },
  { shortId: 'city', type: 'string' },
]

async function start() {
  const team = await newLeadTeam({ attributes: ATTRIBUTES })
  const [phone, name, other] = [newNumber(), `Asha${newNumber()}`, `Mira${newNumber()}`]
  const { data } = await team.call('POST', LEADS, {
    data: { lead_id: 'A', name },
    record: { data: { phone } },
  })
  for (const lead_id of ['B', 'C', 'D', 'E', 'F']) await team.call('POST', LEADS, { data: { lead_id } })
  return { team, phone, name, other, record: data.record.id as string }
}

async function erase(team: Team, id: string): Promise<void> {
  expect((await team.call('DELETE', `${RECORD}/${id}?everywhere=true`)).status).toBe(202)
  const harness = new Harness()
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await harness.runCron()
    if ((await team.call('DELETE', `${RECORD}/${id}?everywhere=true`)).status === 404) return
  }
  throw new Error('the erasure never ends')
}

const expectNothingLeft = async (...texts: string[]) => {
  for (const text of texts) expect([text, await tablesWith(text)]).toEqual([text, []])
}

const updates = (other: string) => ({
  processes: ['A', 'B', 'C', 'D', 'E', 'F', 'A'].map((lead_id, nth) => ({
    lead_id,
    data: lead_id === 'A' && nth === 0 ? { name: other } : { city: `City ${nth}` },
  })),
})

it('a dry run that stores data of the customer ends, and nothing of it is kept', async () => {
  const { team, phone, name, other, record } = await start()
  const harness = new Harness({ JOB_TUNING: { chunkEntries: 2, sliceChunks: 1 } })
  const { body } = await harness.request(team, 'PATCH', `${LEADS}?dryRun=true`, updates(other))
  await harness.deliver()
  expect(await tablesWith(other)).toContain('dry_run_process')
  await erase(team, record)
  await harness.settle(team)
  await expectNothingLeft(phone, name, other)
  const { data } = await team.call('GET', `${JOBS}/${body._data.id}`)
  expect(data).toMatchObject({ completionStatus: 'CANCELLED', dryRun: true })
  expect(data.statusMessage).toContain('a customer was erased while it ran')
})

it('an erasure between a dry run and its application leaves the entry unrun, and restores nothing of the customer', async () => {
  const { team, phone, name, other, record } = await start()
  const harness = new Harness({ JOB_TUNING: { chunkEntries: 2 } })
  const { body } = await harness.request(team, 'PATCH', `${LEADS}?dryRun=true`, updates(other))
  await harness.settle(team)
  const { body: applied } = await harness.request(team, 'POST', `${JOBS}/${body._data.id}/apply`)
  await erase(team, record)
  await harness.settle(team)
  await expectNothingLeft(phone, name, other)
  const { data } = await team.call('GET', `${JOBS}/${applied._data.id}/entries`)
  const results = data.map((each: { completionResult: { code?: string } }) => each.completionResult.code ?? 'SUCCESS')
  expect(results.slice(1, 6)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS', 'SUCCESS'])
  expect(results[0]).not.toBe('SUCCESS')
})

it('an erasure after a dry run removes its projected changes of the customer', async () => {
  const { team, phone, name, other, record } = await start()
  const harness = new Harness({ JOB_TUNING: { chunkEntries: 2 } })
  const { body } = await harness.request(team, 'PATCH', `${LEADS}?dryRun=true`, updates(other))
  await harness.settle(team)
  await erase(team, record)
  await expectNothingLeft(phone, name, other)
  const { data } = await team.call('GET', `${JOBS}/${body._data.id}/entries`)
  expect(data[0].completionResult).toMatchObject({ changes: [], more: 1 })
  expect(data[6].completionResult.changes).toEqual([{ field: 'data.city', from: null, to: 'City 6' }])
})
