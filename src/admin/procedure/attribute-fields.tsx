import { useState } from 'react'
import { ATTRIBUTE_TYPES, getTypeRules, isEnumType } from '../parts/attribute/types.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox, Field, Select, TextArea } from '../parts/field.tsx'
import { Card } from '../parts/page.tsx'
import type { DraftFieldsProps } from './draft.ts'
import {
  type AttributeDraft,
  moveItem,
  newAttribute,
  renamePart,
  replaced,
  toAttributeId,
  withoutAttribute,
} from './draft.ts'
import { NameFields, PartRow } from './part-row.tsx'

const SWITCHES = [
  { field: 'required', label: 'Required' },
  { field: 'indexed', label: 'Indexed: fast filters and sorting' },
  { field: 'searchable', label: 'Searchable' },
  { field: 'personal', label: 'Personal: emptied when the customer is erased everywhere' },
] as const

export function AttributeFields({ draft, onChange, getFault }: DraftFieldsProps) {
  const { attributes } = draft
  const [added, setAdded] = useState<string>()
  const add = () => {
    const attribute = newAttribute()
    setAdded(attribute.key)
    onChange({ ...draft, attributes: [...attributes, attribute] })
  }
  const set = (attribute: AttributeDraft) => onChange({ ...draft, attributes: replaced(attributes, attribute) })
  return (
    <Card title="Attributes">
      {getFault('/body/attributes', true) && (
        <p className="mb-2 text-[13px] text-bad">{getFault('/body/attributes', true)}</p>
      )}
      <ol>
        {attributes.map((attribute, place) => {
          const faultAtField = (field: string) => getFault(`/body/attributes/${place}/${field}`)
          return (
            <PartRow
              key={attribute.key}
              label={`Attribute ${attribute.name || attribute.shortId || place + 1}`}
              isFirst={place === 0}
              isLast={place === attributes.length - 1}
              isAdded={attribute.key === added}
              onMove={by => onChange({ ...draft, attributes: moveItem(attributes, place, by) })}
              onRemove={() => onChange(withoutAttribute(draft, attribute))}
            >
              <div className="grid grid-cols-2 gap-3 lg:grid-cols-[1fr_1fr_2fr]">
                <NameFields
                  part={attribute}
                  faults={{ name: faultAtField('name'), shortId: faultAtField('shortId') }}
                  onName={name => set(renamePart(attribute, name, toAttributeId))}
                  onShortId={shortId => set({ ...attribute, shortId })}
                />
                <Field label="Type" error={faultAtField('type')}>
                  {field => (
                    <Select
                      {...field}
                      value={attribute.type}
                      options={TYPE_OPTIONS}
                      onChange={({ target }) => set({ ...attribute, type: target.value as AttributeDraft['type'] })}
                    />
                  )}
                </Field>
              </div>
              {isEnumType(attribute.type) && (
                <Field label="Values" hint="Each on a line of its own." error={faultAtField('values')}>
                  {field => (
                    <TextArea
                      {...field}
                      value={attribute.values}
                      onChange={({ target }) => set({ ...attribute, values: target.value })}
                    />
                  )}
                </Field>
              )}
              <div className="flex flex-wrap gap-x-4 gap-y-1">
                {SWITCHES.map(({ field, label }) => (
                  <Checkbox
                    key={field}
                    label={label}
                    checked={attribute[field]}
                    aria-invalid={faultAtField(field) === undefined ? undefined : true}
                    onChange={({ target }) => set({ ...attribute, [field]: target.checked })}
                  />
                ))}
              </div>
              {SWITCHES.map(({ field }) => faultAtField(field)).map(
                fault =>
                  fault && (
                    <p key={fault} className="text-[13px] text-bad">
                      {fault}
                    </p>
                  ),
              )}
            </PartRow>
          )
        })}
      </ol>
      <Button icon="plus" onClick={add}>
        Add an attribute
      </Button>
    </Card>
  )
}

/** Every type that an attribute may have, in words, and as the API calls it. */
const TYPE_OPTIONS = ATTRIBUTE_TYPES.map(value => ({ value, label: `${getTypeRules(value).words} · ${value}` }))
