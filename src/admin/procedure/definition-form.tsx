import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { faultAt, toFailure } from '../parts/failure.ts'
import { Checkbox, Field, Select, TextInput } from '../parts/field.tsx'
import { Card } from '../parts/page.tsx'
import { FailureNote } from '../parts/states.tsx'
import { AttributeFields } from './attribute-fields.tsx'
import { type Draft, type DraftFieldsProps, hasField, keyHint, withCompletedState } from './draft.ts'
import { StateFields } from './state-fields.tsx'

interface DefinitionFormProps {
  draft: Draft
  onChange: (draft: Draft) => void
  onSubmit: () => void
  error: unknown
  /** Fields beside the name. */
  more?: (getFault: DraftFieldsProps['getFault']) => ReactNode
  /** The buttons at its foot. */
  children: ReactNode
}

export function DefinitionForm({ draft, onChange, onSubmit, error, more, children }: DefinitionFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const { faults } = toFailure(error)
  const getFault: DraftFieldsProps['getFault'] = (path, isExact) => faultAt(error, path, isExact)
  const areAtFields = faults.length > 0 && faults.every(({ path }) => hasField(path ?? undefined))
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error])
  const isNew = draft.states.every(({ isSaved }) => !isSaved)
  useEffect(() => {
    if (isNew) form.current?.querySelector('input')?.focus()
  }, [isNew])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  const given = { draft, onChange, getFault }
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
      <Card>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label="Name of the procedure" error={getFault('/body/name')}>
            {field => (
              <TextInput
                {...field}
                required
                value={draft.name}
                onChange={({ target }) => onChange({ ...draft, name: target.value })}
              />
            )}
          </Field>
          {more?.(getFault)}
        </div>
      </Card>
      <StateFields {...given} />
      <AttributeFields {...given} />
      <RoleFields {...given} />
      {Boolean(error) && !areAtFields && <FailureNote error={error} />}
      <div className="sticky bottom-0 z-10 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-page py-3">
        {areAtFields && (
          <p role="alert" className="text-bad">
            {`Not accepted: ${faults.length === 1 ? 'a field says' : `${faults.length} fields say`} why.`}
          </p>
        )}
        {children}
      </div>
    </form>
  )
}

/** The types of an attribute that may have a phone number; a saved choice of another type stays. */
const NUMBER_TYPES: readonly string[] = ['phone', 'string', 'text']

const toOptions = (parts: readonly { key: string; name: string; shortId: string }[]) =>
  parts.map(({ key, name, shortId }) => ({ value: key, label: name || shortId }))

/** The choice of a state or an attribute for a role; `none` is the text for no choice. */
interface RoleField {
  field: keyof Draft
  label: string
  hint: string
  options: ReturnType<typeof toOptions>
  none?: string
}

/** Chooses the states and attributes with a special role, and what is stored besides. */
function RoleFields({ draft, onChange, getFault }: DraftFieldsProps) {
  const states = toOptions(draft.states)
  const attributes = toOptions(draft.attributes)
  const numbers = toOptions(
    draft.attributes.filter(({ key, type }) => NUMBER_TYPES.includes(type) || key === draft.phoneAttribute),
  )
  const role = ({ field, label, hint, options, none }: RoleField) => (
    <Field label={label} hint={hint} error={getFault(`/body/${field}`)}>
      {props => (
        <Select
          {...props}
          value={String(draft[field] ?? '')}
          options={none === undefined ? options : [{ value: '', label: none }, ...options]}
          onChange={({ target }) =>
            onChange(
              field === 'completedState'
                ? withCompletedState(draft, target.value)
                : { ...draft, [field]: target.value === '' ? null : target.value },
            )
          }
        />
      )}
    </Field>
  )
  return (
    <Card title="Rules">
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        {role({ field: 'startState', label: 'Start state', hint: 'The state of a new process.', options: states })}
        {role({
          field: 'completedState',
          label: 'Completed state',
          hint: 'Where a process goes when it is completed.',
          options: states,
        })}
        {role({ field: 'primaryKey', label: 'Primary key', hint: keyHint(draft), options: attributes, none: 'None' })}
        {role({
          field: 'phoneAttribute',
          label: 'Phone number',
          hint: 'It receives the messages.',
          options: numbers,
          none: 'That of the customer',
        })}
        <Checkbox
          label="Refuse attributes that are not declared"
          checked={draft.strict}
          onChange={({ target }) => onChange({ ...draft, strict: target.checked })}
        />
      </div>
    </Card>
  )
}
