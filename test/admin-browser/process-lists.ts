import { readFile } from 'node:fs/promises'
import type { Page, Route } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { sleep } from '../support/sleep.ts'
import { lookAround, lookAt, newVisitor, open, settled, signIn, type Visit } from './visit.ts'

const PROCEDURE = '/v1/ext/procedure/parcel'
const DEFINITION = {
  name: 'Parcel',
  states: [{ shortId: 'PACKED', next: ['SENT'] }, { shortId: 'SENT', next: ['THERE'] }, { shortId: 'THERE' }],
  startState: 'PACKED',
  completedState: 'THERE',
  primaryKey: 'number',
  attributes: [
    { shortId: 'number', type: 'string', required: true },
    { shortId: 'city', name: 'City', type: 'string', indexed: true, searchable: true },
    { shortId: 'weight', name: 'Weight', type: 'integer', indexed: true },
  ],
}
const MANY = 240

type Called = Record<'_data', never>

/** The lists of processes: found, changed where they are shown, in bulk, on a board; kept as a view; exported. */
export async function checkProcessLists(visit: Visit, page: Page): Promise<void> {
  const call = async (method: string, address: string, body?: unknown): Promise<never> => {
    const headers = { authorization: `Bearer ${visit.running.token}`, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(visit.running.url + address, { method, headers, ...sent })
    expectThat(response.ok, `${method} ${address}: ${response.status}`)
    return ((await response.json()) as Called)._data
  }
  const read = (number: string): Promise<{ state: string; data: { city: string; weight: number } }> =>
    call('GET', `${PROCEDURE}/process/number/${number}`)
  await call('PUT', PROCEDURE, DEFINITION)
  const made: { id: string } = await call(
    'POST',
    `${PROCEDURE}/process/bulk-create`,
    Array.from({ length: MANY }, (_, nth) => ({
      data: { number: `P-${nth}`, city: nth % 2 ? 'Oslo' : 'Pune', weight: nth },
    })),
  )
  await ended(call, made.id)
  await findsThem(page)
  await changesOne(page, call, read)
  await changesMany(page, call)
  await changesAsPlanned(page, call)
  await opensTheChanged(page, read)
  await usesTheBoard(page, read)
  await keepsViews(page)
  await exportsThem(page)
  await restoresAndPurges(visit, page, call)
  await isForReadersOnly(visit, call)
}

type CallApi = (method: string, address: string, body?: unknown) => Promise<never>

async function ended(call: CallApi, jobId: string): Promise<void> {
  for (;;) {
    const job: { completedAt: number } = await call('GET', `/v1/ext/background-job/${jobId}`)
    if (job.completedAt > 0) return
    await sleep(200)
  }
}

/** A filter is built, is in the address, survives a reload, and is shown as a request; `/` searches. */
async function findsThem(page: Page): Promise<void> {
  await open(page, '/process')
  await page.getByLabel('Procedure').selectOption('parcel')
  await page.getByRole('heading', { name: 'Parcel' }).waitFor()
  await page.getByText(`of ${MANY}`).waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Field').selectOption('weight')
  await page.getByLabel('Comparison of Weight').selectOption('>=')
  await page.getByLabel('Value of Weight').fill('200')
  await page.getByText('of 40').waitFor()
  expectThat(decodeURIComponent(page.url()).includes('"weight":{">=":200}'), `the address is ${page.url()}`)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('region', { name: 'Filter' }).waitFor({ state: 'detached' })
  await page.reload()
  await page.getByText('of 40').waitFor()
  // A filter that is on takes one line, which leads to its conditions.
  await page.getByRole('button', { name: 'Weight is at least 200' }).click()
  await page.getByLabel('Value of Weight').waitFor()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Query' }).click()
  const shown = page.getByRole('dialog', { name: 'What this page asks the API' })
  const curl = (await shown.getByLabel('Request as curl', { exact: true }).textContent()) ?? ''
  expectThat(curl.includes('{"where":{"weight":{">=":200}}}') && curl.includes('$TOKEN'), `as curl: ${curl}`)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Weight', exact: true }).click()
  await page.getByRole('row').nth(1).getByText('P-200').waitFor()
  await page.goBack()
  await page.getByRole('row').nth(1).getByText('P-239').waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('oslo')
  await page.getByText('of 20').waitFor()
  await page.getByText('20 processes found').waitFor()
  const send = page.getByRole('button', { name: 'Send a message' })
  await send.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Messages go to what a filter finds').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox').fill('nowhere')
  await page.getByText('Searched: number, City.').waitFor()
  await keepsAPlace(page)
  await asksForRelativeTimes(page)
  console.log('processes are found by a filter, its address, and a search')
}

