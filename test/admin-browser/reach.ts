import type { Page } from 'playwright-core'
import { expectThat, WIDE } from '../browser/session.ts'
import { open, settled, type Visit } from './visit.ts'

/** A window of 1,280 pixels at a magnification of 400 %. */
const MAGNIFIED = { width: 320, height: 213 }
const LISTS = ['/procedure/enquiry/process', '/procedure/enquiry/board', '/background-job', '/message']
const PAGES = ['/', '/procedure/enquiry', '/procedure/enquiry/edit', '/plugin', '/usage', '/me']

/**
 * Uses keyboard and announcements alone: where the focus is after each step, and that nothing is lost when the page is
 * magnified.
 */
export async function checkReach(_: Visit, page: Page): Promise<void> {
  await open(page, '/')
  await page.getByRole('link', { name: 'Messages', exact: true }).press('Enter')
  await hasFocus(page, 'h1', 'Messages')
  expectThat((await page.title()) === 'Messages · Caseworker', `the document is called ${await page.title()}`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
  await page.keyboard.press('Escape')
  await hasFocus(page, 'h1', 'Messages')

  await open(page, '/procedure/enquiry/process')
  await page.getByRole('row').nth(1).waitFor()
  const row = page.getByRole('row').nth(2)
  await row.getByRole('button', { name: 'Change City' }).press('Enter')
  await page.getByLabel('City: Enter saves').fill('Reach')
  await page.keyboard.press('Enter')
  await hasFocus(page, 'button', 'Change City: Reach')
  await page.getByRole('button', { name: 'Put back' }).waitFor()
  await page.keyboard.press('F8')
  await hasFocus(page, 'button', 'Put back')
  await page.keyboard.press('Enter')
  await page.getByText('is as it was').waitFor()
  const heads = await row.getByRole('rowheader').allInnerTexts()
  expectThat(heads.length === 1 && heads[0] !== '', `a row is headed by ${heads.join()}`)

  await row.getByRole('link').first().focus()
  await page.keyboard.press('x')
  await page.getByText('Selected rows: 1.').waitFor()
  await page.keyboard.press('.')
  await hasFocus(page, 'button', 'Change …')

  await open(page, '/api-key')
  await page.getByRole('button', { name: 'New key' }).press('Enter')
  await hasFocus(page, 'input', '')
  await page.keyboard.insertText('k'.repeat(101))
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Create the key' }).press('Enter')
  await page.getByText('at most 100 characters').waitFor()
  const why = await page.evaluate(() => {
    const ids = document.activeElement?.getAttribute('aria-describedby') ?? ''
    return document.getElementById(ids)?.textContent ?? ''
  })
  expectThat(why.includes('at most 100 characters'), `the field that has the focus says: ${why}`)
  await page.keyboard.press('Escape')
  await hasFocus(page, 'button', 'New key')

  await page.setViewportSize(MAGNIFIED)
  for (const address of [...LISTS, ...PAGES]) {
    await open(page, address)
    const over = await page.evaluate(() => {
      const main = document.querySelector('main')
      return Math.max(document.documentElement.scrollWidth - innerWidth, main ? main.scrollWidth - main.clientWidth : 0)
    })
    expectThat(over <= 0, `${address}, magnified: ${over} pixels too wide`)
    if (!LISTS.includes(address)) continue
    const heights = await page.evaluate(() =>
      [...document.querySelectorAll('main section.overflow-auto, main ul.overflow-y-auto')].map(
        each => each.clientHeight,
      ),
    )
    expectThat(heights.length > 0 && Math.min(...heights) > 100, `${address}, magnified: lists are ${heights} high`)
  }
  await page.setViewportSize(WIDE)
  await settled(page)
  console.log('the focus is where the work goes on, rows and refusals have names, and 400 % loses nothing')
}

/** Waits until an element of that name and text has the focus. */
async function hasFocus(page: Page, tag: string, text: string): Promise<void> {
  const isThere = ([name, words]: readonly [string, string]) => {
    const focused = document.activeElement
    return focused?.tagName.toLowerCase() === name && (focused.textContent ?? '').trim().startsWith(words)
  }
  await page.waitForFunction(isThere, [tag, text] as const, { timeout: 30_000 }).catch(async () => {
    const focused = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))
    throw new Error(`not ${tag} "${text}" has the focus, but ${focused}`)
  })
}
