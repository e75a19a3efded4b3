import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, lookAt, newVisitor, open, settled, signIn, type Visit } from './visit.ts'

/** Numbers of the demo team: the emulator's answer to the one can't be read, the other is refused later. */
const UNKNOWN = '15550017900015'
const FAILED = '15550018131026'

interface Written {
  id: string
  direction: string
  resentAs: string | null
  attachments: object[] | null
}

/** Messages are found by status and by number; an unknown one is sent again only after a question; a refused one says why; a customer's picture is shown. */
export async function checkMessages(visit: Visit, page: Page): Promise<void> {
  const ofNumber = (number: string) => call<Written[]>(visit, 'GET', `/v1/ext/message?phoneNumber=${number}`)

  await open(page, '/message')
  await page.getByLabel('Status', { exact: true }).selectOption({ label: 'Failed' })
  await page.waitForURL(/status=FAILED/)
  await settled(page)
  await page.getByRole('row').nth(1).getByText('Failed').waitFor()
  expectThat((await page.getByRole('row').filter({ hasText: 'Read' }).count()) === 0, 'others are shown, too')
  await page.getByRole('searchbox', { name: 'Phone number' }).fill(`+1 555 001 7900 015`)
  await page.keyboard.press('Enter')
  const row = page.getByRole('row').nth(1)
  await row.getByText('Unknown').waitFor()
  await row.getByRole('link').first().click()
  await settled(page)
  await page.getByText('it may have arrived').waitFor()
  const before = await ofNumber(UNKNOWN)
  await page.getByRole('button', { name: 'Send again' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('This message may have arrived').waitFor()
  await question.getByRole('button', { name: 'Cancel' }).click()
  expectThat((await ofNumber(UNKNOWN)).length === before.length, 'it was sent again though nobody said so')
  await page.getByRole('button', { name: 'Send again' }).click()
  await question.getByRole('button', { name: 'Send it, even if it arrives twice' }).click()
  // The emulator garbles this one, too: the page of the first leads to it.
  await page.getByRole('link', { name: 'as a new message' }).waitFor()
  expectThat((await ofNumber(UNKNOWN)).length === before.length + 1, 'it was not sent again, or more than once')
  expectThat((await page.getByRole('button', { name: 'Send again' }).count()) === 0, 'it is offered a second time')

  const [refused] = await ofNumber(FAILED)
  await open(page, `/message/${refused?.id}`)
  await page.getByText('(code 131026)').waitFor()
  await page.getByText('What to do:').waitFor()

  const where = { state: 'OFFER_SENT', status: 'OPEN' }
  const [process] = await call<{ data: { phone_number: string } }[]>(
    visit,
    'POST',
    '/v1/ext/procedure/enquiry/process/list',
    {
      where,
      limit: 1,
    },
  )
  const conversation = await ofNumber(process?.data.phone_number ?? '')
  const picture = conversation.find(({ direction, attachments }) => direction === 'INBOUND' && attachments)
  await open(page, `/message/${picture?.id}`)
  await page.getByRole('button', { name: 'Show the image' }).click()
  await page.getByRole('img', { name: 'Sent by the customer' }).waitFor()
  await page.waitForFunction(() => (document.querySelector('main img') as HTMLImageElement | null)?.naturalWidth)

  await lookAt(visit, page.context(), 'message-failed', `/message/${refused?.id}`)
  await lookAt(visit, page.context(), 'message-received', `/message/${picture?.id}`)

  await checkSender(visit, page)

  const context = await newVisitor(visit)
  const theirs = await signIn(visit, context, 'auditor')
  await open(theirs, `/message/${refused?.id}`)
  await theirs.getByText('(code 131026)').waitFor()
  expectThat((await theirs.getByRole('button', { name: 'Send again' }).count()) === 0, 'a viewer may send again')
  await context.close()
  console.log('messages were found, explained, and one sent again after a question')
}

/** A message of a customer has their name: one that is chosen at the provider may be anything. */
async function checkSender(visit: Visit, page: Page): Promise<void> {
  const [received] = await call<{ record: string }[]>(visit, 'GET', '/v1/ext/message?direction=INBOUND&limit=1')
  const { data } = await call<{ data: { name: string } }>(visit, 'GET', `/v1/ext/record/${received?.record}`)
  await open(page, `/customer/${received?.record}?show=messages`)
  await page.locator('main ol > li').filter({ hasText: 'Received' }).first().getByText(data.name).first().waitFor()
  await open(page, `/customer/${received?.record}?tab=messages`)
  await page.getByRole('main').getByText(`${data.name} wrote:`).first().waitFor({ state: 'attached' })
}
