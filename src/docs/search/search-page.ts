import { escapeHtml } from '../markup/html.ts'
import { find, QUERY_CHARACTERS_MAX } from '../site/docs/find.js'
import type { SearchEntry } from './entries.ts'

const RESULTS_MAX = 40

/** The results of a search as a page: for those without a script, and to be linked to. */
export function searchBody(asked: string, entries: readonly SearchEntry[]): string {
  const query = asked.slice(0, QUERY_CHARACTERS_MAX)
  const results = find(entries, query, RESULTS_MAX)
  const list = results.map(
    ({ kind, title, where, href, excerpt }) =>
      `<li><a href="${escapeHtml(href)}">${escapeHtml(title)}</a> <span class="where">${escapeHtml(kind === 'error' ? 'Error code' : where)}</span><p>${escapeHtml(excerpt)}</p></li>`,
  )
  const count =
    results.length === RESULTS_MAX
      ? `The first ${RESULTS_MAX} results`
      : `${results.length} result${results.length === 1 ? '' : 's'}`
  const found = results.length === 0 ? NOTHING : `<p>${count}</p>\n<ol class="results">${list.join('')}</ol>`
  return `<h1>Search</h1>
<form class="search-form" role="search" action="/docs/search"><label for="q">Search guides, operations, fields and error codes</label>
<div class="row"><input id="q" name="q" type="search" value="${escapeHtml(query)}" autocomplete="off" spellcheck="false" maxlength="${QUERY_CHARACTERS_MAX}"> <button class="primary">Search</button></div></form>
${query.trim() === '' ? '' : found}`
}

const NOTHING = `<p>Nothing has all of these words. All operations are in the <a href="/docs/reference">API reference</a>, all error codes in <a href="/docs/errors">Errors</a>, operators of filters in <a href="/docs/queries">The query language</a>.</p>`
