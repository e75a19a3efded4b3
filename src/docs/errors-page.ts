import { ERROR_CODES } from '../errors.ts'
import { STATUS_OF } from '../http/status.ts'
import { explain } from './errors.ts'
import { escapeHtml, inline } from './markdown.ts'

const RETRY = {
  no: 'No: the same request is refused again.',
  yes: 'Yes, after as many seconds as `retry-after` says.',
  'with an idempotency key': 'Yes: reads as they are, changes with the same `idempotency-key` as before.',
} as const

/** One section for each code; `docs` in every error points here. */
export const errorSections = (): string =>
  ERROR_CODES.map(code => {
    const { title, cause, remedy, retry, example } = explain(code)
    const { message, path, hint, detail } = example
    const shown = { code, message, path, hint, ...detail, docs: `…/docs/errors#${code}` }
    return `<section aria-labelledby="${code}">
<h2 id="${code}"><a class="anchor" href="#${code}"><code>${code}</code></a></h2>
<p><span class="status bad">${STATUS_OF[code]}</span> <strong>${escapeHtml(title)}.</strong> ${inline(cause)}</p>
<p><strong>What to do:</strong> ${inline(remedy)}</p>
<p><strong>Worth sending again?</strong> ${inline(RETRY[retry])}</p>
<div class="block output"><pre tabindex="0"><code>${escapeHtml(JSON.stringify(shown, null, 2))}</code></pre></div>
</section>`
  }).join('\n')
