import { useId } from 'react'
import { TextInput } from '../field.tsx'

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
