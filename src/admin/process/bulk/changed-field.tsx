import { IconButton } from '../../parts/button.tsx'
import { Checkbox, Select } from '../../parts/field.tsx'
import type { FilterField } from '../filter/fields.ts'
import { RuleValues } from '../filter/rule-values.tsx'
import type { RuleValue } from '../filter/tree.ts'
import type { FieldChange } from './field-changes.ts'

interface ChangedFieldProps {
  change: FieldChange
  fields: readonly FilterField[]
  /** Those that other lines change already. */
  taken: readonly string[]
  onChange: (change: FieldChange) => void
  onRemove?: (() => void) | undefined
}

export function ChangedField({ change, fields, taken, onChange, onRemove }: ChangedFieldProps) {
  const field = fields.find(({ id }) => id === change.field)
  if (!field) return null
  const { value } = change
  const setValue = (next: RuleValue | undefined) => onChange({ ...change, value: next })
  return (
    <div className="grid grid-cols-[1fr_auto] items-center gap-2 sm:grid-cols-[minmax(8rem,12rem)_1fr_auto_2rem]">
      <Select
        aria-label="Field to change"
        value={change.field}
        onChange={({ target }) => onChange({ field: target.value, value: undefined })}
        options={fields
          .filter(({ id }) => id === change.field || !taken.includes(id))
          .map(({ id, label }) => ({ value: id, label }))}
      />
      <div className="max-sm:col-span-2 max-sm:row-start-2">
        {value === null ? (
          <span className="text-ink-2">nothing: it is emptied</span>
        ) : field.choices ? (
          <Select
            aria-label={`New value of ${field.label}`}
            value={value === undefined ? '' : String(value)}
            onChange={({ target }) =>
              setValue(target.value === '' ? undefined : field.isNumeric ? Number(target.value) : target.value)
            }
            options={[{ value: '', label: 'Choose …' }, ...field.choices]}
          />
        ) : (
          <RuleValues
            field={field}
            operator="="
            mayBeRelative={false}
            values={value === undefined ? [] : [value]}
            onChange={([next]) => setValue(next)}
          />
        )}
      </div>
      {field.mayBeUnset ? (
        <Checkbox
          label="Empty it"
          className="text-[13px] whitespace-nowrap max-sm:row-start-3"
          checked={value === null}
          onChange={({ target }) => setValue(target.checked ? null : undefined)}
        />
      ) : (
        <span />
      )}
      {onRemove && <IconButton label={`Do not change ${field.label}`} icon="close" onClick={onRemove} />}
    </div>
  )
}
