import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { call, lookAt, open, settled, type Visit } from './visit.ts'

const NUMBER = '919448377001'
const TAKEN = '919448377002'

/** A customer is found by number, changed, and erased after a question that wants the name typed. */
export async function checkCustomer(visit: Visit, page: Page): Promise<void> {
  for (const [nth, number] of [NUMBER, TAKEN].entries())
    await call(visit, 'POST', '/v1/ext/procedure/case/process', {
      record: { data: { phone_number: number, name: `Erasable ${nth + 1}` } },
    })
  await open(page, '/customer')
  await page.getByRole('link', { name: 'Erasable 2' }).first().waitFor()
  await checkPalette(visit, page)
  await page.getByRole('searchbox').fill('+91 94483-77001')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Erasable 1' }).click()
  await page.getByRole('heading', { name: 'Erasable 1', level: 1 }).waitFor()
  await settled(page)
  const address = new URL(page.url()).pathname.replace(/^\/admin/, '')
  await page.getByRole('button', { name: 'Edit phone_number' }).click()
  await page.getByLabel('phone_number', { exact: true }).fill(TAKEN)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('link', { name: 'Open that customer' }).waitFor()
  await page.getByRole('button', { name: 'Cancel' }).click()
  for (const [name, value] of [
    ['city', 'Pune'],
    ['mobile', '4915112345678'],
  ] as const) {
    await page.getByRole('button', { name: 'Another attribute …' }).click()
    await page.getByLabel('Name of the attribute').fill(name)
    await page.getByLabel('Value', { exact: true }).fill(value)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: `Edit ${name}` }).waitFor()
  }
  const headers = { authorization: `Bearer ${visit.running.token}` }
  const record = await fetch(`${visit.running.url}/v1/ext/record/${address.split('/').at(-1)}`, { headers })
  expectThat((await record.text()).includes('"mobile":"4915112345678"'), 'a phone number was saved as a number')
  await checkTimeline(page)
  await lookAt(visit, page.context(), 'customer', address)
  await lookAt(visit, page.context(), 'customers', '/customer')
  await lookAt(visit, page.context(), 'customer-found', `/customer?find=${NUMBER}`)
  await checkMerge(visit, page)
  await page.getByRole('button', { name: 'Erase …' }).click()
  const question = page.getByRole('alertdialog')
  const confirm = question.getByRole('button', { name: 'Erase for good' })
  expectThat(await confirm.isDisabled(), 'it can be erased without typing the name')
  await question.getByRole('textbox').fill('Erasable 1')
  await confirm.click()
  await page.getByText('Erasable 1 is erased').waitFor()
  await open(page, address)
  await page.getByText('There is no customer').waitFor()
  console.log('a customer was found, changed, and erased after the name was typed')
}

/**
 * Somebody who is there twice is merged into the customer: found by name, shown, then done; the old address leads here. By
 * `NUMBER` nobody is found any more: the customer was given another one in `mobile`, and is known by the last.
 */
async function checkMerge(visit: Visit, page: Page): Promise<void> {
  const here = page.url()
  const { record } = await call<{ record: { id: string } }>(visit, 'POST', '/v1/ext/procedure/case/process', {
    record: { data: { phone_number: '919448377003', name: 'Erasable 3' } },
  })
  const twice = `/customer/${record.id}`
  await open(page, twice)
  await page.getByRole('button', { name: 'Merge …' }).click()
  await page.getByLabel('The customer who stays').fill('erasable 1')
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('button', { name: /^Erasable 1/ }).click()
  await page.getByText('1 process, 0 messages').waitFor()
  await page.getByRole('button', { name: 'Merge for good' }).click()
  await page.getByRole('heading', { name: 'Erasable 1', level: 1 }).waitFor()
  await open(page, twice)
  await page.getByRole('heading', { name: 'Erasable 1', level: 1 }).waitFor()
  await settled(page)
  expectThat(page.url() === here, `the old address leads to ${page.url()}`)
}

/** The palette finds people by words of their name: as customers, and as those whom a process names. */
async function checkPalette(visit: Visit, page: Page): Promise<void> {
  await call(visit, 'PUT', '/v1/ext/procedure/visitor', {
    name: 'Visitor',
    states: [{ shortId: 'IN', name: 'In' }, { shortId: 'OUT' }],
    startState: 'IN',
    completedState: 'OUT',
    attributes: [{ shortId: 'guest', name: 'Guest', type: 'name', searchable: true }],
  })
  await call(visit, 'POST', '/v1/ext/procedure/visitor/process', { data: { guest: 'Ingeborg Erasable' } })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).fill('erasa')
  await page.getByRole('option', { name: /^Erasable 1, \+919448377001 Customer$/ }).waitFor()
  await page.getByRole('option', { name: /, Ingeborg Erasable Visitor, In$/ }).waitFor()
  await page.keyboard.press('Escape')
}

/** Changes, processes and messages are one list, newest first; a filter of it is an address. */
async function checkTimeline(page: Page): Promise<void> {
  const rows = page.locator('main ol > li')
  await rows.filter({ hasText: 'mobile' }).first().waitFor()
  const texts = await rows.allTextContents()
  const at = (word: string) => texts.findIndex(text => text.includes(word))
  expectThat(
    at('mobile') >= 0 && at('mobile') < at('city') && at('city') < at('Begun'),
    `the timeline is out of order: ${texts.join(' | ')}`,
  )
  await page.getByRole('navigation', { name: 'What is shown' }).getByRole('link', { name: 'Messages' }).click()
  await page.getByText('No messages').waitFor()
  expectThat(page.url().includes('show=messages'), `the filter is not in the address: ${page.url()}`)
  await page.goBack()
  await rows.filter({ hasText: 'mobile' }).first().waitFor()
}