/** A time that is relative to each request stays so in the address: what is found by it tomorrow is another day's. */
async function asksForRelativeTimes(page: Page): Promise<void> {
  await open(page, '/procedure/parcel/process')
  await page.getByRole('button', { name: 'Filter' }).click()
  await page.getByLabel('Field').selectOption('createdAt')
  await page.getByRole('button', { name: 'Times for Value of Created' }).click()
  await page.getByRole('menuitem', { name: '7 days before today' }).click()
  await page.waitForURL(/-P7D/)
  await page.getByText(`of ${MANY}`).waitFor()
  await page.getByLabel('Value of Created: how many').fill('2')
  await page.getByLabel('Value of Created: unit').selectOption('month')
  await page.getByLabel('Value of Created', { exact: true }).selectOption({ label: 'after now' })
  await page.getByText('Nothing matches').waitFor()
  expectThat(decodeURIComponent(page.url()).includes('{">=":{"now":"P2M"}}'), `the address is ${page.url()}`)
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('button', { name: 'Created is from 2 months from now' }).waitFor()
  await page.reload()
  await page.getByText('Nothing matches').waitFor()
  await page.getByRole('button', { name: 'Created is from 2 months from now' }).click()
  await page.getByRole('button', { name: 'Times for Value of Created' }).click()
  await page.getByRole('menuitem', { name: 'A fixed time' }).click()
  await page.waitForURL(/createdAt[^}]*Z/)
}

/** Unfinished and hidden state stays: a condition whose field was changed, and the horizontal position of a table. */
async function keepsAPlace(page: Page): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"city":"Oslo"}&columns=number,city,record,createdAt,weight')
  await page.getByRole('button', { name: 'City is Oslo' }).click()
  await page.getByLabel('Field').selectOption('weight')
  await page.getByText(`of ${MANY}`).waitFor()
  await page.getByLabel('Value of Weight').waitFor()
  await page.getByRole('button', { name: 'Filter' }).click()
  const window = page.viewportSize()
  await page.setViewportSize({ width: 700, height: 700 })
  const table = page.getByRole('region', { name: 'Processes of Parcel' })
  // The table is scrolled by 150 pixels or to its end: the width of columns depends on the font.
  const before = await table.evaluate(element => {
    element.scrollTo({ left: 150 })
    return element.scrollLeft
  })
  expectThat(before > 0, 'a table in a narrow window has nothing to the side')
  await page.getByRole('button', { name: 'Weight', exact: true }).click()
  await page.waitForURL(/sort=weight/)
  await page.getByRole('row').nth(1).getByText('P-0').waitFor()
  const left = await table.evaluate(element => element.scrollLeft)
  expectThat(left === before, `a table that was ${before} pixels to the side is at ${left} after it was sorted`)
  const why = await page.getByRole('columnheader', { name: 'Customer' }).getAttribute('title')
  expectThat(why?.includes('no order') === true, `a head that does not sort says: ${why}`)
  if (window) await page.setViewportSize(window)
}

/** Changes one process in the table; and where somebody was faster, nothing unseen is replaced. */
async function changesOne(
  page: Page,
  call: CallApi,
  read: (number: string) => Promise<{ state: string; data: { city: string } }>,
): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"weight":{"<":3}}')
  const row = page.getByRole('row').filter({ hasText: 'P-2' })
  await row.getByRole('button', { name: 'Change City' }).click()
  await page.getByLabel('City: Enter saves').fill('Lima')
  await page.keyboard.press('Enter')
  await row.getByText('Lima').waitFor()
  await eventually(async () => (await read('P-2')).data.city === 'Lima', 'the city was not changed')
  await call('PUT', `${PROCEDURE}/process/number/P-2`, { data: { city: 'Accra' } })
  await row.getByRole('button', { name: 'Change City' }).click()
  await page.getByLabel('City: Enter saves').fill('Kyiv')
  await page.keyboard.press('Enter')
  const clash = page.getByRole('dialog', { name: 'Changed by somebody else meanwhile' })
  await clash.getByRole('cell', { name: 'Accra' }).waitFor()
  // Behind a dialog, a row has no role.
  await page.locator('tr[data-row]').filter({ hasText: 'P-2' }).getByText('Accra').waitFor()
  expectThat((await read('P-2')).data.city === 'Accra', 'a value was replaced that the reader had not seen')
  await clash.getByRole('button', { name: 'Put mine in its place' }).click()
  await eventually(async () => (await read('P-2')).data.city === 'Kyiv', 'the reader’s own was not written')
  console.log('a cell was changed; of a clash both versions are shown, and one is chosen')
}

