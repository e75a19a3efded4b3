import { ERROR_CODES } from '../../errors.ts'
import { explain } from '../errors.ts'
import type { Link } from '../layout/menu.ts'
import { plainText } from '../markup/html.ts'
import { inline } from '../markup/markdown.ts'
import { addressOf, type Documented } from '../reference/operation.ts'
import { fieldsOfOperation } from '../reference/operation-page.ts'

/** What the search knows of one place in the documentation. */
export interface SearchEntry {
  kind: 'operation' | 'guide' | 'error' | 'field'
  title: string
  /** The page that it is a part of. */
  where: string
  href: string
  text: string
}

export interface IndexedGuide extends Link {
  html: string
}

/** Everything that can be found: operations, sections of guides, error codes, and fields. */
export const searchEntries = (operations: readonly Documented[], guides: readonly IndexedGuide[]): SearchEntry[] => [
  ...operations.map(ofOperation),
  ...guides.flatMap(ofGuide),
  ...ERROR_CODES.map((code): SearchEntry => {
    const { title, cause, remedy } = explain(code)
    const text = `${title}. ${plainText(inline(`${cause} ${remedy}`))}`
    return { kind: 'error', title: code, where: 'Errors', href: `/docs/errors#${code}`, text }
  }),
  ...ofFields(operations),
]

const ofOperation = ({ method, path, operation }: Documented): SearchEntry => ({
  kind: 'operation',
  title: operation.summary,
  where: operation.tags[0] ?? '',
  href: addressOf(operation.operationId),
  text: `${method.toUpperCase()} ${path} ${operation.operationId} ${plainText(inline(operation.description))}`,
})

const BLOCK_END = /<\/(?:p|li|td|th|pre|div)>/g
const oneLine = (html: string): string => plainText(html.replace(BLOCK_END, ' ')).replace(/\s+/g, ' ').trim()

/** A guide in sections, each from its heading to the next. Error codes are entries of their own. */
const ofGuide = ({ href, title, html }: IndexedGuide): SearchEntry[] =>
  html
    .split(/(?=<h[23] id=)/)
    .map((section): SearchEntry => {
      const [, id, heading] = /^<h[23] id="([^"]+)">(.*?)<\/h[23]>/.exec(section) ?? []
      return {
        kind: 'guide',
        title: heading === undefined ? title : plainText(heading),
        where: heading === undefined ? 'Guide' : title,
        href: id === undefined ? href : `${href}#${id}`,
        text: oneLine(section.replace(/<h\d.*?<\/h\d>/, '')),
      }
    })
    .filter(({ title: heading }) => !ERROR_CODES.some(code => code === heading))

const FIELD =
  /<li id="([^"]+)"><div class="field-head"><code class="name">([^<]+)<\/code> <span class="type">(.*?)<\/span>.*?<\/div>(?:<div class="note">(.*?)<\/div>)?/g

/** Fields of the same name and meaning are one entry, which leads to the first operation that has them. */
function ofFields(operations: readonly Documented[]): SearchEntry[] {
  const found = new Map<string, SearchEntry & { operations: Set<string> }>()
  for (const documented of operations) {
    const { operationId, summary } = documented.operation
    for (const [, id = '', name = '', type = '', note = ''] of fieldsOfOperation(documented).matchAll(FIELD)) {
      const text = `${plainText(type)}. ${plainText(note)}`
      const entry = found.get(`${name} ${note}`)
      if (entry !== undefined) entry.operations.add(operationId)
      else
        found.set(`${name} ${note}`, {
          ...{ kind: 'field', title: name, where: summary, href: `${addressOf(operationId)}#${id}`, text },
          operations: new Set([operationId]),
        })
    }
  }
  return [...found.values()]
    .filter(({ title }) => !title.startsWith('_') && !title.startsWith('any '))
    .map(({ operations: among, ...entry }) => ({
      ...entry,
      where: among.size === 1 ? `Field of ${entry.where}` : `Field of ${entry.where} and ${among.size - 1} more`,
    }))
}
