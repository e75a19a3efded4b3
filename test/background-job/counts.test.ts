import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, JOBS, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'
import { repeatRow } from '../support/repeated-row.ts'

it('jobs are counted up to 20,000 of each status, and the response says whether that is all', async () => {
  const team = await newLeadTeam()
  const one = await bulk(team, 'PATCH', { processes: [{ id: 'L-1', update: { data: { score: 1 } } }] })
  const counted = async () => {
    const { data, meta } = await team.call('GET', `${JOBS}/count`)
    return [data.find((each: { count: number }) => each.count > 0)?.count, meta.isComplete]
  }
  expect(await counted()).toEqual([1, true])
  const row = { table: 'background_job', where: `id = '${one.data.id}'` }
  await repeatRow(row, 19_999, { no: 'no + n', id: "id || '-' || n" })
  expect(await counted()).toEqual([20_000, true])
  await repeatRow(row, 1, { no: 'no - 1', id: "id || 'b'" })
  expect(await counted()).toEqual([20_000, false])
})

it('the messages of a large job are counted in pieces, each once, also where entries in between have none', async () => {
  const team = await newTeam()
  const whatsapp = await connectPlugin(team)
  const job = await team.call('POST', JOBS, { entries: [whatsapp.entry(newNumber())] })
  await waitForJob(team, job.data.id)
  const row = { table: 'message', where: `source_id = '${job.data.id}'` }
  await repeatRow(row, 12_000, { rid: 'rid + n', id: "id || '-' || n", external_id: 'NULL', entry: 'entry + n * 3' })
  const { meta } = await team.call('GET', `${JOBS}/${job.data.id}`)
  expect(meta.deliveryStatusVsCount).toMatchObject({ SENT: 12_001, FAILED: 0 })
  expect(meta).not.toHaveProperty('isDeliveryCountComplete')
})
