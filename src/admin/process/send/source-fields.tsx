import type { Procedure, Template } from 'caseworker'
import { getTypeRules } from '../../parts/attribute/types.ts'
import { Field, Select, TextInput } from '../../parts/field.tsx'
import { listPlaceholderFields } from '../../parts/message/template-text.ts'
import type { Source, Sources } from './sources.ts'

const TEXT = ' text'

interface SourceFieldsProps {
  template: Template
  procedure: Procedure
  sources: Sources
  onChange: (sources: Sources) => void
}

/** The fields for the source of each placeholder's value. */
export const SourceFields = ({ template, procedure, sources, onChange }: SourceFieldsProps) =>
  listPlaceholderFields(template).map(({ key, part, name, label, example }) => (
    <SourceField
      key={key}
      label={label}
      example={example}
      procedure={procedure}
      source={sources[part][name]}
      onChange={source => onChange({ ...sources, [part]: { ...sources[part], [name]: source } })}
    />
  ))

interface SourceFieldProps {
  label: string
  example: string | undefined
  procedure: Procedure
  source: Source | undefined
  onChange: (source: Source) => void
}

function SourceField({ label, example, procedure, source, onChange }: SourceFieldProps) {
  const isText = source !== undefined && 'text' in source
  const chosen = source === undefined ? '' : 'text' in source ? TEXT : source.attribute
  return (
    <Field label={label} {...(example === undefined ? {} : { hint: `Such as “${example}”` })}>
      {field => (
        <div className="flex flex-col gap-1.5">
          <Select
            {...field}
            required
            value={chosen}
            onChange={({ target }) => onChange(target.value === TEXT ? { text: '' } : { attribute: target.value })}
            options={[
              ...(source === undefined ? [{ value: '', label: 'Choose …' }] : []),
              { value: TEXT, label: 'The same text for all' },
              ...procedure.attributes
                .filter(({ type }) => getTypeRules(type).filter !== 'presence')
                .map(({ shortId, name }) => ({ value: shortId, label: `Attribute: ${name}` })),
            ]}
          />
          {isText && (
            <TextInput
              required
              aria-label={`${label}: the text`}
              value={source.text}
              onChange={({ target }) => onChange({ text: target.value })}
            />
          )}
        </div>
      )}
    </Field>
  )
}
