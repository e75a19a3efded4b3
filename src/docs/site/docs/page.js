// For all pages: copy buttons, a menu that is open on wide screens, and the sections of the page in the menu.
import { painted } from './code.js'
import { copyButton, make } from './make.js'

const menu = document.querySelector('.side > details')
const wide = matchMedia('(min-width: 56.01rem)')
const adapt = () => {
  menu.open = wide.matches
}
adapt()
wide.addEventListener('change', adapt)
// On a small screen, choosing a link closes the menu.
menu.addEventListener('click', event => {
  if (event.target.closest('a') && !wide.matches) menu.open = false
})

for (const block of document.querySelectorAll('main .block')) {
  const code = block.querySelector('code')
  const text = code.textContent
  code.replaceChildren(...painted(text, block.classList.contains('output') ? 'json' : 'sh'))
  if (!block.classList.contains('output')) block.append(copyButton(() => text))
}

const here = document.querySelector('.side a[aria-current]')
const sections = [...document.querySelectorAll('main h2[id]')]
if (here && sections.length > 1)
  here.after(
    make(
      'ul',
      { class: 'sections' },
      sections.map(({ id, textContent }) => make('li', {}, make('a', { href: `#${id}` }, textContent))),
    ),
  )
