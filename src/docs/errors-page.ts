import { ERROR_CODES } from '../errors.ts'
import { STATUS_OF } from '../http/response/status.ts'
import { explain } from './errors.ts'
import { codeBlock } from './markup/code.ts'
import { escapeHtml } from './markup/html.ts'
import { inline } from './markup/markdown.ts'

const RETRY = {
  no: 'No. The same request would be refused again.',
  yes: 'Yes, after the seconds in `retry-after`.',
  'with an idempotency key': 'Yes. Send a change with the same `idempotency-key`.',
} as const

/** One section for each code; the `docs` of an error points here. */
export const errorSections = (): string =>
  ERROR_CODES.map(code => {
    const { title, cause, remedy, retry, example } = explain(code)
    const { message, path, hint, detail } = example
    const shown = { code, message, path, hint, ...detail, docs: `…/docs/errors#${code}` }
    return `<section aria-labelledby="${code}">
<h2 id="${code}"><a class="anchor" href="#${code}"><code>${code}</code></a></h2>
<p><span class="status bad">${STATUS_OF[code]}</span> <strong>${escapeHtml(title)}.</strong> ${inline(cause)}</p>
<p><strong>Remedy:</strong> ${inline(remedy)}</p>
<p><strong>Retry?</strong> ${inline(RETRY[retry])}</p>
${codeBlock(JSON.stringify(shown, null, 2), 'json')}
</section>`
  }).join('\n')
