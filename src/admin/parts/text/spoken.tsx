import { useEffect, useRef, useState } from 'react'

/** The interval shows that it continues, and is long enough for each text to be heard. */
const EVERY_MS = 10_000
const SAID_MS = 5_000

interface SpokenProps {
  /** The text to be read aloud; it may change at any time. */
  text: string
  /** True for the final text, which is read at once. */
  isLast: boolean
}

/** Announces progress to screen readers. Sighted readers find it elsewhere on the page. */
export function Spoken({ text, isLast }: SpokenProps) {
  const [said, setSaid] = useState('')
  const saidAt = useRef(0)
  useEffect(() => {
    const say = () => {
      saidAt.current = Date.now()
      setSaid(text)
    }
    const wait = isLast ? 0 : saidAt.current + EVERY_MS - Date.now()
    const timer = setTimeout(say, Math.max(0, wait))
    return () => clearTimeout(timer)
  }, [text, isLast])
  useEffect(() => {
    if (said === '') return
    // The text is cleared, so that somebody who reads the page line by line finds it only where it is visible.
    const timer = setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}
