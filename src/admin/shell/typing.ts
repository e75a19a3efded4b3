/** Returns whether a key belongs to a text field or to an open dialog: then it is no shortcut of the page. */
export function isTyping({ target }: Event): boolean {
  if (document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]')) return true
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || (/^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) && !isCheckbox(target)))
  )
}

const isCheckbox = (element: HTMLElement): boolean => element instanceof HTMLInputElement && element.type === 'checkbox'
