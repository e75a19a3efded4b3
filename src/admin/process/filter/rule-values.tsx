import type { RelativeTime } from 'caseworker'
import { useState } from 'react'
import { IconButton } from '../../parts/button.tsx'
import { Choices } from '../../parts/choice/choices.tsx'
import { Select, TextInput } from '../../parts/field.tsx'
import { Menu } from '../../parts/menu.tsx'
import type { FilterField } from './fields.ts'
import type { Operator, RuleValue } from './filter-tree.ts'
import {
  buildRelativeTime,
  DAY_UNITS,
  formatRelativeTime,
  isRelativeTime,
  OFFSET_COUNT_MAX,
  parseRelativeTime,
  QUICK_TIMES,
  RELATIVE_TIMES,
  TIME_UNITS,
  type TimeOffset,
  type TimeUnit,
  toIso,
  toLocal,
} from './times.ts'

interface RuleValuesProps {
  field: FilterField
  operator: Operator
  values: readonly RuleValue[]
  /** False where a value is stored: then a time is absolute. */
  mayBeRelative?: boolean
  onChange: (values: readonly RuleValue[]) => void
}

/** The inputs for the values of a condition, by the type of its field. */
export function RuleValues({ field, operator, values, mayBeRelative = true, onChange }: RuleValuesProps) {
  const label = `Value of ${field.label}`
  const [first] = values
  const isTime = field.kind === 'moment' || field.kind === 'date'
  // A relative time among several values, or of a field without a form for it, was written elsewhere: it is shown, and
  // kept unchanged.
  if (values.some(isRelativeTime) && !(isTime && values.length === 1))
    return (
      <TextInput
        aria-label={label}
        readOnly
        value={values.map(each => (isRelativeTime(each) ? formatRelativeTime(each) : String(each))).join(', ')}
      />
    )
  const isEquality = operator === '=' || operator === '!='
  if (field.kind === 'boolean')
    return (
      <Select
        aria-label={label}
        value={first === undefined ? '' : String(first)}
        onChange={({ target }) => onChange(target.value === '' ? [] : [target.value === 'true'])}
        options={[
          { value: '', label: 'Choose …' },
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]}
      />
    )
  if (field.choices && isEquality)
    return (
      <Choices
        label={label}
        choices={field.choices}
        chosen={values.map(String)}
        onChoose={chosen => onChange(chosen.map(each => (field.isNumeric ? Number(each) : each)))}
      />
    )
  if (isTime)
    return (
      <TimeInput
        label={label}
        isDay={field.kind === 'date'}
        value={first}
        mayBeRelative={mayBeRelative}
        onChange={onChange}
      />
    )
  if (field.kind === 'time')
    return (
      <TextInput
        aria-label={label}
        type="time"
        value={String(first ?? '')}
        onChange={({ target }) => onChange(target.value === '' ? [] : [target.value])}
      />
    )
  if (field.kind === 'number')
    return (
      <TextInput
        aria-label={label}
        type="number"
        step="any"
        value={first === undefined ? '' : String(first)}
        onChange={({ target }) => onChange(target.value === '' ? [] : [Number(target.value)])}
      />
    )
  return <TextValues label={label} isMany={field.kind === 'list'} values={values} onChange={onChange} />
}

interface TextValuesProps {
  label: string
  isMany: boolean
  values: readonly RuleValue[]
  onChange: (values: readonly RuleValue[]) => void
}

/** A field for one text; several of a filter are shown with commas. */
function TextValues({ label, isMany, values, onChange }: TextValuesProps) {
  const isList = isMany || values.length > 1
  const change = (text: string) => {
    if (text === '') onChange([])
    else onChange(isList ? text.split(',').map(each => each.trimStart()) : [text])
  }
  return (
    <TextInput
      aria-label={isList ? `${label}, between commas` : label}
      placeholder={isMany ? 'one, another' : undefined}
      value={values.map(String).join(isList ? ', ' : '')}
      onChange={({ target }) => change(target.value)}
    />
  )
}

interface TimeInputProps {
  label: string
  /** A day, or a point in time in the reader's zone. */
  isDay: boolean
  value: RuleValue | undefined
  mayBeRelative: boolean
  onChange: (values: readonly RuleValue[]) => void
}

