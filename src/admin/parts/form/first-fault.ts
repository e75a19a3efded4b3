import { type RefObject, useEffect } from 'react'

/** The form that was sent last, until something is typed again. */
let sent: EventTarget | null = null
document.addEventListener('submit', ({ target }) => (sent = target), true)
document.addEventListener('input', () => (sent = null), true)

/** Moves the focus to the first field with a fault when a sent form comes back, which a screen reader then reads with its fault. */
export function useFirstFault(field: RefObject<HTMLElement | null>, error: string | undefined): void {
  useEffect(() => {
    const form = field.current?.closest('form')
    if (error === undefined || !form || form !== sent) return
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [field, error])
}
