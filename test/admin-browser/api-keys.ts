import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, type Visit } from './visit.ts'

/** A key is made, shown once, works; is revoked after a question, and is refused then. */
export async function checkApiKeys({ running }: Visit, page: Page): Promise<void> {
  await open(page, '/api-key')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Browser test')
  await page.getByLabel('Role').selectOption('viewer')
  await page.getByRole('button', { name: 'Create the key' }).click()
  const dialog = page.getByRole('dialog', { name: 'The token of Browser test' })
  const token = (await dialog.getByLabel('Token', { exact: true }).textContent()) ?? ''
  expectThat(/^cw_\w+$/.test(token), `no token is shown: ${token}`)
  const status = async () =>
    (await fetch(`${running.url}/v1/ext/me`, { headers: { authorization: `Bearer ${token}` } })).status
  expectThat((await status()) === 200, 'the key does not work')
  await dialog.getByRole('button', { name: 'I have saved it' }).click()
  expectThat(!(await page.content()).includes(token), 'the token is still in the page')
  await page.getByRole('button', { name: 'Browser test' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: 'Keep' }).click()
  expectThat((await status()) === 200, 'it was revoked though it was to be kept')
  await page.getByRole('button', { name: 'Browser test' }).click()
  await page.getByRole('menuitem', { name: 'Revoke' }).click()
  await question.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('stops working within 30 seconds').waitFor()
  const row = page.getByRole('row').filter({ hasText: 'Browser test' })
  await row.getByText('Revoked').waitFor()
  console.log('a key was made, shown once, used, and revoked after a question')
}
