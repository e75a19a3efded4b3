import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from 'caseworker'
import { useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { useMe } from '../api/me.ts'
import { read } from '../api/read.ts'
import { formatUserName } from '../api/user-name.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/code.tsx'
import { Question } from '../parts/dialog.tsx'
import { Checkbox } from '../parts/field.tsx'
import { describePermissions } from '../parts/form/role-words.ts'
import { Card, Facts, Page } from '../parts/page.tsx'
import { useToasts } from '../parts/toasts.tsx'
import { usePageActions } from '../shell/page-actions.ts'
import { notifyOtherWindows } from '../shell/session/session-end.ts'
import { areSingleKeysOn, switchSingleKeys } from '../shell/shortcuts.ts'
import { Passkeys } from './passkeys.tsx'
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
      // A page has at most so many; what was ended is not in the next one.
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
