import { codeBlock } from '../markup/code.ts'
import { escapeHtml } from '../markup/html.ts'
import type { Documented } from './operation.ts'

export interface ShownSample {
  language: string
  label: string
  code: string
}

const MULTIPART = 'multipart/form-data'

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The path with the examples of its parameters, and of those of the query that must be sent. */
export function exampleAddress({ path, parameters }: Documented): string {
  const filled = parameters
    .filter(each => each.in === 'path')
    .reduce((at, { name, example }) => at.replace(`{${name}}`, encodeURIComponent(String(example ?? name))), path)
  const query = new URLSearchParams(
    parameters
      .filter(each => each.in === 'query' && each.example !== undefined)
      .map(each => [each.name, String(each.example)]),
  ).toString()
  return query === '' ? filled : `${filled}?${query}`
}

function curlSample(documented: Documented, origin: string): ShownSample {
  const { method, operation, body } = documented
  const address = `${origin}${exampleAddress(documented)}`
  const isForm = body?.type === MULTIPART
  const lines = [
    `curl -s${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} ${address.includes('?') ? `"${address}"` : address}`,
    ...(operation.security === undefined ? ['-H "authorization: Bearer $TOKEN"'] : []),
    ...(isForm ? ['-F file=@offer.pdf'] : []),
    ...(body && !isForm
      ? [`-H 'content-type: ${body.type}'`, `-d ${quoted(JSON.stringify(body.example ?? {}, null, 2))}`]
      : []),
  ]
  return { language: 'sh', label: 'curl', code: lines.join(' \\\n  ') }
}

/** In each language. Those of the document, where it has them. */
const samplesOf = (documented: Documented, origin: string): ShownSample[] =>
  documented.operation['x-codeSamples']?.map(({ lang, label, source }) => ({
    language: lang.toLowerCase(),
    label,
    code: source,
  })) ?? [curlSample(documented, origin)]

/** Tabs of radio buttons, so that they change without a script. */
export function sampleTabs(documented: Documented, origin: string): string {
  const samples = samplesOf(documented, origin)
  const tabs = samples.map(({ label }, nth) => {
    const id = `sample-${nth + 1}`
    return `<input type="radio" name="sample" id="${id}" value="${escapeHtml(label)}"${nth === 0 ? ' checked' : ''}><label for="${id}">${escapeHtml(label)}</label>`
  })
  const panels = samples.map(
    ({ label, language, code }) =>
      `<div class="panel" data-label="${escapeHtml(label)}" data-language="${escapeHtml(language)}">${codeBlock(code, language, undefined, `Request, ${label}`)}</div>`,
  )
  return `<section class="tabs" aria-label="Request"><fieldset><legend>Request</legend>${tabs.join('')}</fieldset>${panels.join('')}</section>`
}
