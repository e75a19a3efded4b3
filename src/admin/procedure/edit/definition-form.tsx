import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { failureOf, faultAt } from '../../parts/failure.ts'
import { Field, TextInput } from '../../parts/field.tsx'
import { Card } from '../../parts/page.tsx'
import { FailureNote } from '../../parts/states.tsx'
import { AttributeFields } from './attribute-fields.tsx'
import type { Draft } from './draft.ts'
import { type DraftFieldsProps, hasField } from './form-fields.ts'
import { RoleFields } from './role-fields.tsx'
import { StateFields } from './state-fields.tsx'

interface DefinitionFormProps {
  draft: Draft
  onChange: (draft: Draft) => void
  onSubmit: () => void
  error: unknown
  /** Fields beside the name. */
  more?: (faultOf: DraftFieldsProps['faultOf']) => ReactNode
  /** The buttons at its foot. */
  children: ReactNode
}

export function DefinitionForm({ draft, onChange, onSubmit, error, more, children }: DefinitionFormProps) {
  const form = useRef<HTMLFormElement>(null)
  const { faults } = failureOf(error)
  const faultOf: DraftFieldsProps['faultOf'] = (path, isExact) => faultAt(error, path, isExact)
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
  const given = { draft, onChange, faultOf }
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
      <Card>
        <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
          <Field label="Name of the procedure" error={faultOf('/body/name')}>
            {field => (
              <TextInput
                {...field}
                required
                value={draft.name}
                onChange={({ target }) => onChange({ ...draft, name: target.value })}
              />
            )}
          </Field>
          {more?.(faultOf)}
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
