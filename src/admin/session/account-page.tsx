import { useChange } from '../api/change.ts'
import { useMe } from '../api/me.ts'
import { nameOfUser } from '../api/user-name.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/code.tsx'
import { deedsOf } from '../parts/form/role-words.ts'
import { Card, Facts, Page } from '../parts/page.tsx'
import { tellOtherWindows } from '../shell/session/session-end.ts'
import { EndOthers } from './end-others.tsx'
import { KeysCard } from './keys-card.tsx'
import { Passkeys } from './passkeys.tsx'
import { SessionList } from './session-list.tsx'

/** One's own: who one is, how one signs in, where one is signed in, and the way out. */
export function AccountPage() {
  const { user, role, team, permissions } = useMe()
  const signOut = useChange('signOut', {
    rereads: [],
    onDone: () => {
      tellOtherWindows('signed out')
      location.assign('/admin/sign-in')
    },
  })
  return (
    <Page
      title={nameOfUser(user)}
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
              ['What you may do', deedsOf(permissions)],
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
