import { type RefObject, useEffect } from 'react'
import { areSingleKeysOn } from '../../shell/shortcuts.ts'
import { isTyping } from '../../shell/typing.ts'

interface RowKeys {
  rows: number
  /** Brings a row into sight. */
  show: (row: number) => void
  /** Missing where rows are not selected. */
  toggle?: ((row: number, isRange: boolean) => void) | undefined
}

/** About a second. */
const WAITED_FRAMES = 60

const findRow = (element: Element | null): HTMLElement | null => element?.closest<HTMLElement>('tr[data-row]') ?? null

/**
 * j and k move to the link of the next and the previous row, x selects it, and so does the space bar where the row or its
 * link has the focus; with Shift, all from the one that was selected before. Enter is the link's own.
 */
export function useRowKeys(frame: RefObject<HTMLElement | null>, { rows, show, toggle }: RowKeys): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event) || rows === 0) return
      const focused = document.activeElement
      const current = findRow(focused)
      const isOurs = current !== null && frame.current?.contains(current) === true
      const pressed = event.key.toLowerCase()
      const key = areSingleKeysOn() || pressed === ' ' ? pressed : ''
      if (key === 'j' || key === 'k') {
        const step = key === 'j' ? 1 : -1
        const from = isOurs ? Number(current.dataset.row) : step > 0 ? -1 : rows
        event.preventDefault()
        move(Math.min(rows - 1, Math.max(0, from + step)))
      } else if (isOurs && toggle && (key === 'x' || (key === ' ' && (focused === current || focused?.matches('a'))))) {
        event.preventDefault()
        toggle(Number(current.dataset.row), event.shiftKey)
      }
    }
    const move = (row: number) => {
      show(row)
      // The row may have to be drawn first, or even read.
      const focus = (framesLeft: number) => {
        const drawn = frame.current?.querySelector<HTMLElement>(`tr[data-row="${row}"]`)
        const opener = drawn?.querySelector<HTMLElement>('a[href], :is(th, td) button') ?? drawn
        if (opener) opener.focus({ preventScroll: true })
        else if (framesLeft > 0) requestAnimationFrame(() => focus(framesLeft - 1))
      }
      requestAnimationFrame(() => focus(WAITED_FRAMES))
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [frame, rows, show, toggle])
}
