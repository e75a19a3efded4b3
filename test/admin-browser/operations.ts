import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, open, settled, type Visit } from './visit.ts'

/** Jobs, webhooks, requests, roles: the pages of those who look after the team. */
export async function checkOperations(visit: Visit, page: Page): Promise<void> {
  await checkFailedJob(page)
  await checkFailingWebhook(page)
  await checkRequests(visit, page)
  await checkRoles(page)
}

/** The group of a failure leads to its entries, and their address says so. */
async function checkFailedJob(page: Page): Promise<void> {
  await open(page, '/background-job?status=ERROR')
  await page
    .getByRole('row', { name: /failed, 15 invalid/ })
    .getByRole('link')
    .click()
  // Their number and states depend on the day with which the past of the demo team ends.
  const reason = page.getByRole('link', { name: /transition_not_allowed/ }).first()
  const many = Number.parseInt(await reason.innerText(), 10)
  await reason.click()
  const ofThisKind = page.getByText(new RegExp(`^${many} of this kind:`))
  await ofThisKind.waitFor()
  const entries = page.getByRole('table', { name: 'Entries' }).getByRole('row')
  await entries.nth(many).waitFor()
  const shown = await entries.count()
  expectThat(many > 0 && shown === 1 + many, `${shown - 1} entries of a group of ${many} are shown`)
  await page.reload()
  await ofThisKind.waitFor()
  await page.getByRole('link', { name: 'Show all' }).click()
  await ofThisKind.waitFor({ state: 'detached' })
  await page.goBack()
  await ofThisKind.waitFor()
  console.log('the failures of a job are grouped, and a group leads to its entries')
}

/** A failing webhook says why; one event is seen and sent again by itself; a rotated secret signs beside the old one. */
async function checkFailingWebhook(page: Page): Promise<void> {
  await open(page, '/webhook')
  await page.getByRole('link', { name: /receiver\/refuse/ }).click()
  await settled(page)
  await page.getByText(/The last response was 503 after/).waitFor()
  await page.getByText(/events? waits? to be delivered\. It has been failing since .*20\d\d.* five days\./).waitFor()
  await page.getByText(/^Failing since .*20\d\d/).waitFor()
  const deliveries = page.getByRole('table', { name: 'Deliveries' })
  // On a busy machine an attempt may have had no response at all; the event of the newest one depends on what was sent
  // and changed before.
  const event = page.getByRole('button', { name: /background_job\.completed|message\.received/ })
  const refused = deliveries
    .getByRole('row', { name: /Down for maintenance/ })
    .filter({ has: event })
    .first()
  const opensEvent = refused.getByRole('button', { name: /background_job\.completed|message\.received/ }).first()
  const type = /background_job\.completed|message\.received/.exec(await opensEvent.innerText())?.[0] ?? ''
  await opensEvent.click()
  const dialog = page.getByRole('dialog', { name: 'Delivery' })
  await dialog.getByText('Down for maintenance').waitFor()
  await dialog.getByText(`"type": "${type}"`).waitFor()
  for (const part of [
    'Headers of the request',
    'Start of the response',
    'The event, which was the body of the request',
  ])
    await dialog.getByRole('heading', { name: part }).waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await open(page, '/webhook')
  await page.getByRole('link', { name: /receiver\/accept$/ }).click()
  await settled(page)
  const again = deliveries.getByRole('button', { name: /^Send event [\d,]+ again$/ }).first()
  const number = /[\d,]+/.exec((await again.getAttribute('aria-label')) ?? '')?.[0] ?? ''
  const getAttempts = () => deliveries.getByRole('button', { name: `Send event ${number} again` }).count()
  const before = await getAttempts()
  await again.focus()
  await page.keyboard.press('Enter')
  await page.getByText('The event is sent again').waitFor()
  await page.waitForFunction(
    ([name, count]) => document.querySelectorAll(`[aria-label="${name}"]`).length > Number(count),
    [`Send event ${number} again`, String(before)],
  )
  // The second time two secrets sign already, and a new one ends both.
  for (const signing of ['Two, by the old secret and by the new one', 'One, by the secret']) {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rotate the secret' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Rotate' }).click()
    await page.getByRole('button', { name: 'I have saved it' }).click()
    await page.getByText(signing).waitFor()
  }
  console.log('a failing webhook says why, one event is sent again, a rotated secret signs beside the old one')
}

/** The id of a failed request, pasted into the palette, leads to its page; failures are grouped by kind. */
async function checkRequests(visit: Visit, page: Page): Promise<void> {
  const { running } = visit
  const address = `${running.url}/v1/ext/procedure/nowhere_at_all`
  const refused = await fetch(address, { headers: { authorization: `Bearer ${running.token}` } })
  const id = refused.headers.get('x-request-id') ?? ''
  const kept = async () => {
    // It is found sooner by its id: an isolate knows requests that it has not written yet.
    const listed = await call<{ id: string }[]>(visit, 'GET', '/v1/ext/request?failed=true&operation=getProcedure')
    return listed.some(each => each.id === id)
  }
  for (let left = 60; left > 0 && !(await kept()); left -= 1) await page.waitForTimeout(500)
  await open(page, '/usage')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill(id)
  const found = page.getByRole('option', { name: /^getProcedure 404 not_found Request$/ })
  await found.waitFor()
  const others = await page.getByRole('option').count()
  expectThat(others === 1, `an id of a request offers ${others} things`)
  while ((await found.getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Request', level: 1 }).waitFor()
  await page.getByText('not_found').waitFor()
  await open(page, '/request?failed=true')
  await page.getByRole('heading', { name: /^What failed/ }).waitFor()
  const all = page.getByRole('button', { name: /^Show all \d+ kinds$/ })
  if ((await all.count()) > 0) await all.click()
  await page.getByRole('link', { name: /getProcedure 404 not_found/ }).click()
  await page.getByText('Only 404 of getProcedure').waitFor()
  const operation = page.getByLabel('Operation', { exact: true })
  await operation.fill('getProcedures')
  await page.keyboard.press('Enter')
  await page.getByText('no operation "getProcedures"').waitFor()
  await operation.fill('putProcedure')
  await page.keyboard.press('Enter')
  await page.getByText('Only 404 of putProcedure').waitFor()
  await page.getByText('No requests like this').waitFor()
  await page.getByRole('link', { name: 'Show all' }).click()
  const caller = page.getByLabel('User or key')
  await caller.locator('option').nth(1).waitFor({ state: 'attached' })
  await caller.selectOption({ index: 1 })
  await page.waitForURL(/caller=/)
  console.log('the id of a request leads to it from anywhere, and failures are told by kind')
}

/** The permissions of a role can be read before it is granted. */
async function checkRoles(page: Page): Promise<void> {
  await open(page, '/user')
  await page.getByRole('button', { name: 'What roles may do' }).click()
  const line = page.getByRole('row', { name: /Create, rotate and revoke API keys/ })
  await line.waitFor()
  const cells = await line.getByRole('cell').allInnerTexts()
  expectThat(cells.map(text => text.includes('yes')).join() === 'true,false,false,false', `who may: ${cells.join()}`)
  await page.keyboard.press('Escape')
  console.log('what each role may do can be read')
}
