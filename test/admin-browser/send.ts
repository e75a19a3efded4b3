import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, settled, type Visit } from './visit.ts'

const WHERE = { state: 'OFFER_SENT', status: 'OPEN', product: 'commercial' }

/**
 * Sends a template from a filtered list to all of it, after previews of the first ones and a question; its job shows
 * the delivery.
 */
export async function checkSend(_: Visit, page: Page): Promise<void> {
  await open(page, `/procedure/enquiry/process?where=${encodeURIComponent(JSON.stringify(WHERE))}`)
  await page.getByRole('link', { name: 'Send a message' }).click()
  await settled(page)
  await page.getByLabel('From', { exact: true }).selectOption({ label: '+15550000002 · Solar sales and service' })
  await page.getByLabel('Template', { exact: true }).selectOption({ label: 'rate_us (en_US)' })
  await page.getByLabel('Text: {{1}}', { exact: true }).selectOption('name')
  await page
    .getByText(/Hello (?!\{).+, is all well/)
    .first()
    .waitFor()
  const button = page.getByRole('button', { name: /^Send (one|\d+) messages? …$/ })
  const words = (await button.textContent()) ?? ''
  await button.click()
  const question = page.getByRole('alertdialog')
  const count = /\d+/.exec(words)?.[0] ?? '1'
  const typed = question.getByRole('textbox')
  if (Number(count) >= 20) {
    expectThat(await question.getByRole('button', { name: /^Send / }).isDisabled(), 'many are sent without typing')
    await typed.fill(count)
  }
  await question.getByRole('button', { name: /^Send / }).click()
  await page.getByRole('heading', { name: /^Send .* for [\d,]+ processes? of /, level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'Messages', level: 2 }).waitFor()
  await page.getByText(`All entries ${count}`).waitFor()
  console.log(`a template went to ${count} processes of a filtered list`)
}
