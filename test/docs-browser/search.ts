import { axeFaults } from '../browser/axe.ts'
import { expectThat, opened, type Session, says } from '../browser/session.ts'

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
  const linked = await opened(session)
  await linked.goto(`${url}/docs/search?q=${encodeURIComponent('<b>"nothing" & nobody')}`)
  await says(linked.locator('dialog.search[open]'), 'Nothing has all of these words')
  await linked.close()
  const plain = await opened(session, undefined, 'light', false)
  await plain.goto(`${url}/docs`)
  await plain.locator('.find').click()
  await says(plain.locator('h1'), 'All pages')
  await plain.locator('main a', { hasText: 'Restore a process' }).click()
  await says(plain.locator('h1'), 'Restore a process')
  await plain.close()
  console.log('found by keyboard and by a link, and in the list of contents without a script')
}
