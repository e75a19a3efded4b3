import { expectThat, NARROW, opened, type Session, says } from '../browser/session.ts'

/** Reads an operation with scripts switched off: fields, tabs, menu. */
export async function readWithoutScript(session: Session): Promise<void> {
  const { url } = session.running
  const page = await opened(session, NARROW, 'light', false)
  await page.goto(`${url}/docs/reference/list-processes`)
  await says(page.locator('h1'), 'Search processes')
  await page.locator('.details summary', { hasText: 'Fields of sort' }).click()
  await page.locator('[id="body-sort-order"]').waitFor({ state: 'visible' })
  const tabs = page.locator('.tabs label')
  for (let nth = 0; nth < (await tabs.count()); nth++) {
    await tabs.nth(nth).click()
    const shown = await page.locator('.panel:visible').count()
    expectThat(shown === 1, `with tab ${nth + 1}, ${shown} samples are shown`)
  }
  expectThat(!(await page.locator('form.try').isVisible()), 'the form is shown, and cannot send')
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.locator('.side a[href="/docs/limits"]').waitFor({ state: 'attached' })
  await page.locator('.side details', { hasText: 'Guides' }).locator('summary').first().click()
  await page.locator('.side a[href="/docs/limits"]').click()
  await says(page.locator('h1'), 'Limits')
  await page.close()
  console.log('an operation read, and the menu used, without a script')
}
