// For all pages: the installation's address, copy buttons, the theme, the menu, tabs of samples, the search. A page can be read without it.
import { copyButton } from './dom.js'
import { openSearch } from './search.js'

// The pages name an example address, and this installation has its own. Only a local one has a demo team.
const texts = document.createTreeWalker(document.getElementById('content'), NodeFilter.SHOW_TEXT)
while (texts.nextNode()) {
  const text = texts.currentNode
  if (!text.data.includes('https://caseworker.example')) continue
  text.data = text.data.replaceAll('https://caseworker.example', location.origin)
  if (location.hostname === 'localhost')
    text.data = text.data.replace('TOKEN=cw_…', 'TOKEN=$(cat .wrangler/state/demo-token)')
}

for (const block of document.querySelectorAll('main .block:not(.output)')) {
  const code = block.querySelector('code')
  block.append(copyButton(() => code.textContent))
}

const THEMES = ['system', 'light', 'dark']
const themeButton = document.querySelector('.theme')
const themeNow = () => document.documentElement.dataset.theme ?? 'system'
function showTheme() {
  const next = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length]
  themeButton.setAttribute('aria-label', `Theme: ${themeNow()}. Change to ${next}`)
  themeButton.title = `Theme: ${themeNow()}`
}
themeButton.addEventListener('click', () => {
  const next = THEMES[(THEMES.indexOf(themeNow()) + 1) % THEMES.length]
  if (next === 'system') {
    localStorage.removeItem('theme')
    delete document.documentElement.dataset.theme
  } else {
    localStorage.setItem('theme', next)
    document.documentElement.dataset.theme = next
  }
  showTheme()
})
showTheme()
themeButton.hidden = false

// The menu shows where the reader is; on a small screen it closes when a section of the same page is chosen.
const menu = document.getElementById('menu')
const current = menu.querySelector('a[aria-current]')
if (current) {
  const [inMenu, box] = [current.getBoundingClientRect(), menu.getBoundingClientRect()]
  if (inMenu.bottom > box.bottom) menu.scrollTop = inMenu.top - box.top - box.height / 3
}
menu.addEventListener('click', event => {
  if (event.target.closest('a') && menu.matches(':popover-open')) menu.hidePopover()
})

// The language of the samples is kept for all pages.
const tabs = [...document.querySelectorAll('.tabs input')]
const chosen = tabs.find(({ value }) => value === localStorage.getItem('language'))
if (chosen) chosen.checked = true
for (const tab of tabs) tab.addEventListener('change', () => localStorage.setItem('language', tab.value))

document.querySelector('.find').addEventListener('click', event => {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  openSearch()
})
// A link to a search: `/docs/search?q=…`.
const query = new URLSearchParams(location.search).get('q')
if (location.pathname === '/docs/search' && query !== null) openSearch(query)
/** Where a slash is a character that the reader writes. */
const isEditable = target => target.closest('input:not([type="radio"]), textarea, select') !== null
addEventListener('keydown', event => {
  const isShortcut = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isEditable(event.target)
  if (!isShortcut && !isSlash) return
  event.preventDefault()
  openSearch()
})

/** Opens whatever hides the target of the address. */
function showTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (!target) return
  for (let at = target; at; at = at.parentElement) if (at instanceof HTMLDetailsElement) at.open = true
  target.scrollIntoView()
}
addEventListener('hashchange', showTarget)
if (location.hash) showTarget()

// Operations once were sections of one page: `/docs#updateProcessById`.
const old = /^#([a-z]+[A-Z]\w+)$/.exec(location.hash)?.[1]
if (location.pathname === '/docs' && old)
  location.replace(`/docs/reference/${old.replace(/[A-Z]+/g, capitals => `-${capitals.toLowerCase()}`)}`)