/** A process that was changed in the list is not shown as it was read before. */
async function opensTheChanged(
  page: Page,
  read: (number: string) => Promise<{ data: { city: string } }>,
): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"weight":{"<":5}}')
  const link = page.getByRole('link', { name: 'P-4', exact: true })
  await link.click()
  await page.getByRole('heading', { name: 'P-4', level: 1 }).waitFor()
  await settled(page)
  await page.goBack()
  await page.getByRole('row').filter({ has: link }).getByRole('button', { name: 'Change City' }).click()
  await page.getByLabel('City: Enter saves').fill('Quito')
  await page.keyboard.press('Enter')
  await eventually(async () => (await read('P-4')).data.city === 'Quito', 'the city was not changed')
  await link.click()
  await page.getByRole('heading', { name: 'P-4', level: 1 }).waitFor()
  await page.getByRole('main').getByText('Quito').first().waitFor()
  console.log('a process that was changed in the list is opened as it is')
}

/** Answers with the job in the form of the API, as if it waited. */
async function answerAsPaused(route: Route): Promise<void> {
  const response = await route.fetch()
  const body = await response.json()
  Object.assign(body._data, { completionStatus: 'IN_PROGRESS', completedAt: 0, pausedBecause: 'the plugin is stopped' })
  await route.fulfill({ response, json: body })
}

