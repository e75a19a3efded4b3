import { Checkbox, Field, Select } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { type Draft, keyHint } from './draft.ts'
import { withCompletedState } from './draft-changes.ts'
import type { DraftFieldsProps } from './form-fields.ts'

/** What a phone number may be in; others stay if they were chosen. */
const NUMBER_TYPES: readonly string[] = ['phone', 'string', 'text']

const optionsOf = (parts: readonly { key: string; name: string; shortId: string }[]) =>
  parts.map(({ key, name, shortId }) => ({ value: key, label: name || shortId }))

/** Which state and attribute has a special part, and what is kept besides. */
export function RoleFields({ draft, onChange, faultOf }: DraftFieldsProps) {
  const states = optionsOf(draft.states)
  const attributes = optionsOf(draft.attributes)
  const numbers = optionsOf(
    draft.attributes.filter(({ key, type }) => NUMBER_TYPES.includes(type) || key === draft.phoneAttribute),
  )
  const role = (field: keyof Draft, label: string, hint: string, options: typeof states, none?: string) => (
    <Field label={label} hint={hint} error={faultOf(`/body/${field}`)}>
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
        {role('startState', 'Start state', 'The state of a new process.', states)}
        {role('completedState', 'Completed state', 'Where a process goes when it is completed.', states)}
        {role('primaryKey', 'Primary key', keyHint(draft), attributes, 'None')}
        {role('phoneAttribute', 'Phone number', 'It receives the messages.', numbers, 'That of the customer')}
        <Checkbox
          label="Refuse attributes that are not declared"
          checked={draft.strict}
          onChange={({ target }) => onChange({ ...draft, strict: target.checked })}
        />
      </div>
    </Card>
  )
}
