import { Marked } from 'marked'
import { highlight } from './site/docs/highlight.js'

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => ESCAPES[character] ?? character)

/** Returns the text of HTML that was made here. */
export const toPlainText = (html: string): string =>
  Object.entries(ESCAPES).reduceRight(
    (text, [character, entity]) => text.replaceAll(entity, character),
    html.replace(/<[^>]+>/g, ''),
  )

const toSlug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')

/** Renders GitHub's Markdown, without HTML in it: a `<` of a text is a `<`. An address is a link only if it is written as one. */
const marked = new Marked({
  tokenizer: { url: () => undefined, autolink: () => undefined },
  renderer: {
    heading({ depth, tokens }) {
      const html = this.parser.parseInline(tokens)
      return depth === 1 ? `<h1>${html}</h1>\n` : `${renderLinkedHeading(depth, toSlug(toPlainText(html)), html)}\n`
    },
    code: ({ text, lang = '' }) => `${renderCodeBlock(text, lang)}\n`,
    html: ({ text }) => escapeHtml(text),
    table({ header, rows }) {
      const row = (cells: typeof header, tag: string) =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`
      return `${renderScrollable('Table', `<table><thead>${row(header, 'th')}</thead><tbody>${rows.map(cells => row(cells, 'td')).join('')}</tbody></table>`)}\n`
    },
  },
})

/** Renders Markdown. As on GitHub, the second heading of a name is `added-1`: the releases of a changelog have the same headings. */
export function renderMarkdown(markdown: string): string {
  const counts = new Map<string, number>()
  return marked.parse(markdown, { async: false }).replace(/ id="([^"]+)"><a class="anchor" href="#\1"/g, (all, id) => {
    const count = counts.get(id) ?? 0
    counts.set(id, count + 1)
    return count === 0 ? all : all.replaceAll(id, `${id}-${count}`)
  })
}

/** Renders Markdown within a line: without paragraphs, lists and tables. */
export const renderInline = (markdown: string): string => marked.parseInline(markdown, { async: false })

/** Renders a heading that links to itself. */
export const renderLinkedHeading = (level: number, id: string, html: string): string =>
  `<h${level} id="${id}"><a class="anchor" href="#${id}">${html}</a></h${level}>`

/** Wraps what may be wider than the page, so that it scrolls, also by keyboard. */
export const renderScrollable = (label: string, html: string): string =>
  `<div class="scroll" tabindex="0" role="group" aria-label="${label}">${html}</div>`

/** The languages of responses and of output, which are read, not copied. */
const OUTPUT_LANGUAGES = new Set(['json', 'text'])

/** Renders a block of code. `title` stands above it; a screen reader says `label`. */
export function renderCodeBlock(text: string, language: string, title?: string, label = title): string {
  const isOutput = OUTPUT_LANGUAGES.has(language)
  const head = title === undefined ? '' : `<div class="title">${escapeHtml(title)}</div>`
  const name = escapeHtml(label ?? (isOutput ? 'Output' : 'Code'))
  return `<div class="block ${isOutput ? 'output' : escapeHtml(language)}">${head}<pre tabindex="0" role="group" aria-label="${name}"><code>${highlight(text, language)}</code></pre></div>`
}

/** Lists the headings of a page to which one can link. */
export const readSections = (html: string): { href: string; title: string }[] =>
  [...html.matchAll(/<h2 id="([^"]+)">(.*?)<\/h2>/g)].map(([, id, title = '']) => ({
    href: `#${id}`,
    title: toPlainText(title),
  }))

const SUMMARY_CHARACTERS_MAX = 155

/** Shortens a text for search engines. */
export const shorten = (text: string): string =>
  text.length > SUMMARY_CHARACTERS_MAX ? `${text.slice(0, SUMMARY_CHARACTERS_MAX - 1)}…` : text

/** Returns the beginning of the first paragraph. */
export const summarize = (markdown: string): string =>
  shorten(toPlainText(renderInline(/^(?![#|`>-]).+$/m.exec(markdown)?.[0] ?? '')))
