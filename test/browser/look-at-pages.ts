import { axeFaults, isForAxe } from './axe.ts'
import { hardToRead } from './contrast.ts'
import { expectThat, opened, type Scheme, type Session, type Viewport } from './session.ts'

/** Looks at pages in one size and one theme: nothing is wider than the screen; of `kinds` all can be read and reached. */
export async function lookAtPages(
  session: Session,
  pages: readonly string[],
  viewport: Viewport,
  colorScheme: Scheme,
  kinds: ReadonlySet<string>,
): Promise<void> {
  const page = await opened(session, viewport, colorScheme)
  for (const href of pages) {
    await page.goto(session.running.url + href)
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('main details')) details.setAttribute('open', '')
    })
    const where = `${href}, ${viewport.width} pixels, ${colorScheme}`
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    expectThat(over <= 0, `${where}: ${over} pixels too wide`)
    if (kinds.has(href)) {
      const faint = await hardToRead(page)
      expectThat(faint.length === 0, `${where}: hard to read: ${faint.slice(0, 5).join('; ')}`)
      const faults = isForAxe(viewport, colorScheme) ? await axeFaults(page) : []
      expectThat(faults.length === 0, `${where}: axe finds\n${faults.join('\n')}`)
    }
  }
  await page.close()
  console.log(
    `${pages.length} pages fit ${viewport.width} pixels and can be read in ${colorScheme}${isForAxe(viewport, colorScheme) ? '; axe finds no fault' : ''}`,
  )
}