/** Changes many, with the count before, the expected refusals, and the job after. */
async function changesMany(page: Page, call: CallApi): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"weight":{">=":100}}')
  await page.getByLabel('Select row 1', { exact: true }).click()
  await page.getByRole('button', { name: 'Select all 140' }).click()
  await page.getByRole('button', { name: 'Change …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('New value of State').selectOption('THERE')
  await dialog.getByText('140 will be refused').waitFor()
  await dialog.getByLabel('New value of State').selectOption('SENT')
  await dialog.getByText('All of them may become SENT').waitFor()
  await dialog.getByRole('button', { name: 'See what changes' }).click()
  await dialog.getByText('Of 140 entries 140 would be changed.').waitFor({ timeout: 30_000 })
  await dialog.getByRole('listitem').first().getByText('SENT').waitFor()
  await lookAround(page, 'bulk-plan')
  const unchanged: { count: number } = await call('GET', `${PROCEDURE}/process/count?state=SENT`)
  expectThat(unchanged.count === 0, 'a look at what would change has changed something')
  await dialog.getByRole('button', { name: 'Back' }).click()
  await dialog.getByText('All of them may become SENT').waitFor()
  await page.route('**/v1/ext/background-job/*', answerAsPaused)
  await dialog.getByRole('button', { name: 'Change 140 processes' }).click()
  await dialog.getByText('Paused', { exact: true }).first().waitFor({ timeout: 30_000 })
  await page.unroute('**/v1/ext/background-job/*')
  // "Success" alone is also what the chart says of those that are done so far.
  await dialog.getByText('All of 140 entries succeeded').first().waitFor({ timeout: 30_000 })
  await dialog.getByRole('link', { name: 'Open the job' }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const sent: { count: number } = await call('GET', `${PROCEDURE}/process/count?state=SENT`)
  expectThat(sent.count === 140, `${sent.count} were changed`)
  await open(page, '/procedure/parcel/process?where={"weight":{"<":5}}')
  await page.getByLabel('Select row 1', { exact: true }).click()
  await page.getByRole('button', { name: 'Delete …' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByRole('button', { name: 'See what is deleted' }).click()
  await question.getByText('Of 1 entry 1 would be deleted.').waitFor({ timeout: 30_000 })
  await question.getByRole('button', { name: 'Keep' }).click()
  const all: { count: number } = await call('GET', `${PROCEDURE}/process/count`)
  expectThat(all.count === MANY, 'some were deleted though they were to be kept')
  console.log(
    '140 processes were changed, with the count and what is refused told before; deletion asks, and shows what it would delete',
  )
}

/** A value is looked at before and after, then applied; one that is there already is left out. */
async function changesAsPlanned(page: Page, call: CallApi): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"weight":{">=":235}}')
  await page.getByLabel('Select row 1', { exact: true }).click()
  await page.getByRole('button', { name: 'Select all 5' }).click()
  await page.getByRole('button', { name: 'Change …' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Field to change').selectOption({ label: 'City' })
  await dialog.getByRole('textbox').last().fill('Oslo')
  await dialog.getByRole('button', { name: 'See what changes' }).click()
  await dialog
    .getByText('Of 5 entries 2 would be changed, 3 given the values that they have.')
    .waitFor({ timeout: 30_000 })
  await dialog.getByRole('button', { name: 'Change 2 processes' }).click()
  await dialog.getByRole('link', { name: 'Open the job' }).click()
  await page.getByRole('link', { name: 'this dry run' }).waitFor()
  await page.getByRole('link', { name: 'this dry run' }).click()
  await page.getByRole('heading', { name: /^Dry run: Change City of 5 processes/, level: 1 }).waitFor()
  await page.getByRole('heading', { name: 'What would change' }).waitFor()
  await page.getByRole('list', { name: 'The first changes' }).getByText('Oslo').first().waitFor()
  const city = async () =>
    ((await call('GET', `${PROCEDURE}/process/number/P-238`)) as { data: { city: string } }).data.city
  await eventually(async () => (await city()) === 'Oslo', 'the dry run was not applied')
  for (const number of ['P-236', 'P-238'])
    await call('PUT', `${PROCEDURE}/process/number/${number}`, { data: { city: 'Pune' } })
  console.log('what a change of many would do is looked at, and applied')
}

/** Uses the board by keyboard and with the mouse; transitions that the definition forbids are not offered. */
async function usesTheBoard(page: Page, read: (number: string) => Promise<{ state: string }>): Promise<void> {
  await open(page, '/procedure/parcel/board?where={"weight":{"<":5}}')
  const column = (state: string) => page.locator(`section[data-state=${state}]`)
  await column('PACKED').getByRole('article', { name: 'P-4' }).waitFor()
  await page.getByRole('button', { name: 'Move P-4 to …' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Move to SENT' }).waitFor()
  expectThat((await page.getByRole('menuitem').count()) === 1, 'a move is offered that is not allowed')
  await page.keyboard.press('Enter')
  await column('SENT').getByRole('article', { name: 'P-4' }).waitFor()
  await eventually(async () => (await read('P-4')).state === 'SENT', 'the card was not moved')
  await page.getByRole('article', { name: 'P-3' }).dragTo(column('THERE'))
  await page.getByRole('article', { name: 'P-3' }).dragTo(column('SENT'))
  await column('SENT').getByRole('article', { name: 'P-3' }).waitFor()
  await eventually(async () => (await read('P-3')).state === 'SENT', 'the card was not dragged')
  const isMoved = async () => {
    await column('SENT').getByRole('heading').getByText('2', { exact: true }).waitFor()
    expectThat((await column('PACKED').getByRole('article', { name: 'P-3' }).count()) === 0, 'a card is where it was')
  }
  await isMoved()
  await column('SENT').getByRole('link', { name: 'P-3' }).click()
  await page.getByRole('heading', { name: 'P-3', level: 1 }).waitFor()
  await page.goBack()
  await column('SENT').getByRole('article', { name: 'P-3' }).waitFor()
  await settled(page)
  await isMoved()
  // A change on the page of a process is on the board as well.
  await column('SENT').getByRole('link', { name: 'P-3' }).click()
  await page.getByRole('button', { name: 'THERE', exact: true }).click()
  await page.getByRole('button', { name: 'Put back' }).waitFor()
  await page.goBack()
  await column('THERE').getByRole('article', { name: 'P-3' }).waitFor()
  await column('SENT').getByRole('heading').getByText('1', { exact: true }).waitFor()
  console.log('cards are moved by keyboard and with the mouse, where the definition lets them')
}

async function keepsViews(page: Page): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"city":"Oslo"}&columns=number,weight')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'Save what is shown' }).click()
  const [name, dialog] = [page.getByLabel('Name'), page.getByRole('dialog', { name: 'Save as a view' })]
  await name.waitFor()
  const isCovered = await name.evaluate(element => {
    const { left, top, width, height } = element.getBoundingClientRect()
    return !element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  })
  expectThat(!isCovered && (await dialog.count()) === 1, 'something covers the dialog in which a view is named')
  await name.fill('To Oslo')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await open(page, '/procedure/parcel/process')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('button', { name: 'To Oslo', exact: true }).click()
  await page.getByText('of 120').waitFor()
  expectThat((await page.getByRole('columnheader').count()) === 3, 'the view has other columns')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'To Oslo' }).first().click()
  await page.getByRole('button', { name: 'What can be done with To Oslo' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete the view' }).click()
  await page.getByText('Deleted the view').waitFor()
  console.log('a view is saved, opened and deleted')
}

async function exportsThem(page: Page): Promise<void> {
  await open(page, '/procedure/parcel/process?where={"weight":{"<":3}}&sort=weight')
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV', exact: true }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  expectThat(lines.length === 4 && lines[1]?.includes('P-0') === true, `exported ${lines.length} lines: ${lines[1]}`)
  console.log('what is filtered was exported')
}

/** Deleted processes are in the trash: restored one by one or together, or purged once the name was typed. */
async function restoresAndPurges(visit: Visit, page: Page, call: CallApi): Promise<void> {
  const numbers = ['P-10', 'P-11', 'P-12', 'P-13']
  for (const number of numbers) await call('DELETE', `${PROCEDURE}/process/number/${number}`)
  await open(page, '/procedure/parcel/process')
  await page.getByText(`of ${MANY - numbers.length}`).waitFor()
  await page.getByRole('link', { name: 'Trash' }).click()
  await page.getByRole('heading', { name: 'Trash', level: 1 }).waitFor()
  await page.getByRole('row').nth(1).getByText('P-13').waitFor()
  await lookAt(visit, page.context(), 'trash', '/procedure/parcel/trash')
  await page.getByRole('button', { name: 'Restore or purge P-13' }).click()
  await page.getByRole('menuitem', { name: 'Restore' }).click()
  await page.getByText('P-13 is restored').waitFor()
  // The list is read again: its rows move up, and a menu that is open on one of them closes.
  await page.getByRole('button', { name: 'Restore or purge P-13' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Restore or purge P-12' }).click()
  await page.getByRole('menuitem', { name: 'Purge' }).click()
  const question = page.getByRole('alertdialog')
  const confirm = question.getByRole('button', { name: 'Purge for good' })
  expectThat(await confirm.isDisabled(), 'a process is purged without its name typed')
  await question.getByRole('textbox').fill('P-12')
  await confirm.click()
  await page.getByText('P-12 is purged').waitFor()
  await page.getByRole('button', { name: 'Restore or purge P-12' }).waitFor({ state: 'detached' })
  await page.getByLabel('Select all that were read').click()
  await page.getByRole('button', { name: 'Restore 2 processes' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('All of 2 entries succeeded').first().waitFor({ timeout: 30_000 })
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('The trash is empty').waitFor()
  const left: { count: number } = await call('GET', `${PROCEDURE}/process/count`)
  expectThat(left.count === MANY - 1, `${left.count} processes are left`)
  await call('POST', `${PROCEDURE}/process`, { data: { number: 'P-12', city: 'Pune', weight: 12 } })
  console.log('deleted processes are restored and purged')
}

/** A reader without the permission is offered no changes. */
async function isForReadersOnly(visit: Visit, call: CallApi): Promise<void> {
  await call('POST', '/v1/ext/user', { username: 'looks-on', role: 'viewer' })
  const context = await newVisitor(visit)
  const page = await signIn(visit, context, 'looks-on')
  await open(page, '/procedure/parcel/process')
  await page.getByText(`of ${MANY}`).waitFor()
  expectThat((await page.getByRole('checkbox').count()) === 0, 'a viewer can select rows')
  expectThat((await page.getByRole('button', { name: /^Change / }).count()) === 0, 'a viewer is offered a change')
  await open(page, '/procedure/parcel/board')
  await settled(page)
  expectThat((await page.getByRole('button', { name: /^Move/ }).count()) === 0, 'a viewer is offered a move')
  await context.close()
  console.log('a viewer sees no button that changes a process')
}

async function eventually(holds: () => Promise<boolean>, otherwise: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    if (await holds()) return
    await sleep(100)
  }
  throw new Error(otherwise)
}
