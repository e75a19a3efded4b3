import { type RefObject, useCallback, useLayoutEffect, useState } from 'react'
import { getSight, type Sight } from './rows-in-sight.ts'

interface Viewport {
  sight: Sight
  /** Scrolls as far as a row needs to be wholly seen. */
  show: (row: number) => void
}

/** Tracks which rows of a scrolled frame are in the viewport, below a sticky head if it has one. */
export function useSight(
  frame: RefObject<HTMLElement | null>,
  head: RefObject<HTMLElement | null> | undefined,
  count: number,
  rowPx: number,
): Viewport {
  const [sight, setSight] = useState<Sight>({ first: 0, last: 0 })
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const look = () => {
      const height = element.clientHeight - (head?.current?.offsetHeight ?? 0)
      const seen = getSight(element.scrollTop, height, count, rowPx)
      setSight(before => (before.first === seen.first && before.last === seen.last ? before : seen))
    }
    look()
    const sizes = new ResizeObserver(look)
    sizes.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      sizes.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [frame, head, count, rowPx])
  const show = useCallback(
    (row: number) => {
      const element = frame.current
      if (!element) return
      const height = element.clientHeight - (head?.current?.offsetHeight ?? 0)
      const [top, bottom] = [row * rowPx, (row + 1) * rowPx]
      if (top < element.scrollTop) element.scrollTop = top
      else if (bottom > element.scrollTop + height) element.scrollTop = bottom - height
    },
    [frame, head, rowPx],
  )
  return { sight, show }
}
