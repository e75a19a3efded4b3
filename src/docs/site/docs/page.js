// What every page has: a button that copies a block of code, and a menu that is open where there is room for it.
const menu = document.querySelector('.side details')
const wide = matchMedia('(min-width: 56.01rem)')
const adapt = () => {
  if (menu) menu.open = wide.matches
}
adapt()
wide.addEventListener('change', adapt)

for (const block of document.querySelectorAll('.block:not(.output)')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.querySelector('code').textContent)
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  block.append(button)
}
