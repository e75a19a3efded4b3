import { useConfig } from '../../api/me.ts'
import { formatUserName } from '../../api/user-name.ts'
import { Checkbox, Select, TextArea, TextInput } from '../field.tsx'
import { getTypeRules, type InputKind } from './types.ts'
import { formatLines, type TypedAttribute, valuesIn } from './value-text.ts'

interface AttributeInputProps {
  attribute: TypedAttribute
  /** The labels of values that people know by another name. */
  names?: Readonly<Record<string, string>> | undefined
  /** The text of the input, made by `formatValue` and read back by `parseValue`. */
  text: string
  onChange: (text: string) => void
  id: string
  'aria-describedby'?: string | undefined
  'aria-invalid'?: boolean | undefined
}

const NONE = { value: '', label: '–' }
const BOOLEANS = [NONE, { value: 'true', label: 'Yes' }, { value: 'false', label: 'No' }]
/** The inputs of the platform. */
const HTML_TYPES: Partial<Record<InputKind, string>> = {
  email: 'email',
  phone: 'tel',
  url: 'url',
  datetime: 'datetime-local',
}
/** Dates and times may be stored as numbers, which these inputs can't hold. */
const SHAPES = { date: /^(\d{4}-\d{2}-\d{2})?$/, time: /^([\d:.]*)$/ }

/** The input for a value of an attribute, by its type. */
export function AttributeInput({ attribute, names = {}, text, onChange, ...field }: AttributeInputProps) {
  const { type, values } = attribute
  const { input } = getTypeRules(type)
  const change = (event: { target: { value: string } }) => onChange(event.target.value)
  if (input === 'user') return <UserInput text={text} onChange={onChange} {...field} />
  if (input === 'boolean') return <Select {...field} options={BOOLEANS} value={text} onChange={change} />
  if (values !== undefined && input === 'list')
    return <ValueChoices values={values} text={text} onChange={onChange} {...field} />
  if (values !== undefined) {
    const known = values.map(value => ({ value: String(value), label: names[value] ?? String(value) }))
    const other = known.some(({ value }) => value === text) || text === '' ? [] : [{ value: text, label: text }]
    return <Select {...field} options={[NONE, ...known, ...other]} value={text} onChange={change} />
  }
  // An input of one line would drop the line ends of a text that has some.
  if (input === 'longText' || input === 'json' || input === 'list' || text.includes('\n'))
    return (
      <TextArea
        {...field}
        rows={input === 'json' ? 6 : 3}
        className={input === 'json' ? 'font-mono text-[12.5px]' : ''}
        value={text}
        onChange={change}
      />
    )
  const shape = input === 'date' || input === 'time' ? (SHAPES[input].test(text) ? input : 'text') : undefined
  const inputMode = input === 'integer' ? 'numeric' : input === 'decimal' ? 'decimal' : undefined
  return (
    <TextInput
      {...field}
      type={shape ?? HTML_TYPES[input] ?? 'text'}
      inputMode={inputMode}
      {...(input === 'datetime' || input === 'time' ? { step: 1 } : {})}
      {...(input === 'place' ? { placeholder: 'Latitude, longitude' } : {})}
      value={text}
      onChange={change}
    />
  )
}

type PartProps = Omit<AttributeInputProps, 'attribute' | 'names'>

function UserInput({ text, onChange, ...field }: PartProps) {
  const users = useConfig()?.users ?? []
  const known = users
    .filter(({ isActive, id }) => isActive || id === text)
    .map(user => ({ value: user.id, label: formatUserName(user) }))
  const other = text === '' || known.some(({ value }) => value === text) ? [] : [{ value: text, label: text }]
  const options = [{ value: '', label: 'Nobody' }, ...known, ...other]
  return <Select {...field} options={options} value={text} onChange={event => onChange(event.target.value)} />
}

function ValueChoices({ values, text, onChange, id, ...field }: PartProps & { values: readonly (string | number)[] }) {
  const chosen = valuesIn(text)
  const all = [...new Set([...values.map(String), ...chosen])]
  const toggle = (value: string) =>
    onChange(formatLines(all.filter(each => (each === value ? !chosen.includes(each) : chosen.includes(each)))))
  return (
    <fieldset
      id={id}
      aria-labelledby={`${id}-label`}
      aria-describedby={field['aria-describedby']}
      className="flex flex-wrap gap-x-4 gap-y-1"
    >
      {all.map(value => (
        <Checkbox key={value} label={value} checked={chosen.includes(value)} onChange={() => toggle(value)} />
      ))}
    </fieldset>
  )
}
