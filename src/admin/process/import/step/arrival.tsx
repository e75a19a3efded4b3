import { type ReactNode, useEffect, useRef } from 'react'

interface ArrivalProps {
  /** The text that is read aloud when it gets the focus. */
  label: string
  isTop?: boolean
  children: ReactNode
}

/** The start of a step: it is scrolled to and gets the focus, as the button that led to it is gone. */
export function Arrival({ label, isTop = false, children }: ArrivalProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.focus({ preventScroll: true })
    // The head of the page stays above what is at its top.
    place.current?.scrollIntoView({ block: isTop ? 'end' : 'start' })
  }, [isTop])
  return (
    <section ref={place} aria-label={label} tabIndex={-1} className="scroll-mt-4 outline-none">
      {children}
    </section>
  )
}
