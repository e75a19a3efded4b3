import { toSentTime } from 'import-file/cells'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useConfig } from '../../api/me.ts'
import type { ProcedureAttribute } from '../../api/procedure.ts'
import { formatUserName } from '../../api/user-name.ts'
import { getTypeRules, type InputKind, isNumberType } from '../../parts/attribute/types.ts'
import type { Choice } from '../../parts/choice/choices.tsx'
import { Select, TextInput } from '../../parts/field.tsx'
import { refuseHalfTyped } from '../../parts/form/half-typed.ts'
import { toLocal } from '../filter/times.ts'

interface EditableProps {
  /** The field: its row says what it is of. */
  label: string
  children: ReactNode
  editor: (close: () => void) => ReactNode
}

/**
 * Shows a value of a table that becomes its own field by a click or Enter. After editing by keyboard the focus returns
 * to it.
 */
export function Editable({ label, children, editor }: EditableProps) {
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLSpanElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const comesBack = useRef(false)
  useEffect(() => {
    if (isOpen || !comesBack.current) return
    comesBack.current = false
    opener.current?.focus({ preventScroll: true })
  }, [isOpen])
  const close = () => {
    // Where the field was left, something else has the focus already.
    if (field.current?.contains(document.activeElement)) comesBack.current = true
    setOpen(false)
  }
  if (isOpen)
    return (
      <span ref={field} className="contents">
        {editor(close)}
      </span>
    )
  return (
    <button
      ref={opener}
      type="button"
      className="-mx-1.5 block w-[calc(100%+0.75rem)] min-w-6 truncate rounded px-1.5 py-0.5 [text-align:inherit] hover:bg-surface hover:outline hover:outline-line-strong"
      onClick={() => setOpen(true)}
    >
      <span className="sr-only">{`Change ${label}: `}</span>
      {children}
    </button>
  )
}

interface ValueEditorProps {
  label: string
  value: unknown
  onSave: (value: unknown) => void
  onClose: () => void
}

const NONE: Choice = { value: '', label: '–' }

interface ChoiceEditorProps extends ValueEditorProps {
  choices: readonly Choice[]
  isRequired?: boolean
}

/**
 * A choice that is saved as soon as it is made in the open list. Some systems change a closed list at each arrow key:
 * then nothing is saved before Enter. An empty choice is null.
 */
export function ChoiceEditor({ label, value, choices, isRequired = false, onSave, onClose }: ChoiceEditorProps) {
  const before = String(value ?? '')
  const [shown, setShown] = useState(before)
  const lastKey = useRef('')
  const save = (chosen: string) => {
    if (chosen !== before) onSave(chosen === '' ? null : chosen)
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    lastKey.current = event.altKey ? '' : event.key
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter' || shown === before) return
    event.preventDefault()
    save(shown)
  }
  return (
    <Select
      autoFocus
      aria-label={`${label}: Enter saves, Esc does not`}
      className="h-7!"
      value={shown}
      options={isRequired ? choices : [NONE, ...choices]}
      onBlur={onClose}
      onKeyDown={onKeyDown}
      onPointerDown={() => (lastKey.current = '')}
      onChange={({ target }) => (steps(lastKey.current) ? setShown(target.value) : save(target.value))}
    />
  )
}

/**
 * Returns whether a key moves through the choices of a closed list; Enter, space and Tab end the choice of an open one.
 */
const steps = (key: string): boolean => /^(Arrow|Page|Home|End|[^ ]$)/.test(key)

export function UserEditor(props: ValueEditorProps & { isRequired?: boolean }) {
  const users = useConfig()?.users ?? []
  const choices = users
    .filter(({ isActive, id }) => isActive || id === props.value)
    .map(user => ({ value: user.id, label: formatUserName(user) }))
  return <ChoiceEditor {...props} choices={choices} />
}

/** The inputs of the platform that suit a cell. */
const CELL_INPUTS: Partial<Record<InputKind, string>> = {
  integer: 'number',
  decimal: 'number',
  datetime: 'datetime-local',
  date: 'date',
  time: 'time',
  email: 'email',
  phone: 'tel',
  url: 'url',
}

/** The field of a simple attribute. What it may hold is for the API to say: a value that it refuses is put back. */
export function AttributeEditor({ attribute, ...props }: ValueEditorProps & { attribute: ProcedureAttribute }) {
  const { type, values, required } = attribute
  const save = (value: unknown) => {
    const isEmpty = value === null || value === ''
    props.onSave(isEmpty ? null : isNumberType(type) ? Number(value) : value)
  }
  if (type === 'user') return <UserEditor {...props} isRequired={required} />
  if (type === 'boolean')
    return (
      <ChoiceEditor
        {...props}
        choices={[
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
        isRequired={required}
        onSave={value => props.onSave(value === null ? null : value === 'true')}
      />
    )
  if (values)
    return (
      <ChoiceEditor
        {...props}
        choices={values.map(each => ({ value: String(each), label: String(each) }))}
        isRequired={required}
        onSave={save}
      />
    )
  return <TypedEditor {...props} type={CELL_INPUTS[getTypeRules(type).input] ?? 'text'} onSave={save} />
}

/** Epoch milliseconds, or null. */
export function MomentEditor(props: ValueEditorProps) {
  return <TypedEditor {...props} type="datetime-local" />
}

/** Enter saves, Esc and leaving it do not. */
function TypedEditor({ label, value, type, onSave, onClose }: ValueEditorProps & { type: string }) {
  const isMoment = type === 'datetime-local'
  const before = isMoment ? toLocal(value) : String(value ?? '')
  const [text, setText] = useState(before)
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter') return
    // The same key would press the button that comes back.
    event.preventDefault()
    if (refuseHalfTyped({ elements: [event.currentTarget] })) return
    if (text !== before) onSave(isMoment && text !== '' ? toSentTime(Date.parse(text)) : text === '' ? null : text)
    onClose()
  }
  return (
    <TextInput
      autoFocus
      aria-label={`${label}: Enter saves, Esc does not`}
      className="h-7!"
      type={type}
      step={type === 'number' ? 'any' : undefined}
      value={text}
      onChange={event => setText(event.target.value)}
      onKeyDown={onKeyDown}
      onBlur={onClose}
    />
  )
}
