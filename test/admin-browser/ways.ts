import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, settled, type Visit } from './visit.ts'

const SURVEY = {
  name: 'Survey',
  states: [
    { shortId: 'ASKED', name: 'Asked', next: ['BOOKED'] },
    { shortId: 'BOOKED', name: 'Booked', next: ['CLOSED'] },
    { shortId: 'CLOSED', name: 'Closed', next: [] },
  ],
  startState: 'ASKED',
  completedState: 'CLOSED',
  attributes: [],
}

/** The likely next steps of a new reader exist, and lead where they say. */
export async function checkWays({ running }: Visit, page: Page): Promise<void> {
  const call = async (method: string, address: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' }
    const response = await fetch(`${running.url}/v1/ext${address}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return (await response.json()) as { _data: Record<string, string>; _meta: { requestId: string } }
  }
  await call('PUT', '/procedure/survey', SURVEY)
  const { _data: asked } = await call('POST', '/procedure/survey/process', {})
  const { _data: booked } = await call('POST', '/procedure/survey/process', { state: 'BOOKED' })

  await open(page, `/procedure/survey/process/${asked.id}`)
  await page.getByRole('button', { name: 'Booked' }).waitFor()
  const complete = page.getByRole('button', { name: 'Complete' })
  expectThat((await complete.count()) === 0, 'what the transitions refuse is offered')
  await open(page, `/procedure/survey/process/${booked.id}`)
  await complete.click()
  await page.getByText('no state may follow').waitFor()

  await open(page, '/')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Processes' }).click()
  await page.getByRole('heading', { name: 'Survey', level: 1 }).waitFor()

  const { _meta: refused } = await call('PUT', `/procedure/survey/process/${asked.id}`, { state: 'CLOSED' })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill(refused.requestId)
  await page.getByRole('option', { name: /transition_not_allowed Request$/ }).click()
  await settled(page)
  await page.getByText('transition_not_allowed').waitFor()

  await open(page, '/webhook')
  await page.getByRole('link', { name: '/receiver/refuse' }).click()
  await settled(page)
  const delivery = page.getByRole('region', { name: 'Deliveries' }).locator('tbody, [role="row"]').getByRole('button')
  await delivery.first().click()
  await page.getByRole('button', { name: 'Send this event again' }).click()
  await page.getByText('The event is sent again').waitFor()

  await open(page, '/procedure/enquiry/edit')
  const beside = await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)
  expectThat(beside <= 0, `menu and head can be scrolled away, by ${beside} pixels`)

  await open(page, '/user')
  await page.getByRole('button', { name: 'Add a user' }).click()
  await page.getByRole('dialog').waitFor()
  await page.keyboard.type('somebody')
  expectThat(
    (await page.getByLabel('Username').inputValue()) === 'somebody',
    'a form does not begin at its first field',
  )
  await page.keyboard.press('Escape')
  console.log('the menu leads back, a request is found by its id, and nothing is offered that is refused')
}
