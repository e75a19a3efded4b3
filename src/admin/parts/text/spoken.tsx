import { useEffect, useRef, useState } from 'react'

/** Often enough to know that it goes on, and seldom enough to be heard out. */
const EVERY_MS = 10_000
const SAID_MS = 5_000

interface SpokenProps {
  /** What would be read aloud now; it may change at any time. */
  text: string
  /** Nothing follows: it is said at once. */
  isLast: boolean
}

/** For screen readers: how far something is that changes all the time. Seen is it elsewhere. */
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
    // Who reads the page line by line finds it once, where it is seen.
    const timer = setTimeout(() => setSaid(''), SAID_MS)
    return () => clearTimeout(timer)
  }, [said])
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}
