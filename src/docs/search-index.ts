import { ERROR_CODES } from '../errors.ts'
import { explainError } from './errors.ts'
import type { Link } from './layout.ts'
import { renderInline, toPlainText } from './markup.ts'
import { type DocumentedOperation, getOperationAddress } from './reference/document.ts'
import { listFields } from './reference/operation-page.ts'

/** An entry of the index, for one place in the documentation. The browser searches them by `site/docs/find.js`. */
interface SearchEntry {
  kind: 'operation' | 'guide' | 'error' | 'field'
  title: string
  /** The page of which it is a part. */
  where: string
  href: string
  text: string
}

interface IndexedPage extends Link {
  html: string
}

/** Builds the index of everything that can be found: operations, sections of guides, error codes, and fields. */
export const buildSearchIndex = (
  operations: readonly DocumentedOperation[],
  guides: readonly IndexedPage[],
): SearchEntry[] => [
  ...operations.map(indexOperation),
  ...guides.flatMap(indexSections),
  ...ERROR_CODES.map((code): SearchEntry => {
    const { title, cause, remedy } = explainError(code)
    const text = `${title}. ${toPlainText(renderInline(`${cause} ${remedy}`))}`
    return { kind: 'error', title: code, where: 'Errors', href: `/docs/errors#${code}`, text }
  }),
  ...indexFields(operations),
]

const indexOperation = ({ method, path, operation }: DocumentedOperation): SearchEntry => ({
  kind: 'operation',
  title: operation.summary,
  where: operation.tags[0] ?? '',
  href: getOperationAddress(operation.operationId),
  text: `${method.toUpperCase()} ${path} ${operation.operationId} ${toPlainText(renderInline(operation.description))}`,
})

const BLOCK_END = /<\/(?:p|li|td|th|pre|div)>/g
const toLine = (html: string): string => toPlainText(html.replace(BLOCK_END, ' ')).replace(/\s+/g, ' ').trim()

/** Splits a page into sections, each from its heading to the next. */
const indexSections = ({ href, title, html }: IndexedPage): SearchEntry[] =>
  html.split(/(?=<h[23] id=)/).map((section): SearchEntry => {
    const [, id, heading] = /^<h[23] id="([^"]+)">(.*?)<\/h[23]>/.exec(section) ?? []
    return {
      kind: 'guide',
      title: heading === undefined ? title : toPlainText(heading),
      where: heading === undefined ? 'Guide' : title,
      href: id === undefined ? href : `${href}#${id}`,
      text: toLine(section.replace(/<h\d.*?<\/h\d>/, '')),
    }
  })

/** Indexes fields. Those with the same name and meaning are one entry, which leads to the first operation that has them. */
function indexFields(operations: readonly DocumentedOperation[]): SearchEntry[] {
  const found = new Map<string, SearchEntry & { operations: Set<string> }>()
  for (const documented of operations) {
    const { operationId, summary } = documented.operation
    for (const { id, name, type, description = '' } of listFields(documented)) {
      if (name.startsWith('_') || name.startsWith('any ')) continue
      const key = `${name} ${description}`
      const known = found.get(key)
      if (known !== undefined) known.operations.add(operationId)
      else
        found.set(key, {
          kind: 'field',
          title: name,
          where: summary,
          href: `${getOperationAddress(operationId)}#${id}`,
          text: `${type}. ${toPlainText(renderInline(description))}`,
          operations: new Set([operationId]),
        })
    }
  }
  return [...found.values()].map(({ operations: among, where, ...entry }) => ({
    ...entry,
    where: among.size === 1 ? `Field of ${where}` : `Field of ${where} and ${among.size - 1} more`,
  }))
}
