import type { CreateUserBody, SignInLink } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { faultAt, isShownAt } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { RoleField } from '../parts/form/role-field.tsx'
import { FailureNote } from '../parts/states.tsx'

interface NewUserProps {
  onClose: () => void
  onLink: (link: SignInLink) => void
}

const FIELDS = ['username', 'email', 'firstName', 'lastName', 'role'].map(name => `/body/${name}`)

/** A username as most would choose it: the first name, or what stands before the @. */
const suggestUsername = ({ firstName, email }: { firstName: string; email: string }): string =>
  (firstName || (email.split('@')[0] ?? ''))
    .normalize('NFD')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '')

/** A person of the team, and at once the link by which they sign in. */
export function NewUser({ onClose, onLink }: NewUserProps) {
  const [typed, setTyped] = useState({ username: '', email: '', firstName: '', lastName: '' })
  const [hasOwnUsername, setOwnUsername] = useState(false)
  const given = { ...typed, username: hasOwnUsername ? typed.username : suggestUsername(typed) }
  const [role, setRole] = useState<CreateUserBody['role']>('agent')
  const link = useChange('createSignInLink', { rereads: [], onDone: ({ data }) => onLink(data) })
  const create = useChange('createUser', {
    rereads: ['listUsers', 'getConfig'],
    showsFailure: true,
    onDone: ({ data }) => {
      onClose()
      link.mutate({ path: { userId: data.id } })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const filled = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== ''))
    create.mutate({ body: { ...filled, username: given.username, role } })
  }
  const text = (name: keyof typeof given, label: string, hint?: string) => (
    <Field label={label} {...(hint === undefined ? {} : { hint })} error={faultAt(create.error, `/body/${name}`)}>
      {field => (
        <TextInput
          {...field}
          autoComplete="off"
          type={name === 'email' ? 'email' : 'text'}
          required={name === 'username'}
          value={given[name]}
          onChange={event => {
            setTyped({ ...given, [name]: event.target.value })
            if (name === 'username') setOwnUsername(event.target.value !== '')
          }}
        />
      )}
    </Field>
  )
  return (
    <Dialog
      title="Add a user"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="new-user" isPending={create.isPending}>
            Add, and make a sign-in link
          </Button>
        </>
      }
    >
      <form id="new-user" onSubmit={submit} className="flex flex-col gap-3">
        <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
          {text('firstName', 'First name')}
          {text('lastName', 'Last name')}
        </div>
        {text('email', 'E-mail')}
        {text('username', 'Username', 'How systems name them, made of the name or the address.')}
        <RoleField role={role} error={faultAt(create.error, '/body/role')} onChange={setRole} />
        {create.error && !isShownAt(create.error, FIELDS) && <FailureNote error={create.error} />}
      </form>
    </Dialog>
  )
}
