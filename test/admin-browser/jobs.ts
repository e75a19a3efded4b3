import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, settled, type Visit } from './visit.ts'

/** Jobs of one creator and of some days, in the address; a retry or an undo leads to the new job, and each of the two to the other. */
export async function checkJobs(_visit: Visit, page: Page): Promise<void> {
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
  await page.getByRole('link', { name: 'the failed entries of this job' }).waitFor()
  const retry = page.url()
  expectThat(retry !== failed, 'a retry stays on the page of the failed job')
  await page.getByRole('link', { name: 'the failed entries of this job' }).click()
  await page.waitForURL(failed)
  await page
    .getByRole('link', { name: /^a job of/ })
    .first()
    .click()
  await page.waitForURL(retry)

  await open(page, '/background-job?status=SUCCESS')
  await page
    .getByRole('row', { name: /Change|→/ })
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
  console.log('jobs are found by creator and day, and a retry or an undo and what it is of lead to each other')
}
