import { escapeHtml } from '../markup/html.ts'
import { type Documented, type Parameter, takesToken } from './operation.ts'

const BODY_LINES_MAX = 18

/**
 * The form that sends a request from the page. It needs a script, `site/docs/try.js`, which shows it; `examples` are those
 * of all parameters, which the script replaces by the team's own ids.
 */
export function requestForm(documented: Documented, examples: Record<string, unknown>): string {
  const { method, path, operation, parameters, body } = documented
  const isMain = ({ in: place, required }: Parameter) => place === 'path' || required === true
  const [main, more] = [parameters.filter(isMain), parameters.filter(each => !isMain(each))]
  const optional =
    more.length === 0
      ? ''
      : `<details class="more"><summary>${more.map(({ name }) => `<code>${escapeHtml(name)}</code>`).join(', ')}</summary><div class="inputs">${more.map(field).join('')}</div></details>`
  return `<section id="try" aria-labelledby="try-title">
<h2 id="try-title">Try it</h2>
<form class="try" hidden data-method="${method}" data-path="${escapeHtml(path)}" data-operation="${operation.operationId}"${
    operation.security === undefined ? '' : ' data-open'
  } data-type="${escapeHtml(body?.type ?? '')}" data-examples="${escapeHtml(JSON.stringify(examples))}">
${takesToken(operation) ? TOKEN : ''}
<div class="inputs">${main.map(field).join('')}</div>
${optional}
${bodyField(documented)}
<div class="actions"><button class="primary">Send</button></div>
<div class="result" aria-live="polite"></div>
</form>
<noscript><p>The form needs JavaScript. The samples of this page do the same.</p></noscript>
</section>`
}

/** Not a part of the request's own fields: the script keeps it in this tab, for all pages. */
const TOKEN = `<div class="input token"><label for="token">Token</label>
<input id="token" class="code" type="password" autocomplete="off" spellcheck="false" placeholder="cw_…" aria-describedby="token-hint">
<p id="token-hint">Stored in this tab only, and sent only to this API. <code>npm start</code> prints a token of the demo team. With a token, the examples have the ids of your team.</p></div>`

function field({ name, in: place, required, example }: Parameter): string {
  const id = `in-${name}`
  const value = place === 'header' || example === undefined ? '' : ` value="${escapeHtml(String(example))}"`
  const hint = required === true ? '' : ' placeholder="optional"'
  return `<div class="input"><label for="${id}">${escapeHtml(name)}</label><input id="${id}" class="code" name="${escapeHtml(name)}" data-in="${place}" autocomplete="off" spellcheck="false"${hint}${value}></div>`
}

function bodyField({ body }: Documented): string {
  if (body === undefined) return ''
  if (body.type === 'multipart/form-data')
    return '<div class="input"><label for="in-file">file</label><input id="in-file" name="file" data-in="file" type="file"></div>'
  const text = JSON.stringify(body.example ?? {}, null, 2)
  const lines = Math.min(BODY_LINES_MAX, text.split('\n').length + 1)
  return `<div class="input"><label for="in-body">Body</label><textarea id="in-body" class="code" name="body" data-in="body" rows="${lines}" autocomplete="off" spellcheck="false">\n${escapeHtml(text)}</textarea></div>`
}
