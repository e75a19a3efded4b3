import { axeFaults } from '../browser/axe.ts'
import { expectThat, NARROW, opened, type Session, says } from '../browser/session.ts'

/** Follows an old link, the menu of a small screen, and opens a page that is not there. */
export async function findTheWay(session: Session): Promise<void> {
  const { url } = session.running
  const page = await opened(session)
  await page.goto(`${url}/docs#putProcedure`)
  await page.waitForURL('**/docs/reference/put-procedure')
  const current = await page.locator('.side a[aria-current="page"]').allTextContents()
  expectThat(current.length === 1, `the menu marks ${current.join(', ')}`)
  await page.locator('.side details[open] a[aria-current="page"]').waitFor({ state: 'visible' })
  // A field that is deep inside opens what hides it.
  await page.goto(`${url}/docs/reference/update-process-by-id#response-200-_data-record-data`)
  await page.locator('[id="response-200-_data-record-data"]').waitFor({ state: 'visible' })
  await page.goto(`${url}/docs/nope`)
  await says(page.locator('h1'), 'Page not found')
  await page.locator('.side a[href="/docs/limits"]').click()
  await says(page.locator('h1'), 'Limits')
  await page.close()
  const small = await opened(session, NARROW)
  await small.goto(`${url}/docs/errors`)
  await small.evaluate(() => scrollTo(0, 5000))
  await small.getByRole('button', { name: 'Menu' }).click()
  const faults = await axeFaults(small)
  expectThat(faults.length === 0, `the open menu: axe finds\n${faults.join('\n')}`)
  await small.locator('.side a[href="/docs/limits"]').click()
  await says(small.locator('h1'), 'Limits')
  await small.close()
  console.log('old links, the menu of a phone and a page that is not there lead on')
}

/** Reloads pages and comes back to them: a page that the browser kept works as it did. */
export async function comeAgain(session: Session): Promise<void> {
  const { url } = session.running
  const page = await opened(session)
  const looksRight = () =>
    page.evaluate(() => getComputedStyle(document.querySelector('.brand') ?? document.body).fontWeight !== '400')
  for (const address of ['/docs/reference/get-me', '/docs/start']) {
    await page.goto(url + address)
    const again = [
      () => page.reload(),
      () => page.goto(`${url}/docs/limits`).then(() => page.goBack()),
      () => page.reload(),
    ]
    for (const come of again) {
      await come()
      if (address !== '/docs/start') await page.locator('form.try').waitFor({ timeout: 30_000 })
      expectThat(await looksRight(), `${address} has lost its looks on the way back`)
    }
  }
  await page.close()
  console.log('pages reloaded and revisited')
}
