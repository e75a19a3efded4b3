import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useChange } from '../api/change.ts'
import { call } from '../api/client.ts'
import { queries } from '../api/queries.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { isCode } from '../parts/failure.ts'
import { Field, TextInput } from '../parts/field.tsx'
import { FailureNote, Loading } from '../parts/states.tsx'
import { hasPasskeys, useAskForPasskey } from './passkey.ts'
import { SignInFrame } from './sign-in-frame.tsx'

const route = getRouteApi('/sign-in')
const HOME = '/admin/'

/**
 * Signs in by a passkey, a provider, or a link. A link is used up by a click and not by opening it: mail programs open
 * links.
 */
export function SignInPage() {
  const { from = HOME } = route.useSearch()
  const [link, setLink] = useState(() => location.hash.slice(1))
  useEffect(() => {
    const takeLink = () => {
      if (location.hash === '') return
      setLink(location.hash.slice(1))
      // The secret of the link stays neither in the address nor in the history.
      history.replaceState(history.state, '', location.pathname + location.search)
    }
    takeLink()
    // A link that is put into the address of this page loads nothing anew.
    addEventListener('hashchange', takeLink)
    return () => removeEventListener('hashchange', takeLink)
  }, [])
  const signIn = useChange('signIn', {
    rereads: [],
    showsFailure: true,
    onDone: () => {
      queries.clear()
      location.assign(from)
    },
  })
  const ways = useQuery(read('listWaysToSignIn', {}))
  const ask = useAskForPasskey(passkey => signIn.mutate({ body: { passkey } }))
  const whom = useQuery({ ...read('lookAtSignInLink', { body: { link } }), enabled: link !== '' })
  const isByLink = link !== '' && !signIn.isError && !whom.isError
  const error = signIn.error ?? ask.error ?? whom.error
  const isPending = signIn.isPending || signIn.isSuccess
  const offered = ways.data?.data
  return (
    <SignInFrame title="Sign in to Caseworker">
      {isByLink && (
        <>
          {whom.isPending && <Loading lines={1} />}
          {whom.data && (
            <>
              <p className="text-ink-2">
                This link signs you in as <b className="text-ink">{whom.data.data.user}</b> of{' '}
                <b className="text-ink">{whom.data.data.team.name}</b> ({whom.data.data.team.shortId}), once, on this
                device. If you have signed in as somebody else, that ends.
              </p>
              <p className="text-ink-2">Is that not you? Then close this page: whatever you enter would be theirs.</p>
              <Button tone="main" isPending={isPending} onClick={() => signIn.mutate({ body: { link } })}>
                Sign in as {whom.data.data.user}
              </Button>
            </>
          )}
        </>
      )}
      {!isByLink && ways.isPending && <Loading lines={1} />}
      {!isByLink && offered?.passkey && hasPasskeys && (
        <Button tone="main" icon="key" isPending={ask.isPending || isPending} onClick={() => ask.mutate()}>
          Sign in with a passkey
        </Button>
      )}
      {!isByLink && offered?.openid && <ByOpenId name={offered.openid.name} from={from} />}
      {error && <FailureNote error={error} {...(whom.isError && { onRetry: whom.refetch })} />}
      {!isByLink && ways.error && <FailureNote error={ways.error} onRetry={ways.refetch} />}
      {!isByLink && offered?.access && (
        <ByAccess isPending={isPending} onChosen={team => signIn.mutate({ body: { access: { team } } })} />
      )}
      {!isByLink && !isCode(error, 'team_suspended') && (
        <p className="text-ink-2">
          {offered?.openid || offered?.access ? 'No other way in?' : 'No passkey here yet?'} You need a sign-in link. An
          admin of your team makes one under Users; whoever runs the installation, with{' '}
          <code className="text-xs">npm run team -- sign-in &lt;team&gt;</code>.
        </p>
      )}
    </SignInFrame>
  )
}

/** The limit of the address to come back to, which a cookie takes to the provider and back. */
const FROM_CHARACTERS_MAX = 2_000

/** Redirects to the OpenID provider, which leads to `openid-page.tsx`. */
function ByOpenId({ name, from }: { name: string; from: string }) {
  const begin = useMutation({
    mutationFn: () => call('beginOpenId', { body: from.length > FROM_CHARACTERS_MAX ? {} : { from } }),
    onSuccess: ({ data }) => location.assign(data.url),
  })
  return (
    <>
      <Button icon="open" isPending={begin.isPending || begin.isSuccess} onClick={() => begin.mutate()}>
        Continue with {name}
      </Button>
      {begin.error && <FailureNote error={begin.error} />}
    </>
  )
}

interface ByAccessProps {
  isPending: boolean
  onChosen: (team: string) => void
}

/** Whoever sees this page has come through Cloudflare Access already; which team is meant, it does not know. */
function ByAccess({ isPending, onChosen }: ByAccessProps) {
  const [team, setTeam] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onChosen(team.trim())
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 border-t border-line pt-4">
      <Field label="Short id of your team">
        {field => <TextInput {...field} value={team} onChange={event => setTeam(event.target.value)} required />}
      </Field>
      <Button type="submit" isPending={isPending}>
        Continue with Cloudflare Access
      </Button>
    </form>
  )
}
