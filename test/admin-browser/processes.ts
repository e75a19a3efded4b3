import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, lookAt, newVisitor, open, settled, signIn, type Visit } from './visit.ts'

const KEY = 'BROWSER-1'

/** A process is made by the form, changed in place, and put back; what somebody else changed in between is shown beside it. */
export async function checkProcess(visit: Visit, page: Page): Promise<void> {
  await open(page, '/procedure/lead/new')
  await page.getByLabel('E-mail', { exact: true }).fill('nobody')
  await page.getByRole('button', { name: 'Create the process' }).click()
  await page.getByText('("lead_id") is required').waitFor()
  await page.getByText('("email") must be an e-mail address').waitFor()
  await page.getByLabel('Lead id (required)').fill(KEY)
  await page.getByLabel('E-mail', { exact: true }).fill('browser@example.com')
  await page.getByLabel('City').fill('Pune')
  await page.getByLabel('Score').fill('40')
  await page.getByRole('button', { name: 'Create the process' }).click()
  await page.getByRole('heading', { name: KEY, level: 1 }).waitFor()
  const address = new URL(page.url()).pathname.replace(/^\/admin/, '')

  await edit(page, 'Score', 'a lot')
  await page.getByText('("score") must be a number').waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await edit(page, 'Score', '70')
  await page.getByText('Version 2').first().waitFor()
  await checkPutBack(page)
  await checkUnsaved(page)

  await checkAuthor(page)
  await page.getByRole('button', { name: 'Edit City' }).click()
  await call(visit, 'PUT', `/v1/ext${address}`, { data: { city: 'Accra', score: 71 } })
  await page.getByLabel('City', { exact: true }).fill('Lima')
  await page.getByRole('button', { name: 'Save' }).click()
  const versions = page.getByRole('dialog', { name: 'Somebody else has changed this process' })
  for (const cell of ['Pune', 'Accra', 'Lima', '70', '71'])
    await versions.getByRole('cell', { name: cell }).first().waitFor()
  await page.keyboard.press('Escape')
  await versions.waitFor({ state: 'detached' })
  const typed = await page.getByLabel('City', { exact: true }).inputValue()
  expectThat(typed === 'Lima', `what was typed is ${typed}`)
  await page.getByRole('button', { name: 'Save' }).click()
  await versions.getByRole('button', { name: 'Keep mine' }).click()
  await versions.waitFor({ state: 'detached' })
  const kept = await call<ReadProcess>(visit, 'GET', `/v1/ext${address}`)
  expectThat(kept.data.city === 'Lima' && kept.data.score === 71, `kept: ${JSON.stringify(kept.data)}`)

  await page.getByRole('button', { name: 'Who set them?' }).click()
  await page.getByText('Version 6 ·').first().waitFor()
  await page.getByRole('link', { name: 'Show it as of then' }).last().click()
  await page.getByText('As it was: version 1').waitFor()
  await page.getByText('now: Lima').waitFor()
  expectThat((await page.getByRole('button', { name: /^Edit / }).count()) === 0, 'the past can be edited')
  await page.getByRole('button', { name: 'Back to now' }).click()
  await page.getByRole('button', { name: 'Revert to this …' }).last().click()
  const preview = page.getByRole('dialog', { name: 'Revert to version 1?' })
  await preview.getByRole('row', { name: 'City Lima Pune' }).waitFor()
  await preview.getByRole('button', { name: 'Revert' }).click()
  await preview.waitFor({ state: 'detached' })
  const reverted = await call<ReadProcess>(visit, 'GET', `/v1/ext${address}`)
  expectThat(reverted.data.city === 'Pune' && reverted.data.score === 40, `reverted: ${JSON.stringify(reverted.data)}`)

  await page.getByRole('button', { name: 'Delete …' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Keep' }).click()
  await page.getByRole('button', { name: 'Delete …' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the process' }).click()
  await page.getByText('Deleted by').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('button', { name: 'Delete …' }).waitFor()

  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill(KEY)
  await page.getByRole('option', { name: KEY }).waitFor()
  await page.keyboard.press('Escape')

  await checkExtremes(visit, page)
  await checkViewer(visit, address)
  await lookAt(visit, page.context(), 'process', address)
  await lookAt(visit, page.context(), 'process-past', `${address}?asOf=1&blame=true`)
  await lookAt(visit, page.context(), 'process-messages', `${address}?tab=messages`)
  await lookAt(visit, page.context(), 'process-json', `${address}?tab=json`)
  await lookAt(visit, page.context(), 'process-new', '/procedure/lead/new')
  console.log('a process was made, changed beside somebody else, reverted, deleted after a question and restored')
}

/** A change can be undone, by another change that the history shows. */
async function checkPutBack(page: Page): Promise<void> {
  await edit(page, 'City', 'Kumasi')
  await page.getByText('Version 3 ·').first().waitFor()
  await page.getByRole('button', { name: 'Put back' }).waitFor()
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  expectThat(focused === 'Edit City', `the focus went to ${focused}`)
  await page.keyboard.press('Control+z')
  await page.getByText('It is as it was before').waitFor()
  await page.getByText('Version 4 ·').first().waitFor()
}

/** Typed text that is not saved is not lost by a click beside it. */
async function checkUnsaved(page: Page): Promise<void> {
  const before = page.url()
  await page.getByRole('button', { name: 'Edit City' }).click()
  await page.getByLabel('City', { exact: true }).fill('Quito')
  await page.getByRole('link', { name: 'JSON and curl' }).click()
  await page.getByRole('link', { name: 'Messages', exact: true }).first().click()
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  expectThat(page.url().startsWith(before), `it was left for ${page.url()}`)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Timeline' }).click()
  await settled(page)
}

/** Goes from a change to its author, with address and request, whose id is in no line. */
async function checkAuthor(page: Page): Promise<void> {
  const request = page.locator('main a[href*="/admin/request/"]').first()
  await request.waitFor()
  const words = await request.textContent()
  expectThat(words === 'request', `a line of the timeline names the request ${words}`)
  await page.locator('main a[href*="/admin/session?id="]').first().click()
  await page.getByText('Only the session that the link led to.').waitFor()
  await page.goBack()
  await page.locator('main a[href*="/admin/user?id="]').first().click()
  await page.getByText('Only the user that the link led to.').waitFor()
  await settled(page)
  expectThat((await page.locator('main tr[data-row]').count()) === 1, 'more than the one user is shown')
  await page.goBack()
  await settled(page)
}

/** Both versions stand above the form of a new attribute: a key that closes them leaves it as it was typed. */
async function checkNewAttribute(visit: Visit, page: Page, id: string): Promise<void> {
  await page.getByRole('button', { name: 'Another attribute …' }).click()
  await page.getByLabel('Name', { exact: true }).fill('nickname')
  await page.getByLabel('Value', { exact: true }).fill('Bee')
  await settled(page)
  await call(visit, 'PUT', `/v1/ext/procedure/lead/process/${id}`, { data: { city: 'Oslo' } })
  await page.getByRole('button', { name: 'Save' }).click()
  const versions = page.getByRole('dialog', { name: 'Somebody else has changed this process' })
  await versions.getByRole('cell', { name: 'Oslo' }).waitFor()
  await page.keyboard.press('Escape')
  await versions.waitFor({ state: 'detached' })
  const form = page.getByRole('dialog', { name: 'An attribute that is not declared' })
  const typed = await form.getByLabel('Value', { exact: true }).inputValue()
  expectThat(typed === 'Bee', `what was typed is ${typed}`)
  await form.getByRole('button', { name: 'Cancel' }).click()
  await form.waitFor({ state: 'detached' })
}

/** A very long value does not push the others away; what is not there says so, and leads on. */
async function checkExtremes(visit: Visit, page: Page): Promise<void> {
  const notes = 'long '.repeat(2_000)
  const body = { data: { lead_id: `${KEY}-LONG`, name: 'مرحبا', notes } }
  const { id } = await call<ReadProcess>(visit, 'POST', '/v1/ext/procedure/lead/process', body)
  await open(page, `/procedure/lead/process/${id}`)
  const whole = page.getByRole('button', { name: 'Show all 10,000 characters' }).first()
  await whole.click()
  await page.getByRole('button', { name: 'Show less' }).first().click()
  await checkNewAttribute(visit, page, id)
  await page.getByRole('button', { name: 'Assign to me' }).click()
  await page.getByRole('button', { name: 'Assign to me' }).waitFor({ state: 'detached' })
  await call(visit, 'DELETE', `/v1/ext/procedure/lead/process/${id}`)
  await open(page, `/procedure/ticket/process/${id}`)
  await page.getByRole('link', { name: 'See the processes of Ticket' }).waitFor()
  await open(page, `/procedure/nowhere/process/${id}`)
  await page.getByRole('link', { name: 'See another procedure' }).click()
  await settled(page)
}

async function edit(page: Page, label: string, value: string): Promise<void> {
  await page.getByRole('button', { name: `Edit ${label}`, exact: true }).click()
  await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByRole('button', { name: 'Save' }).click()
}

/** A viewer sees no button that changes something. */
async function checkViewer(visit: Visit, address: string): Promise<void> {
  const context = await newVisitor(visit)
  const page = await signIn(visit, context, 'auditor')
  await open(page, address)
  await settled(page)
  const offered = page.getByRole('button', { name: /^(Edit|Delete|Complete|Revert|Restore|Another attribute)/ })
  expectThat((await offered.count()) === 0, `a viewer is offered ${await offered.allTextContents()}`)
  await context.close()
}

interface ReadProcess {
  id: string
  data: Record<string, unknown>
}
