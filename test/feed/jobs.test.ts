import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { expectEventsOfAll, loadShownEvents, switchFeed } from '../support/feed.ts'
import { bulk, JOBS, LEADS, leadProcedure, newLeadTeam, waitForJob } from '../support/jobs.ts'

const COMPLETED = 'background_job.completed'

async function start() {
  const team = await newTeam()
  await switchFeed(team)
  await leadProcedure(team)
  return team
}

it('the end of a job is one event, with the job as it ended and the number of entries by outcome', async () => {
  const team = await start()
  const one = await bulk(team, 'POST', [{ data: { lead_id: 'A' } }, { data: { lead_id: 'B' } }])
  const two = await bulk(team, 'POST', [{ data: { lead_id: 'A' } }, { data: { lead_id: 'C' } }])
  // A job without an entry that can be run ends as soon as it is accepted.
  const { data: none } = await team.call('POST', `${LEADS}/bulk-create`, [{ data: 'nothing' }])
  const three = await waitForJob(team, none.id)
  const events = await loadShownEvents(team, COMPLETED)
  expect(events.map(({ data }) => data)).toEqual(
    [one, two, three].map(({ data, meta: { requestId: _, ...counts } }) => ({
      id: data.id,
      backgroundJob: data,
      ...counts,
    })),
  )
  expect(events.map(({ data }) => data.backgroundJob.completionStatus)).toEqual(['SUCCESS', 'ERROR', 'ERROR'])
  expect(events.map(({ by }) => [by.user, by.job])).toEqual([
    [team.admin, one.data.id],
    [team.admin, two.data.id],
    [team.admin, null],
  ])
  await expectEventsOfAll(team)
})

it('a retry is a job of its own, with an end of its own', async () => {
  const team = await start()
  await bulk(team, 'POST', [{ data: { lead_id: 'A' } }])
  const failed = await bulk(team, 'POST', [{ data: { lead_id: 'A' } }])
  const { data: retry } = await team.call('POST', `${JOBS}/${failed.data.id}/retry`)
  await waitForJob(team, retry.id)
  const events = await loadShownEvents(team, COMPLETED)
  expect(events.map(({ data }) => data.id).slice(1)).toEqual([failed.data.id, retry.id])
  await expectEventsOfAll(team)
})

it('a job that is cancelled before it begins has one event of its end, however often it is cancelled', async () => {
  const team = await start()
  const startAt = Date.now() + 3_600_000
  const entries = [
    { apiType: 'PROCESS_DELETE', apiData: { procedureId: 'lead', primaryKeyShortId: 'lead_id', primaryKeyValue: 'A' } },
  ]
  const { data: job } = await team.call('POST', JOBS, { startAt, entries })
  for (let nth = 0; nth < 2; nth++) await team.call('POST', `${JOBS}/${job.id}/cancel`)
  const [event, ...others] = await loadShownEvents(team, COMPLETED)
  expect(others).toEqual([])
  expect(event?.data.backgroundJob).toMatchObject({ id: job.id, completionStatus: 'CANCELLED' })
  expect(event?.by).toMatchObject({ user: team.admin, apiKey: expect.any(String) })
})

it('a job has no event where the feed is off', async () => {
  const team = await newLeadTeam()
  await bulk(team, 'POST', [{ data: { lead_id: 'A' } }])
  expect(await loadShownEvents(team, COMPLETED)).toEqual([])
})
