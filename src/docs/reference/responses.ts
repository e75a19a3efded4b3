import { ERROR_CODES } from '../../errors.ts'
import { STATUS_OF } from '../../http/response/status.ts'
import { explain } from '../errors.ts'
import { codeBlock } from '../markup/code.ts'
import { escapeHtml } from '../markup/html.ts'
import { inline } from '../markup/markdown.ts'
import { fieldsIn } from './fields.ts'
import { type Documented, type DocumentedResponse, isError } from './operation.ts'

type Answer = [status: string, response: DocumentedResponse]

const asText = (example: unknown): string => (typeof example === 'string' ? example : JSON.stringify(example, null, 2))

const codes = (names: readonly string[]): string => names.map(name => `<code>${escapeHtml(name)}</code>`).join(', ')

const isGood = ([status]: Answer): boolean => Number(status) < 300

const exampleIn = ({ content }: DocumentedResponse): unknown => Object.values(content ?? {})[0]?.example

/** The example beside the fields: of the first success that has one. */
export function responseExample({ responses }: Documented): string {
  const found = responses.find(each => isGood(each) && exampleIn(each[1]) !== undefined)
  if (found === undefined) return ''
  const example = exampleIn(found[1])
  return codeBlock(asText(example), typeof example === 'string' ? 'text' : 'json', `Response ${found[0]}`)
}

/** What each response holds. The first success is open. */
export const responsesOf = (documented: Documented): string =>
  documented.responses
    .filter(each => !isError(each))
    .map((each, nth) => responseSection(each, documented, nth === 0))
    .join('')

function responseSection([status, response]: Answer, { resolve }: Documented, isOpen: boolean): string {
  const contents = Object.entries(response.content ?? {})
  const headers = Object.keys(response.headers ?? {})
  const at = `response-${status}`
  const [type, media] = contents[0] ?? []
  const fields =
    media?.schema === undefined
      ? ''
      : fieldsIn(media.schema, media.example, { resolve, at, marksRequired: false, via: [] })
  const kinds = codes(contents.map(([each]) => each))
  const others = Object.keys(response['x-other-content'] ?? {}).filter(each => !(each in (response.content ?? {})))
  const formats = others.length === 0 ? '' : `; other formats: ${codes(others)}`
  return `<details class="response" id="${at}"${isOpen ? ' open' : ''}><summary><span class="status ${Number(status) < 400 ? 'good' : 'bad'}">${status}</span> ${inline(response.description)}</summary>
${type === undefined ? '<p class="kind">No body.</p>' : `<p class="kind">${kinds}${formats}</p>`}${fields}
${headers.length === 0 ? '' : `<p class="kind">Headers: ${codes(headers)}</p>`}</details>`
}

/** Every code that the operation may have, with its explanation. */
export function errorTable({ responses }: Documented): string {
  const declared = responses
    .filter(isError)
    .flatMap(([, { content }]) => Object.keys(content?.['application/json']?.examples ?? {}))
  const byStatus = ERROR_CODES.filter(code => declared.includes(code)).sort(
    (one, other) => STATUS_OF[one] - STATUS_OF[other],
  )
  const rows = byStatus.map(
    code =>
      `<tr><td><span class="status bad">${STATUS_OF[code]}</span></td><td><a href="/docs/errors#${code}"><code>${code}</code></a></td><td>${escapeHtml(explain(code).title)}</td></tr>`,
  )
  return `<div class="scroll" tabindex="0" role="group" aria-label="Errors"><table class="errors"><thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
}
