import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, settled, type Visit } from './visit.ts'

/**
 * Goes from a delivery to its event, from the event to all webhooks that it was sent to, and back to the attempts of
 * that event alone.
 */
export async function checkDeliveries(_visit: Visit, page: Page): Promise<void> {
  await open(page, '/webhook')
  await page.getByRole('link', { name: /receiver\/accept$/ }).click()
  await settled(page)
  await page.getByRole('table', { name: /^Attempts by (day|hour|minute)$/ }).waitFor({ state: 'attached' })
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  await deliveries.getByRole('button', { name: /\d$/ }).first().click()
  const delivery = page.getByRole('dialog', { name: 'Delivery' })
  await delivery.getByText(/^webhook-id: evt_/).waitFor()
  await delivery.getByRole('link', { name: /^[\d,]+$/ }).click()

  const event = page.getByRole('dialog', { name: /, number [\d,]+$/ })
  const told = event.getByRole('listitem').filter({ has: page.getByRole('link', { name: /receiver\/accept$/ }) })
  await told.getByText(/^sent/).waitFor()
  const number = new URL(page.url()).searchParams.get('opened')
  await page.reload()
  await told.getByText(/^sent/).waitFor()
  const timesSent = async () => Number(/sent (\d+) times/.exec(await told.innerText())?.[1] ?? 1)
  const before = await timesSent()
  await told.getByRole('button', { name: /^Send event [\d,]+ again$/ }).click()
  await page.getByText('The event is sent again').waitFor()
  await told.getByText(`sent ${before + 1} times, last`).waitFor()
  await told.getByRole('link').click()

  await page.getByText('Only what was sent of').waitFor()
  await settled(page)
  const attempts = deliveries.getByRole('button', { name: /\d$/ })
  const numbers = (await attempts.allInnerTexts()).map(text => /\d+$/.exec(text)?.[0])
  expectThat(numbers.length === before + 1, `${numbers.length} attempts are shown of ${before + 1}`)
  expectThat(
    numbers.every(each => each === number),
    `other events than ${number} are shown: ${numbers.join()}`,
  )
  await page.getByRole('link', { name: 'Show all' }).click()
  await page.getByText('Only what was sent of').waitFor({ state: 'detached' })
  console.log('a delivery leads to its event, and an event to its deliveries, from where it is sent again')
}
