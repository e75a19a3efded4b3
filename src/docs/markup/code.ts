import { highlight } from '../site/docs/highlight.js'
import { escapeHtml } from './html.ts'

/** What a program prints, or a response: it is read, not copied. */
const IS_OUTPUT = new Set(['json', 'text'])

/** A block of code. It can be reached by keyboard, because it may be wider than the page. */
export function codeBlock(text: string, language: string, title?: string, name = title): string {
  const isOutput = IS_OUTPUT.has(language)
  const head = title === undefined ? '' : `<div class="title">${escapeHtml(title)}</div>`
  const label = escapeHtml(name ?? (isOutput ? 'Output' : 'Code'))
  return `<div class="block ${isOutput ? 'output' : escapeHtml(language)}">${head}<pre tabindex="0" role="group" aria-label="${label}"><code>${highlight(text, language)}</code></pre></div>`
}
