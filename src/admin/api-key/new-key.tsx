import type { CreateApiKeyBody, IssuedApiKey } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, Select, TextInput } from '../parts/field.tsx'
import { RoleField } from '../parts/form/role-field.tsx'
import { FailureNote } from '../parts/states.tsx'

interface NewKeyProps {
  isOpen: boolean
  onClose: () => void
  onIssued: (issued: IssuedApiKey) => void
}

const DAY_MS = 24 * 3_600_000
const LIVES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]
const FIELDS = ['/body/name', '/body/role', '/body/description']

export function NewKey({ isOpen, onClose, onIssued }: NewKeyProps) {
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [role, setRole] = useState<CreateApiKeyBody['role']>('agent')
  const [days, setDays] = useState('')
  // The time at which the reader chose, not that of sending: a repeated request stays the same.
  const [chosenAt, setChosenAt] = useState(0)
  const create = useChange('createApiKey', {
    rereads: ['listApiKeys'],
    showsFailure: true,
    onDone: ({ data }) => {
      onClose()
      setName('')
      setDescription('')
      setDays('')
      onIssued(data)
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const expiresAt = days === '' ? null : chosenAt + Number(days) * DAY_MS
    create.mutate({ body: { name, description, role, expiresAt } })
  }
  return (
    <Dialog
      title="New API key"
      isOpen={isOpen}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="new-key" isPending={create.isPending}>
            Create the key
          </Button>
        </>
      }
    >
      <form id="new-key" onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" hint="What the key is for: “CRM import”." error={faultAt(create.error, '/body/name')}>
          {field => <TextInput {...field} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={faultAt(create.error, '/body/description')}>
          {field => <TextInput {...field} value={description} onChange={event => setDescription(event.target.value)} />}
        </Field>
        <RoleField role={role} error={faultAt(create.error, '/body/role')} onChange={setRole} />
        <Field label="Expires">
          {field => (
            <Select
              {...field}
              value={days}
              onChange={event => {
                setDays(event.target.value)
                setChosenAt(Date.now())
              }}
              options={LIVES}
            />
          )}
        </Field>
        {create.error && !isShownAt(create.error, FIELDS) && <FailureNote error={create.error} />}
      </form>
    </Dialog>
  )
}
