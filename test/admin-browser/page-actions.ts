import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { newVisitor, open, settled, signIn, type Visit } from './visit.ts'

const field = (page: Page) => page.getByRole('combobox', { name: 'Search or go to' })
const offered = (page: Page) => page.getByRole('option', { name: /On this page$/ })

/** Ctrl-K offers first what can be done on the page; what destroys asks, and who may not is not offered it. */
export async function checkPageActions(visit: Visit, page: Page): Promise<void> {
  await open(page, '/webhook')
  await page.getByRole('link', { name: /receiver\/accept$/ }).click()
  await settled(page)
  await page.keyboard.press('Control+k')
  await field(page).waitFor()
  const first = await page.getByRole('option').first().innerText()
  expectThat(/Send a test/.test(first), `the palette begins with ${first}`)
  await field(page).fill('delete')
  await page.keyboard.press('Enter')
  const question = page.getByRole('alertdialog', { name: 'Delete this webhook?' })
  await question.waitFor()
  await page.waitForFunction(() => document.querySelector('[role=alertdialog]')?.contains(document.activeElement))
  await page.keyboard.press('Escape')
  await question.waitFor({ state: 'detached' })

  await open(page, '/procedure/enquiry/process')
  await page.getByRole('table').getByRole('link').first().click()
  await page.getByRole('heading', { name: 'Fields' }).waitFor()
  const address = new URL(page.url()).pathname
  await page.keyboard.press('Control+k')
  await field(page).fill('delete')
  await offered(page).first().waitFor()
  await page.keyboard.press('Escape')

  const context = await newVisitor(visit)
  const viewer = await signIn(visit, context, 'auditor')
  await viewer.goto(visit.running.url + address)
  await viewer.getByRole('heading', { name: 'Fields' }).waitFor()
  await viewer.keyboard.press('Control+k')
  await viewer.getByRole('option').first().waitFor()
  expectThat((await offered(viewer).count()) === 0, 'a viewer is offered actions')
  await context.close()
  console.log('the palette offers first what can be done on the page, and asks before it destroys')
}
