// The search dialog of every page: `/` and Ctrl-K open it, arrows choose, Enter follows.
import { make } from './dom.js'
import { find } from './find.js'

const RESULTS_MAX = 20
const KINDS = { operation: 'Operation', guide: 'Guide', error: 'Error code', field: 'Field' }

let entries
/** Fetched when the search is opened for the first time. */
async function loadEntries() {
  entries ??= await (await fetch('/docs/search.json')).json()
  showResults()
}

const input = make('input', {
  ...{ type: 'search', role: 'combobox', 'aria-label': 'Search', 'aria-expanded': 'false', 'aria-controls': 'found' },
  ...{ 'aria-autocomplete': 'list', autocomplete: 'off', spellcheck: 'false' },
  placeholder: 'Operations, guides, fields, error codes',
})
const list = make('ul', { id: 'found', role: 'listbox', 'aria-label': 'Results' })
const status = make('p', { class: 'status-line', role: 'status' })
const all = make('a', { href: '/docs/search' }, 'All pages')
const close = make('button', { type: 'button' }, 'Close')
const dialog = make(
  'dialog',
  { class: 'search', 'aria-label': 'Search the documentation' },
  make('div', { class: 'row' }, input, close),
  list,
  make('div', { class: 'row' }, status, all),
)
document.body.append(dialog)

let chosen = 0
function choose(nth) {
  const options = [...list.children]
  chosen = options.length === 0 ? 0 : (nth + options.length) % options.length
  for (const [at, option] of options.entries()) option.setAttribute('aria-selected', String(at === chosen))
  const option = options[chosen]
  if (option) input.setAttribute('aria-activedescendant', option.id)
  else input.removeAttribute('aria-activedescendant')
  option?.scrollIntoView({ block: 'nearest' })
}

function showResults() {
  const query = input.value
  const results = entries ? find(entries, query, RESULTS_MAX) : []
  list.replaceChildren(
    ...results.map(({ kind, title, where, href, excerpt }, nth) =>
      make(
        'li',
        { id: `found-${nth}`, role: 'option', 'data-href': href, onclick: () => location.assign(href) },
        make('span', { class: 'kind' }, KINDS[kind]),
        make('strong', {}, title),
        make('span', { class: 'where' }, where),
        make('span', { class: 'excerpt' }, excerpt),
      ),
    ),
  )
  input.setAttribute('aria-expanded', String(results.length > 0))
  const counted = results.length === RESULTS_MAX ? `The first ${RESULTS_MAX} results` : `${results.length} results`
  const waiting = entries === undefined ? 'Loading…' : counted
  status.textContent =
    query.trim() === '' ? '' : entries && results.length === 0 ? 'Nothing has all of these words.' : waiting
  choose(0)
}

export function openSearch(query = input.value) {
  if (dialog.open) return
  input.value = query
  dialog.showModal()
  input.select()
  loadEntries()
}

input.addEventListener('input', showResults)
input.addEventListener('keydown', event => {
  const steps = { ArrowDown: 1, ArrowUp: -1 }
  if (steps[event.key] !== undefined) {
    event.preventDefault()
    choose(chosen + steps[event.key])
  } else if (event.key === 'Escape') {
    // Otherwise the browser empties the field first.
    event.preventDefault()
    dialog.close()
  } else if (event.key === 'Enter') {
    const href = list.children[chosen]?.dataset.href
    // The same page at another place: the dialog would stay.
    dialog.close()
    if (href) location.assign(href)
  }
})
list.addEventListener('click', () => dialog.close())
close.addEventListener('click', () => dialog.close())
// A click beside the dialog, on its backdrop.
dialog.addEventListener('click', event => event.target === dialog && dialog.close())
