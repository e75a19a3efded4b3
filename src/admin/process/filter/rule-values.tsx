import { IconButton } from '../../parts/button.tsx'
import { Choices } from '../../parts/choice/choices.tsx'
import { Select, TextInput } from '../../parts/field.tsx'
import { Menu } from '../../parts/menu.tsx'
import type { FilterField } from './fields.ts'
import { isoOfLocal, localOf, QUICK_TIMES } from './moments.ts'
import { isRelativeTime, type Operator, type RuleValue } from './tree.ts'

interface RuleValuesProps {
  field: FilterField
  operator: Operator
  values: readonly RuleValue[]
  onChange: (values: readonly RuleValue[]) => void
}

/** Where the values of a condition are chosen or typed, by the type of its field. */
export function RuleValues({ field, operator, values, onChange }: RuleValuesProps) {
  const label = `Value of ${field.label}`
  const [first] = values
  const relative: unknown = values.find(isRelativeTime)
  if (isRelativeTime(relative))
    return <TextInput aria-label={label} readOnly value={Object.entries(relative).flat().join(' ')} />
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
  if (field.kind === 'moment') return <MomentInput label={label} value={first} onChange={onChange} />
  if (field.kind === 'date' || field.kind === 'time')
    return (
      <TextInput
        aria-label={label}
        type={field.kind}
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

/** One text; of a filter that came with several, all of them, between commas. */
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

interface MomentInputProps {
  label: string
  value: RuleValue | undefined
  onChange: (values: readonly RuleValue[]) => void
}

/** A point in time in the reader's zone. What is relative is made absolute when it is chosen, so that a link means the same tomorrow. */
function MomentInput({ label, value, onChange }: MomentInputProps) {
  return (
    <span className="flex items-center gap-1">
      <TextInput
        aria-label={label}
        type="datetime-local"
        value={localOf(value)}
        onChange={({ target }) => onChange(target.value === '' ? [] : [isoOfLocal(target.value)])}
      />
      <Menu
        trigger={<IconButton label={`Times for ${label}`} icon="event" />}
        items={QUICK_TIMES.map(({ name, of }) => ({
          label: name,
          act: () => onChange([of(new Date()).toISOString()]),
        }))}
      />
    </span>
  )
}
