import { useState } from 'react'
import { Checkbox, TextInput } from '../field.tsx'
import { Icon } from '../icon.tsx'
import { Popover } from './popover.tsx'

export interface Choice {
  value: string
  label: string
}

interface ChoicesProps {
  /** The subject of the choice: "Values of State". */
  label: string
  choices: readonly Choice[]
  chosen: readonly string[]
  onChoose: (chosen: string[]) => void
  placeholder?: string
}

/** A longer list of choices has a field to search it. */
const SEEN_MAX = 8
const NAMED_MAX = 3

/** Any number of choices, behind a button that names them. */
export function Choices({ label, choices, chosen, onChoose, placeholder = 'Choose …' }: ChoicesProps) {
  const names = chosen.map(value => choices.find(each => each.value === value)?.label ?? value)
  const more = names.length - NAMED_MAX
  return (
    <Popover
      label={label}
      trigger={
        <button
          type="button"
          aria-label={`${label}: ${names.join(', ') || placeholder}`}
          className="flex h-8 w-full items-center gap-1.5 rounded-md border border-line-strong bg-surface px-2.5 text-left"
        >
          <span className={`min-w-0 flex-1 truncate ${names.length === 0 ? 'text-ink-3' : ''}`}>
            {names.length === 0 ? placeholder : names.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` + ${more}` : '')}
          </span>
          <Icon name="down" className="size-3 text-ink-3" />
        </button>
      }
    >
      <ChoiceList label={label} choices={choices} chosen={chosen} onChoose={onChoose} />
    </Popover>
  )
}

export function ChoiceList({ label, choices, chosen, onChoose }: Omit<ChoicesProps, 'placeholder'>) {
  const [text, setText] = useState('')
  const shown = choices.filter(each => each.label.toLowerCase().includes(text.toLowerCase()))
  return (
    <div className="flex flex-col gap-1">
      {choices.length > SEEN_MAX && (
        <TextInput
          aria-label={`Find among ${label}`}
          placeholder="Find …"
          value={text}
          onChange={event => setText(event.target.value)}
        />
      )}
      {shown.map(({ value, label: name }) => (
        <Checkbox
          key={value}
          label={name}
          className="rounded px-1.5 py-1 hover:bg-hover"
          checked={chosen.includes(value)}
          onChange={({ target }) =>
            onChoose(target.checked ? [...chosen, value] : chosen.filter(each => each !== value))
          }
        />
      ))}
      {shown.length === 0 && <p className="px-1.5 py-1 text-ink-2">None.</p>}
    </div>
  )
}
