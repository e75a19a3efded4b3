import type { Page } from 'playwright-core'
import { expectThat } from '../browser/session.ts'
import { open, settled, stillFound, type Visit } from './visit.ts'

/** Found by keyboard alone: the palette, its result, back; an unknown address says so. */
export async function checkFrame(_: Visit, page: Page): Promise<void> {
  await open(page, '/')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
  await page.keyboard.type('api k')
  await page.getByRole('option', { name: 'API keys' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await settled(page)
  await page.getByRole('row').nth(1).waitFor()
  await page.keyboard.press('j')
  await page.locator('tr[data-row="0"]:focus-within').waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search or go to' }).waitFor()
  for (let nth = 0; nth < 14; nth += 1) await page.keyboard.press('ArrowDown')
  const chosen = page.getByRole('option', { selected: true })
  const below = async () => {
    const [box, list] = [await chosen.boundingBox(), await page.getByRole('listbox').boundingBox()]
    const pixels = (box?.y ?? 0) + (box?.height ?? 0) - (list?.y ?? 0) - (list?.height ?? 0)
    return pixels < 1 ? [] : [`${pixels} pixels`]
  }
  const hidden = await stillFound(below)
  expectThat(hidden.length === 0, `the choice is out of sight by ${hidden}`)
  await page.keyboard.press('Escape')
  await page.goBack()
  await settled(page)
  expectThat(new URL(page.url()).pathname.replace(/\/$/, '') === '/admin', `back led to ${page.url()}`)
  await page.goto(new URL('/admin/nowhere', page.url()).href)
  await page.getByText('There is no such page').waitFor()
  console.log('found by keyboard alone, and back')
}
