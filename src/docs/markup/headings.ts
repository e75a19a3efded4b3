import type { Link } from '../layout/menu.ts'
import { plainText } from './html.ts'
import { inline } from './markdown.ts'

/** The headings of a page that can be linked to. */
export const sectionsOf = (html: string): Link[] =>
  [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(([, id, title = '']) => ({
    href: `#${id}`,
    title: plainText(title),
  }))

const CHARACTERS_MAX = 155

/** The beginning of the first paragraph. */
export function firstSentences(markdown: string): string {
  const paragraph = /^(?![#|`>-]).+$/m.exec(markdown)?.[0] ?? ''
  const text = plainText(inline(paragraph))
  return text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX - 1)}…` : text
}
