import { expectThat, opened, type Session } from '../browser/session.ts'

/** Chooses a theme, which is kept, and is there before the page is drawn. */
export async function chooseTheme(session: Session): Promise<void> {
  const { url } = session.running
  const page = await opened(session)
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
  await page.goto(`${url}/docs/start`)
  const light = await paper()
  const button = page.locator('.theme')
  await button.click()
  expectThat((await paper()) === light, 'the light theme differs from a light system')
  await button.click()
  const dark = await paper()
  expectThat(dark !== light, 'the dark theme does not differ')
  await page.goto(`${url}/docs/limits`, { waitUntil: 'commit' })
  await page.locator('main').waitFor({ state: 'visible' })
  expectThat((await paper()) === dark, 'the theme is not kept, or comes late')
  await page.locator('.theme[aria-label="Theme: dark. Change to system"]').click()
  expectThat((await page.evaluate(() => localStorage.getItem('theme'))) === null, 'the choice of the system is stored')
  await page.close()
  console.log('a theme chosen, and kept')
}
