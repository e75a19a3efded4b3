import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { hardToRead } from './contrast.ts'
import { expectThat, opened, type Scheme, type Session, type Viewport } from './session.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page, all that is open included: faults, and what it counts as good practice. */
export async function axeFaults(page: Page): Promise<string[]> {
  // The policy of the pages lets no script in but their own: this one is evaluated by the browser's protocol.
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes[0]?.html.slice(0, 150)} ×${nodes.length}`)
  })
}

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
      const faults = await axeFaults(page)
      expectThat(faults.length === 0, `${where}: axe finds\n${faults.join('\n')}`)
    }
  }
  await page.close()
  console.log(
    `${pages.length} pages fit ${viewport.width} pixels and can be read in ${colorScheme}; axe finds no fault`,
  )
}
