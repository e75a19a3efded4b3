import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, waitForJob } from '../support/jobs.ts'
import { operateJson } from '../support/operator.ts'
import { type Connected, connectPlugin, newConnectedTeam, newNumber, refusedNumber } from '../support/provider.ts'
import { repeatRow } from '../support/repeated-row.ts'

const UNDELIVERABLE = 131026
const JOBS_MANY = 450

/** The cron of an installation whose database was restored. */
async function runCronAfterRestore(): Promise<Harness> {
  const harness = new Harness({ PAUSED: 'restored' })
  await harness.runCron()
  return harness
}

async function sendTo(team: Team, whatsapp: Connected, phone: string, startAt?: number) {
  const body = { entries: [whatsapp.entry(phone)], ...(startAt === undefined ? {} : { startAt }) }
  const { data, errors } = await team.call('POST', JOBS, body)
  expect(errors).toEqual([])
  return data.id as string
}

it('a job whose failed entries may have been retried in the time that a restore took away is not retried', async () => {
  const { team, whatsapp } = await newConnectedTeam()
  const phone = refusedNumber(UNDELIVERABLE)
  const failed = await sendTo(team, whatsapp, phone)
  await waitForJob(team, failed)
  await runCronAfterRestore()
  const refused = await team.call('POST', `${JOBS}/${failed}/retry`)
  expect(refused.status).toBe(409)
  expect(refused.errors[0]).toContain('the database was restored')
  expect((await whatsapp.received(`to=${phone}`)).received).toBe(1)
  // A later failure can be retried as usual.
  await env.DB.prepare('UPDATE background_job SET completed_at = completed_at + 120000 WHERE id = ?').bind(failed).run()
  expect((await team.call('POST', `${JOBS}/${failed}/retry`)).status).toBe(202)
})

it('a job that a restore interrupted with messages on their way is not retried, whenever it ends', async () => {
  const { team, whatsapp } = await newConnectedTeam()
  const phone = newNumber()
  const harness = new Harness()
  // A customer gets some at once; the others wait.
  const entries = Array.from({ length: 8 }, () => whatsapp.entry(phone))
  const { body } = await harness.request(team, 'POST', JOBS, { entries })
  const job = `${JOBS}/${body._data.id}`
  const count = async () => (await team.call('GET', job)).meta.bjEntryCompletionStatusVsCount
  while ((await count()).SUCCESS < 5) await harness.deliver()
  await runCronAfterRestore()
  await harness.settle(team)
  expect(await count()).toMatchObject({ SUCCESS: 5, CANCELLED: 3 })
  const refused = await team.call('POST', `${job}/retry`, { statuses: ['CANCELLED'] })
  expect([refused.status, refused.errors[0]]).toEqual([409, expect.stringContaining('the database was restored')])
  expect((await whatsapp.received(`to=${phone}`)).received).toBe(5)
})

it('any number of jobs is interrupted after a restore, a bounded number in each transaction', async () => {
  const { team, whatsapp } = await newConnectedTeam()
  const later = await sendTo(team, whatsapp, newNumber(), Date.now() + 3_600_000)
  const row = { table: 'background_job', where: `id = '${later}'` }
  await repeatRow(row, JOBS_MANY, { no: 'no + n', id: "id || '-' || n", start_at: 'NULL' })
  const { log } = await runCronAfterRestore()
  const counts = await env.DB.prepare(
    'SELECT count(*) AS n, sum(interrupted_at IS NOT NULL AND completion_status = ?) AS done FROM background_job WHERE team = ?',
  )
    .bind('CANCELLED', team.no)
    .first()
  expect(counts).toEqual({ n: JOBS_MANY + 1, done: JOBS_MANY })
  const steps = log.filter(({ sql }) => sql.includes('UPDATE "background_job"')).length
  expect(steps).toBeGreaterThanOrEqual(3)
})

it('a team with any number of jobs is stopped before it is erased, a bounded number in each transaction', async () => {
  const team = await newTeam()
  const later = await sendTo(team, await connectPlugin(team), newNumber(), Date.now() + 3_600_000)
  await repeatRow({ table: 'background_job', where: `id = '${later}'` }, 1_100, { no: 'no + n', id: "id || '-' || n" })
  const { env: bindings, log } = new Harness()
  const { status } = await operateJson('POST', `/team/${team.id}/erase`, undefined, { DB: bindings.DB })
  expect(status).toBe(200)
  const running = env.DB.prepare('SELECT count(*) AS n FROM background_job WHERE team = ? AND completed_at = 0')
  expect(await running.bind(team.no).first()).toEqual({ n: 0 })
  expect(log.filter(({ sql }) => sql.includes('UPDATE "background_job"')).length).toBe(3)
})
