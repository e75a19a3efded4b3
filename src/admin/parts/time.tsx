import { useEffect, useId, useState } from 'react'
import { TextInput } from './field.tsx'
import { formatZonedTime, relativeTime, utcTime } from './times.ts'

const EVERY_MS = 30_000

interface TimeProps {
  /** Milliseconds, or ISO. */
  at: number | string | null | undefined
  /** "3 minutes ago" instead of date and time. */
  isRelative?: boolean
}

/** A time in the reader's zone; UTC on hover. 0 and null are no time. */
export function Time({ at, isRelative = false }: TimeProps) {
  const ms = typeof at === 'string' ? Date.parse(at) : at
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRelative) return
    const timer = setInterval(() => setNow(Date.now()), EVERY_MS)
    return () => clearInterval(timer)
  }, [isRelative])
  if (!ms) return <span className="text-ink-3">–</span>
  return (
    <time
      dateTime={new Date(ms).toISOString()}
      title={isRelative ? `${formatZonedTime(ms)}\n${utcTime(ms)}` : utcTime(ms)}
      className="whitespace-nowrap"
    >
      {isRelative ? relativeTime(ms, Math.max(now, Date.now())) : formatZonedTime(ms)}
    </time>
  )
}

interface DayInputProps {
  label: string
  day: string | undefined
  onChange: (day: string | undefined) => void
}

/** A day of a filter: `2026-11-22`. */
export function DayInput({ label, day, onChange }: DayInputProps) {
  const id = useId()
  return (
    <span className="flex items-center gap-1.5 text-[13px] text-ink-2">
      <label htmlFor={id}>{label}</label>
      <TextInput
        id={id}
        type="date"
        className="w-auto!"
        value={day ?? ''}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </span>
  )
}
