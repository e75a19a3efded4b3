import type { Template } from 'caseworker'
import { Field, Select, TextInput } from '../field.tsx'
import { Empty } from '../states.tsx'

interface TemplateFieldProps {
  /** The templates that the provider has approved. */
  offered: readonly Template[]
  chosen: string
  onChoose: (id: string) => void
}

/** A choice of the template to send. */
export function TemplateField({ offered, chosen, onChoose }: TemplateFieldProps) {
  if (offered.length === 0)
    return (
      <Empty icon="message" title="No approved template">
        Templates are approved by the provider, then synced on the page of the plugin.
      </Empty>
    )
  const options = offered.map(({ id, name, language }) => ({ value: id, label: `${name} (${language})` }))
  return (
    <Field label="Template">
      {field => (
        <Select
          {...field}
          required
          value={chosen}
          onChange={({ target }) => onChoose(target.value)}
          options={[{ value: '', label: 'Choose …' }, ...options]}
        />
      )}
    </Field>
  )
}

export const UnfillableNote = ({ reason }: { reason: string }) => (
  <p className="text-warn">This page can’t fill it: {reason}. Programs can send it by the API.</p>
)

interface HeaderFileFieldProps {
  address: string
  onChange: (address: string) => void
}

/** The file that the header of a template shows. */
export const HeaderFileField = ({ address, onChange }: HeaderFileFieldProps) => (
  <Field label="Address of the file in the header" hint="https, and public">
    {field => (
      <TextInput {...field} type="url" required value={address} onChange={({ target }) => onChange(target.value)} />
    )}
  </Field>
)
