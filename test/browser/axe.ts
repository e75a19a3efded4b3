import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { type Scheme, type Viewport, WIDE } from './session.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** axe takes seconds for a page: it sees each width once, and each theme. What a colour breaks besides, `hardToRead` finds. */
export const isForAxe = ({ width }: Viewport, colorScheme: Scheme): boolean =>
  (width === WIDE.width) === (colorScheme === 'dark')

/** Returns the findings of axe on a page, including all open parts: faults, and what it counts as good practice. */
export async function axeFaults(page: Page): Promise<string[]> {
  // The policy of the pages lets no script in but their own: this one is evaluated by the browser's protocol.
  await page.evaluate(AXE)
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run: (options: object) => Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>
      }
    }
    const { violations } = await axe.run({ resultTypes: ['violations'] })
    return violations.map(({ id, help, nodes }) => `${id} (${help}): ${nodes[0]?.html.slice(0, 150)} ×${nodes.length}`)
  })
}
