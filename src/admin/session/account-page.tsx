import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Passkey, Session } from 'caseworker'
import { type FormEvent, useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { read } from '../api/read.ts'
import { formatUserName } from '../api/user-name.ts'
import { Badge } from '../parts/badge.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Copyable } from '../parts/code.tsx'
import { Dialog, Question } from '../parts/dialog.tsx'
import { Checkbox, Field, TextInput } from '../parts/field.tsx'
import { describePermissions } from '../parts/form/role-text.ts'
import { Icon } from '../parts/icon.tsx'
import { Card, Facts, Page } from '../parts/page.tsx'
import { Empty, FailureNote, Loaded } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { notifyOtherWindows } from '../shell/session/session-end.ts'
import { areSingleKeysOn, switchSingleKeys } from '../shell/shortcuts.ts'
import { formatAgent } from './agent-text.ts'
import { hasPasskeys, makePasskey } from './passkey.ts'
import { SessionList } from './session-list.tsx'

/** Shows one's own account: the user, the ways to sign in, the sessions, and signing out. */
export function AccountPage() {
  const { user, role, team, permissions } = useMe()
  const signOut = useChange('signOut', {
    rereads: [],
    onDone: () => {
      notifyOtherWindows('signed out')
      location.assign('/admin/sign-in')
    },
  })
  return (
    <Page
      title={formatUserName(user)}
      mark={<Badge>{role.name}</Badge>}
      actions={
        <Button icon="out" isPending={signOut.isPending} onClick={() => signOut.mutate({})}>
          Sign out
        </Button>
      }
    >
      <div className="grid grid-cols-1 gap-4 lg:grid-cols-2">
        <Card title="You">
          <Facts
            facts={[
              ['Username', user.username],
              ['E-mail', user.email],
              ['Role', role.name],
              ['What you may do', describePermissions(permissions)],
              ['Team', team.name],
              ['Id', <Copyable key="id" text={user.id} />],
            ]}
          />
        </Card>
        <Passkeys />
        <KeysCard />
      </div>
      <section aria-labelledby="signed-in" className="flex flex-col gap-2">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h2 id="signed-in" className="font-semibold">
            Where you are signed in
          </h2>
          <EndOthers user={user.id} />
        </div>
        <SessionList user={user.id} />
      </section>
    </Page>
  )
}

const LIMIT = 100

const othersIn = ({ data }: { data: readonly Session[] }) => data.filter(({ isCurrent }) => !isCurrent)

/** Ends all sessions of a user but this one: after a device was lost. Nothing is shown where there is no other. */
function EndOthers({ user }: { user: string }) {
  const [isAsked, setAsked] = useState(false)
  const queries = useQueryClient()
  const { showToast, showFailure } = useToasts()
  const query = { limit: LIMIT, user }
  const sessions = useQuery(read('listSessions', { query })).data
  const others = sessions ? othersIn(sessions) : []
  const end = useMutation({
    mutationFn: async () => {
      // A page has at most this number; ended sessions are not in the next one.
      for (let left = others; left.length > 0; left = othersIn(await call('listSessions', { query })))
        for (const { id } of left) await call('endSession', { path: { sessionId: id } })
    },
    onSuccess: () => showToast('You are signed in here only: everywhere else it ends within 30 seconds'),
    onError: showFailure,
    onSettled: () => {
      setAsked(false)
      return queries.invalidateQueries({ queryKey: ['listSessions'] })
    },
  })
  const ask = () => setAsked(true)
  usePageActions([others.length > 0 && { label: 'Sign out everywhere else …', icon: 'out', isDanger: true, act: ask }])
  if (others.length === 0) return null
  return (
    <>
      <Button icon="out" onClick={ask}>
        Sign out everywhere else …
      </Button>
      <Question
        title="Sign out everywhere else?"
        confirm="End the others"
        isOpen={isAsked}
        isPending={end.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() => end.mutate()}
      >
        Whoever uses them has to sign in again, and loses what is not saved. If a device was lost, remove its passkey as
        well. API keys go on.
      </Question>
    </>
  )
}

const KEYS = [
  ['Ctrl K', 'Search, or go to any page'],
  ['/', 'The search of the page'],
  ['j, k', 'The next row, the one before; Enter opens it'],
  ['x', 'Selects the row; with Shift, all from the one before'],
  ['.', 'To what can be done with the selected rows'],
  ['Ctrl Z', 'Puts the last change back, as long as that is offered'],
  ['F8', 'The newest note at the edge of the page'],
  ['Esc', 'Closes what is open'],
] as const

/** Lists the keyboard shortcuts, with a switch for those of a single letter. */
function KeysCard() {
  const [isOn, setOn] = useState(areSingleKeysOn)
  return (
    <Card title="Keyboard">
      <Facts facts={KEYS} />
      <Checkbox
        label="Single letters, / and . do something, too, in this browser"
        className="mt-3"
        checked={isOn}
        onChange={({ target }) => {
          switchSingleKeys(target.checked)
          setOn(target.checked)
        }}
      />
    </Card>
  )
}

/** Lists one's passkeys, which a device or a password manager keeps, and which are useless to a phisher. */
function Passkeys() {
  const { user } = useMe()
  const passkeys = useQuery(read('listPasskeys', { query: { user: user.id } }))
  const [isAdding, setAdding] = useState(false)
  const add = hasPasskeys && (
    <Button icon="plus" onClick={() => setAdding(true)}>
      Add a passkey
    </Button>
  )
  return (
    <Card title="Passkeys" actions={add}>
      <Loaded query={passkeys} lines={2}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon="key" title="No passkey yet">
              A passkey signs you in with your finger, face or device PIN. Without one, you need a new sign-in link each
              time.
            </Empty>
          ) : (
            <ul className="flex flex-col gap-2">
              {data.map(passkey => (
                <PasskeyRow key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isAdding && <NewPasskey onClose={() => setAdding(false)} />}
    </Card>
  )
}

function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const [isAsked, setAsked] = useState(false)
  const remove = useChange('deletePasskey', { rereads: ['listPasskeys'], onDone: () => setAsked(false) })
  return (
    <li className="flex items-center gap-3">
      <Icon name="key" className="text-ink-3" />
      <div className="min-w-0 flex-1">
        <p className="truncate font-medium">{passkey.name}</p>
        <p className="text-[13px] text-ink-2">
          Added <Time at={passkey.createdAt} isRelative />
          {passkey.lastUsedAt !== null && (
            <>
              , last used <Time at={passkey.lastUsedAt} isRelative />
            </>
          )}
        </p>
      </div>
      <IconButton label={`Remove ${passkey.name}`} icon="trash" onClick={() => setAsked(true)} />
      <Question
        title={`Remove ${passkey.name}?`}
        confirm="Remove"
        isOpen={isAsked}
        isPending={remove.isPending}
        onClose={() => setAsked(false)}
        onConfirm={() => remove.mutate({ path: { passkeyId: passkey.id } })}
      >
        Nobody signs in with it any more. Sessions that it began go on until they are ended below.
      </Question>
    </li>
  )
}

function NewPasskey({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState(() => formatAgent(navigator.userAgent))
  const add = useChange('addPasskey', {
    rereads: ['listPasskeys'],
    showsFailure: true,
    done: 'The passkey is added',
    onDone: onClose,
  })
  const make = useMutation({
    mutationFn: makePasskey,
    onSuccess: passkey => passkey && add.mutate({ body: { name, passkey } }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate()
  }
  const error = make.error ?? add.error
  return (
    <Dialog
      title="Add a passkey"
      isOpen
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="main" type="submit" form="new-passkey" isPending={make.isPending || add.isPending}>
            Add
          </Button>
        </>
      }
    >
      <form id="new-passkey" onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Name" hint="So that you know it again. The browser asks where to keep it next.">
          {field => <TextInput {...field} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        {error && <FailureNote error={error} />}
      </form>
    </Dialog>
  )
}
