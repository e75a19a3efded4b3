import type { ChangeUserAccessBody, SignInLink, UserV1 } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { useConfig, useGrantableRoles, useMay, useMe } from '../api/me.ts'
import { formatUserName } from '../api/user-name.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, Question } from '../parts/dialog.tsx'
import { Field, Select } from '../parts/field.tsx'
import { describePermissions } from '../parts/form/role-text.ts'
import { Icon } from '../parts/icon.tsx'
import { Menu } from '../parts/menu.tsx'
import { beginsAnew } from './user-rules.ts'

interface UserActionsProps {
  user: UserV1
  role: string | undefined
  onLink: (link: SignInLink) => void
}

/** The name of a user, and what can be done: let in, role, deactivate. */
export function UserActions({ user, role, onLink }: UserActionsProps) {
  const may = useMay()
  const { user: own } = useMe()
  const [openDialog, setOpenDialog] = useState<'role' | 'deactivate'>()
  const close = () => setOpenDialog(undefined)
  const link = useChange('createSignInLink', { rereads: [], onDone: ({ data }) => onLink(data) })
  const name = formatUserName(user)
  const access = useChange('changeUserAccess', {
    rereads: ['listUsers', 'getConfig'],
    done: `The access of ${name} is changed`,
    onDone: close,
  })
  const isAbove = useGrantableRoles().every(({ shortId }) => shortId !== role)
  if (!may('user:write') || (role !== undefined && isAbove)) return name
  const path = { userId: user.id }
  const isOther = user.id !== own.id
  return (
    <>
      <Menu
        trigger={
          <button type="button" className="inline-flex items-center gap-1 font-medium hover:underline">
            {name}
            <Icon name="down" className="size-3 text-ink-3" />
          </button>
        }
        items={[
          user.isActive && { label: 'Create a sign-in link', icon: 'link', act: () => link.mutate({ path }) },
          isOther && user.isActive && { label: 'Change the role …', icon: 'edit', act: () => setOpenDialog('role') },
          isOther &&
            !user.isActive && {
              label: 'Activate',
              icon: 'check',
              act: () => access.mutate({ path, body: { isActive: true } }),
            },
          isOther &&
            user.isActive && {
              label: 'Deactivate …',
              icon: 'close',
              isDanger: true,
              act: () => setOpenDialog('deactivate'),
            },
        ]}
      />
      {openDialog === 'role' && (
        <RoleDialog
          name={name}
          role={role}
          isPending={access.isPending}
          onClose={close}
          onChosen={chosen => access.mutate({ path, body: { role: chosen } })}
        />
      )}
      <Question
        title={`Deactivate ${name}?`}
        confirm="Deactivate"
        isOpen={openDialog === 'deactivate'}
        isPending={access.isPending}
        onClose={close}
        onConfirm={() => access.mutate({ path, body: { isActive: false } })}
      >
        Within 30 seconds their sessions end, and the API keys that act for them are refused. What they did stays. They
        can be activated again.
      </Question>
    </>
  )
}

type Role = NonNullable<ChangeUserAccessBody['role']>

interface RoleDialogProps {
  name: string
  role: string | undefined
  isPending: boolean
  onClose: () => void
  onChosen: (role: Role) => void
}

function RoleDialog({ name, role, isPending, onClose, onChosen }: RoleDialogProps) {
  const roles = useConfig()?.roles ?? []
  const grantable = useGrantableRoles()
  const [chosen, setChosen] = useState(role ?? 'viewer')
  return (
    <Dialog
      title={`The role of ${name}`}
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" isPending={isPending} disabled={chosen === role} onClick={() => onChosen(chosen as Role)}>
            Change the role
          </Button>
        </>
      }
    >
      <Field label="Role" hint={describePermissions(roles.find(({ shortId }) => shortId === chosen)?.permissions)}>
        {field => (
          <Select
            {...field}
            value={chosen}
            onChange={event => setChosen(event.target.value)}
            options={grantable.map(each => ({ value: each.shortId, label: each.name }))}
          />
        )}
      </Field>
      {chosen !== role && beginsAnew(roles, chosen) && (
        <p className="mt-3 text-warn">
          They sign in anew: sessions, links and passkeys of before end. Create a sign-in link for them then.
        </p>
      )}
    </Dialog>
  )
}