const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** A time that stays, or where that makes sense one that is relative to each request: so a saved view stays true. */
function TimeInput({ label, isDay, value, mayBeRelative, onChange }: TimeInputProps) {
  const relative = isRelativeTime(value) ? value : undefined
  const offered = RELATIVE_TIMES.filter(({ anchor }) => !isDay || anchor === 'today')
  const choose = (offset: TimeOffset) => onChange([buildRelativeTime(offset, timeZone)])
  const now = () => (isDay ? toLocal(Date.now()).slice(0, DAY_LENGTH) : new Date().toISOString())
  const fixed = { label: isDay ? 'A fixed day' : 'A fixed time', act: () => onChange([now()]) }
  const items = mayBeRelative
    ? [
        ...offered.map(offset => ({
          label: capitalize(formatRelativeTime(buildRelativeTime(offset, timeZone))),
          act: () => choose(offset),
        })),
        ...(relative ? [fixed] : []),
      ]
    : QUICK_TIMES.map(({ name, of }) => ({ label: name, act: () => onChange([of(new Date()).toISOString()]) }))
  return (
    <span className="flex items-center gap-1">
      {relative ? (
        <RelativeInput label={label} isDay={isDay} value={relative} onChoose={choose} />
      ) : (
        <TextInput
          aria-label={label}
          type={isDay ? 'date' : 'datetime-local'}
          value={isDay ? String(value ?? '') : toLocal(value)}
          onChange={({ target }) => onChange(target.value === '' ? [] : [isDay ? target.value : toIso(target.value)])}
        />
      )}
      {(mayBeRelative || !isDay) && (
        <Menu trigger={<IconButton label={`Times for ${label}`} icon="event" />} items={items} />
      )}
    </span>
  )
}

const DAY_LENGTH = 'YYYY-MM-DD'.length
const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

interface RelativeInputProps {
  label: string
  isDay: boolean
  value: RelativeTime
  onChoose: (offset: TimeOffset) => void
}

/** "7", "days", "before today". A duration of several units was written elsewhere: it is shown, and kept as it is. */
function RelativeInput({ label, isDay, value, onChoose }: RelativeInputProps) {
  const offset = parseRelativeTime(value)
  /** Kept while it is typed: an empty field has no number yet. */
  const [typed, setTyped] = useState<string>()
  if (!offset) return <TextInput aria-label={label} readOnly value={formatRelativeTime(value)} />
  const { anchor, count, unit } = offset
  const side = Math.sign(count)
  const places = (isDay ? (['today'] as const) : (['now', 'today'] as const)).flatMap(each => [
    { value: `${each} 0`, label: each },
    { value: `${each} -1`, label: `before ${each}` },
    { value: `${each} 1`, label: `after ${each}` },
  ])
  const place = (chosen: string) => {
    const [next, sign] = chosen.split(' ')
    const nextAnchor = next === 'now' ? 'now' : 'today'
    onChoose({
      anchor: nextAnchor,
      count: Number(sign) * (Math.abs(count) || 1),
      unit: nextAnchor === 'now' || DAY_UNITS.includes(unit) ? unit : 'day',
    })
  }
  const type = (text: string) => {
    setTyped(text)
    const next = Number(text)
    if (Number.isInteger(next) && next > 0 && next <= OFFSET_COUNT_MAX) onChoose({ ...offset, count: side * next })
  }
  return (
    <>
      {side !== 0 && (
        <>
          <TextInput
            aria-label={`${label}: how many`}
            type="number"
            min={1}
            max={OFFSET_COUNT_MAX}
            className="w-16! shrink-0"
            value={typed ?? String(Math.abs(count))}
            onChange={({ target }) => type(target.value)}
            onBlur={() => setTyped(undefined)}
          />
          <Select
            aria-label={`${label}: unit`}
            className="min-w-0"
            value={unit}
            onChange={({ target }) => onChoose({ ...offset, unit: target.value as TimeUnit })}
            options={(anchor === 'now' ? TIME_UNITS : DAY_UNITS).map(each => ({ value: each, label: `${each}s` }))}
          />
        </>
      )}
      <Select
        aria-label={label}
        className="min-w-0"
        value={`${anchor} ${side}`}
        onChange={({ target }) => place(target.value)}
        options={places}
      />
    </>
  )
}
