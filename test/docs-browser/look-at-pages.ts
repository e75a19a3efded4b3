import type { Page } from 'playwright-core'
import { axeFaults, isForAxe } from '../browser/axe.ts'
import { hardToRead } from '../browser/contrast.ts'
import { expectThat, NARROW, opened, type Scheme, type Session, type Viewport, WIDE } from '../browser/session.ts'

/** Both themes of one width come after the other, so that the page gets its layout once. */
const VIEWS: readonly (readonly [Viewport, Scheme])[] = [
  [NARROW, 'light'],
  [NARROW, 'dark'],
  [WIDE, 'light'],
  [WIDE, 'dark'],
]

/** Loads each page once, and looks at it in both sizes and both themes: it fits, and all can be read and reached. */
export async function lookAtPages(session: Session, pages: readonly string[]): Promise<void> {
  const page = await opened(session, NARROW, 'light')
  for (const href of pages) {
    await page.goto(session.running.url + href)
    for (const [viewport, colorScheme] of VIEWS) {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await expectFits(page, `${href}, ${viewport.width} pixels, ${colorScheme}`)
      await expectReadable(page, href, viewport, colorScheme)
    }
  }
  await page.close()
  console.log(`${pages.length} pages fit two widths and can be read in both themes, and axe finds no fault`)
}

/** Expects nothing wider than the screen, with all folded parts open. */
export async function expectFits(page: Page, where: string): Promise<void> {
  const over = await page.evaluate(() => {
    for (const details of document.querySelectorAll('main details')) details.setAttribute('open', '')
    return document.documentElement.scrollWidth - innerWidth
  })
  expectThat(over <= 0, `${where}: ${over} pixels too wide`)
}

async function expectReadable(page: Page, href: string, viewport: Viewport, colorScheme: Scheme): Promise<void> {
  const where = `${href}, ${viewport.width} pixels, ${colorScheme}`
  const faint = await hardToRead(page)
  expectThat(faint.length === 0, `${where}: hard to read: ${faint.slice(0, 5).join('; ')}`)
  const faults = isForAxe(viewport, colorScheme) ? await axeFaults(page) : []
  expectThat(faults.length === 0, `${where}: axe finds\n${faults.join('\n')}`)
}
