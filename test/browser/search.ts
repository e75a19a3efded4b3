import { axeFaults } from './axe.ts'
import { expectThat, opened, type Session, says } from './session.ts'

/** Finds an operation, a section of a guide, a field and an error code, by the keyboard alone. */
export async function searchByKeyboard(session: Session): Promise<void> {
  const { url } = session.running
  const page = await opened(session)
  const searches = [
    ['/docs/limits', '/', 'idempotency', 'Idempotency', '/docs/retries'],
    [
      '/docs/reference/get-me',
      'Control+k',
      'restore a process',
      'Restore a process',
      '/docs/reference/restore-process',
    ],
    ['/docs/errors', '/', 'rate_limited', 'rate_limited', '/docs/errors#rate_limited'],
    ['/docs/changelog', 'Control+k', 'nextActionAt', 'nextActionAt', '/docs/reference/'],
  ] as const
  for (const [from, key, words, title, leadsTo] of searches) {
    await page.goto(url + from)
    await page.locator('.theme').waitFor({ state: 'visible' })
    await page.keyboard.press(key)
    await page.locator('dialog.search input:focus').waitFor()
    await page.keyboard.type(words)
    await says(page.locator('dialog.search li[aria-selected="true"] strong'), title)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.waitForURL(address => (address.pathname + address.hash).startsWith(leadsTo))
  }
  await page.keyboard.press('/')
  await page.keyboard.type('retry')
  await page.locator('dialog.search[open] li').first().waitFor()
  const faults = await axeFaults(page)
  expectThat(faults.length === 0, `the search: axe finds\n${faults.join('\n')}`)
  await page.keyboard.press('Escape')
  await page.locator('dialog.search').waitFor({ state: 'hidden' })
  await page.close()
  const plain = await opened(session, undefined, 'light', false)
  await plain.goto(`${url}/docs`)
  await plain.locator('.find').click()
  await plain.getByRole('searchbox').fill('opted out')
  await plain.getByRole('button', { name: 'Search' }).click()
  await says(plain.locator('.results a').first(), 'opted_out')
  await plain.goto(`${url}/docs/search?q=${encodeURIComponent('<b>"nothing" & nobody')}`)
  await says(plain.locator('main'), 'Nothing has all of these words')
  expectThat((await plain.locator('#q').inputValue()) === '<b>"nothing" & nobody', 'the search has another query')
  await plain.close()
  console.log('found by keyboard, and without a script')
}
