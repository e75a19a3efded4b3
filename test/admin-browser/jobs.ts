import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, lookAt, open, settled, type Visit } from './visit.ts'

/** Jobs of one creator and of some days, in the address; a retry or an undo leads to the new job, and each of the two to the other. */
export async function checkJobs(visit: Visit, page: Page): Promise<void> {
  await open(page, '/background-job')
  const jobs = page.getByRole('table', { name: 'Jobs' }).getByRole('link')
  const all = await jobs.count()
  await page.getByLabel('From').fill('2000-01-01')
  await page.getByLabel('To', { exact: true }).fill('2000-01-02')
  await page.getByText('No jobs like this').waitFor()
  await page.reload()
  await page.getByText('No jobs like this').waitFor()
  await page.getByRole('link', { name: 'Without filters' }).click()
  await jobs.first().waitFor()
  const creator = page.getByLabel('Created by')
  const [, first = ''] = await creator.locator('option').allInnerTexts()
  const address = page.waitForURL(/by=/)
  await creator.selectOption(first)
  await address
  await settled(page)
  expectThat((await jobs.count()) <= all, 'jobs of one creator are more than all')

  await open(page, '/background-job?status=ERROR')
  await page
    .getByRole('row', { name: /\d failed/ })
    .first()
    .getByRole('link')
    .click()
  await settled(page)
  const failed = page.url()
  await page.getByRole('button', { name: 'Retry failed' }).click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Retry/ })
    .click()
  await page.getByRole('link', { name: 'entries of this job' }).waitFor()
  const retry = page.url()
  expectThat(retry !== failed, 'a retry stays on the page of the failed job')
  await page.getByRole('link', { name: 'entries of this job' }).click()
  await page.waitForURL(failed)
  await page
    .getByRole('link', { name: /^a job of/ })
    .first()
    .click()
  await page.waitForURL(retry)

  await open(page, '/background-job?status=SUCCESS')
  await page
    .getByRole('row', { name: /Change|→/ })
    // The page of an undo, which others make meanwhile, has the link that is waited for from the beginning.
    .filter({ hasNotText: 'Undo' })
    .first()
    .getByRole('link')
    .click()
  await settled(page)
  const done = page.url()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'the changes of this job' }).waitFor()
  const undo = page.url()
  await page.getByRole('link', { name: 'the changes of this job' }).click()
  await page.waitForURL(done)
  await page.getByRole('link', { name: 'this job', exact: true }).click()
  await page.waitForURL(undo)
  await runTheRest(visit, page)
  console.log('jobs are found by creator and day, and a retry or an undo and what it is of lead to each other')
}

/** What a cancelled job has not run is run by one job, to which its page leads from then on. */
async function runTheRest(visit: Visit, page: Page): Promise<void> {
  const entry = { apiType: 'PROCESS_UPDATE', apiData: { procedureId: 'lead', processId: 'none', processUpdate: {} } }
  const body = { entries: [entry, entry, entry], startAt: Date.now() + 3_600_000 }
  const { id } = await call<{ id: string }>(visit, 'POST', '/v1/ext/background-job', body)
  await call(visit, 'POST', `/v1/ext/background-job/${id}/cancel`)
  await open(page, `/background-job/${id}`)
  const cancelled = page.url()
  await page.getByText('Cancelled: of 3 entries 0 succeeded, 3 not run').first().waitFor()
  await page.getByRole('button', { name: 'Run the rest' }).click()
  const question = page.getByRole('alertdialog', { name: 'Run the rest: 3 entries?' })
  await question.getByRole('button', { name: 'Run 3' }).click()
  await page.getByRole('link', { name: 'entries of this job' }).click()
  await page.waitForURL(cancelled)
  await page.getByRole('link', { name: 'this job', exact: true }).waitFor()
  expectThat((await page.getByRole('button', { name: 'Run the rest' }).count()) === 0, 'the rest could be run twice')
  await lookAt(visit, page.context(), 'cancelled-job', `/background-job/${id}`)
  await page.getByRole('link', { name: 'this job', exact: true }).click()
  await page.getByRole('link', { name: 'entries of this job' }).waitFor()
}
