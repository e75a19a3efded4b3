import { codeBlock } from './code.ts'
import { escapeHtml } from './html.ts'

// The Markdown that the guides use: headings, paragraphs, lists, tables, quotes, code, links.

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/`/g, '')
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-|-$/g, '')

const SPAN = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)\s]+)\)/g

export function inline(text: string): string {
  let [html, at] = ['', 0]
  for (const match of text.matchAll(SPAN)) {
    const [whole, code, bold, label, target] = match
    html += escapeHtml(text.slice(at, match.index))
    if (code !== undefined) html += `<code>${escapeHtml(code)}</code>`
    else if (bold !== undefined) html += `<strong>${inline(bold)}</strong>`
    else html += `<a href="${escapeHtml(target ?? '')}">${inline(label ?? '')}</a>`
    at = match.index + whole.length
  }
  return html + escapeHtml(text.slice(at))
}

/** Markdown as HTML. */
export function markdown(source: string): string {
  const lines = source.split('\n')
  const html: string[] = []
  while (lines.length > 0) html.push(block(lines))
  return html.filter(each => each !== '').join('\n')
}

/** Renders the next block, and removes its lines. */
function block(lines: string[]): string {
  const first = lines[0] ?? ''
  if (first.trim() === '') return drop(lines)
  if (first.startsWith('```')) return code(lines)
  const heading = /^(#{1,3}) (.+)$/.exec(first)
  if (heading) return drop(lines) + headingOf(heading[1]?.length ?? 1, heading[2] ?? '')
  if (first.startsWith('|')) return table(takeWhile(lines, line => line.startsWith('|')))
  if (first.startsWith('> '))
    return `<blockquote>${markdown(
      takeWhile(lines, line => line.startsWith('>'))
        .map(line => line.slice(2))
        .join('\n'),
    )}</blockquote>`
  if (/^- |^\d+\. /.test(first)) return list(takeWhile(lines, line => /^(- |\d+\. | {2,}\S)/.test(line)))
  const paragraph = takeWhile(lines, line => line.trim() !== '' && !/^(```|#|\||> |- )/.test(line))
  return `<p>${inline(paragraph.join(' '))}</p>`
}

function headingOf(level: number, text: string): string {
  if (level === 1) return `<h1>${inline(text)}</h1>`
  const id = slugOf(text)
  return `<h${level} id="${id}"><a class="anchor" href="#${id}">${inline(text)}</a></h${level}>`
}

function code(lines: string[]): string {
  const language = drop(lines, true).slice(3)
  const body = takeWhile(lines, line => line !== '```').join('\n')
  drop(lines)
  return codeBlock(body, language)
}

function table([head = '', , ...rows]: string[]): string {
  const cells = (line: string) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map(cell => inline(cell.trim().replaceAll('\\|', '|')))
  const row = (tag: string, line: string) =>
    `<tr>${cells(line)
      .map(cell => `<${tag}>${cell}</${tag}>`)
      .join('')}</tr>`
  const body = rows.map(each => row('td', each)).join('')
  const title = head.replace(/(?<=\| )[a-z]/g, letter => letter.toUpperCase())
  return `<div class="scroll" tabindex="0" role="group" aria-label="Table"><table><thead>${row('th', title)}</thead><tbody>${body}</tbody></table></div>`
}

function list(lines: string[]): string {
  const tag = lines[0]?.startsWith('- ') ? 'ul' : 'ol'
  const items: string[] = []
  for (const line of lines) {
    const item = /^(?:- |\d+\. )(.*)$/.exec(line)
    if (item) items.push(item[1] ?? '')
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return `<${tag}>${items.map(item => `<li>${inline(item)}</li>`).join('')}</${tag}>`
}

function takeWhile(lines: string[], fits: (line: string) => boolean): string[] {
  const end = lines.findIndex(line => !fits(line))
  return lines.splice(0, end === -1 ? lines.length : end)
}

function drop(lines: string[], keep = false): string {
  const line = lines.shift() ?? ''
  return keep ? line : ''
}
