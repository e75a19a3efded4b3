/** An element with attributes, properties (functions, `value`, `open`) and children; text stays text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === 'function' || name === 'value') element[name] = value
    else element.setAttribute(name, value === true ? '' : value)
  }
  element.append(...children.flat().filter(child => child !== undefined && child !== null))
  return element
}

const COPIED_MS = 1500

/** A button that copies the result of `text`, and confirms it. */
export function copyButton(text, label = 'Copy') {
  const button = make('button', { type: 'button', class: 'copy' }, label)
  button.onclick = async () => {
    await navigator.clipboard.writeText(text())
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = label
    }, COPIED_MS)
  }
  return button
}
