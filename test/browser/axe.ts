import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Those of axe's rules that a theme can break: a page has the same elements in all of them. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block']

/** What axe finds on a page, all that is open included: faults, and what it counts as good practice. */
export async function axeFaults(page: Page, { onlyColours = false } = {}): Promise<string[]> {
  // The policy of the pages lets no script in but their own: this one is evaluated by the browser's protocol.
  await page.evaluate(AXE)
  return page.evaluate(
    async rules => {
      const { axe } = globalThis as unknown as {
        axe: {
          run: (options: object) => Promise<{ violations: { id: string; help: string; nodes: { html: string }[] }[] }>
        }
      }
      const options = rules === null ? {} : { runOnly: { type: 'rule', values: rules } }
      const { violations } = await axe.run({ resultTypes: ['violations'], ...options })
      return violations.map(
        ({ id, help, nodes }) => `${id} (${help}): ${nodes[0]?.html.slice(0, 150)} ×${nodes.length}`,
      )
    },
    onlyColours ? RULES_OF_COLOURS : null,
  )
}
