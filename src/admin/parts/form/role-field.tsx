import type { CreateApiKeyBody, CreateUserBody } from 'caseworker'
import { useGrantableRoles } from '../../api/me.ts'
import { Field, Select } from '../field.tsx'
import { describePermissions } from './role-text.ts'

type Role = CreateUserBody['role'] & CreateApiKeyBody['role']

interface RoleFieldProps {
  role: Role
  error: string | undefined
  onChange: (role: Role) => void
}

/** A choice of the roles that the reader may grant, with their permissions in words. */
export function RoleField({ role, error, onChange }: RoleFieldProps) {
  const grantable = useGrantableRoles()
  return (
    <Field
      label="Role"
      hint={describePermissions(grantable.find(({ shortId }) => shortId === role)?.permissions)}
      error={error}
    >
      {field => (
        <Select
          {...field}
          value={role}
          onChange={event => onChange(event.target.value as Role)}
          options={grantable.map(each => ({ value: each.shortId, label: each.name }))}
        />
      )}
    </Field>
  )
}
