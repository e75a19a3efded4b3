import { type RefObject, useEffect } from 'react'

/** The form that was sent last, until something is typed again. */
let sent: EventTarget | null = null
document.addEventListener('submit', ({ target }) => (sent = target), true)
document.addEventListener('input', () => (sent = null), true)

/** When a form that was sent comes back with faults, the keys go on at its first one, which then says what is wrong with it. */
export function useFirstFault(field: RefObject<HTMLElement | null>, error: string | undefined): void {
  useEffect(() => {
    const form = field.current?.closest('form')
    if (error === undefined || !form || form !== sent) return
    form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [field, error])
}
