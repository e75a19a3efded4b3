import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useChange } from '../api/change.ts'
import { queries } from '../api/queries.ts'
import { Button, LinkButton, Spinner } from '../parts/button.tsx'
import { FailureNote } from '../parts/states.tsx'
import { SignInFrame } from './sign-in-frame.tsx'

const route = getRouteApi('/sign-in/openid')

/**
 * The page to which the provider redirects. It sends the parameters of its address to the API once, and forgets them.
 */
export function OpenIdPage() {
  const brought = route.useLoaderData()
  const isSent = useRef(false)
  const signIn = useChange('signIn', {
    rereads: [],
    showsFailure: true,
    onDone: () => {
      queries.clear()
      location.assign(answer.data?.data.from ?? '/admin/')
    },
  })
  const choose = (team: string) => signIn.mutate({ body: { openid: { team } } })
  const answer = useChange('answerOpenId', {
    rereads: [],
    showsFailure: true,
    onDone: ({ data }) => {
      const [only, ...others] = data.teams
      if (only && others.length === 0) choose(only.shortId)
    },
  })
  const { mutate } = answer
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname)
    if (isSent.current || 'problem' in brought) return
    isSent.current = true
    mutate({ body: brought })
  }, [brought, mutate])
  const error = 'problem' in brought ? new Error(brought.problem) : (answer.error ?? signIn.error)
  const teams = answer.data?.data.teams ?? []
  return (
    <SignInFrame title={teams.length > 1 && !error ? 'Which team?' : 'Sign in to Caseworker'}>
      {error ? (
        <>
          <FailureNote error={error} />
          <LinkButton to="/sign-in" tone="main">
            Back to the sign-in
          </LinkButton>
        </>
      ) : teams.length > 1 ? (
        <ul className="flex flex-col gap-2">
          {teams.map(({ shortId, name }) => (
            <li key={shortId} className="flex flex-col">
              <Button
                isPending={signIn.isPending && signIn.variables.body.openid?.team === shortId}
                disabled={signIn.isPending || signIn.isSuccess}
                onClick={() => choose(shortId)}
              >
                <span className="truncate">{name}</span> <code className="text-xs text-ink-2">{shortId}</code>
              </Button>
            </li>
          ))}
        </ul>
      ) : (
        <p role="status" className="flex items-center gap-2 text-ink-2">
          <Spinner /> Signing in …
        </p>
      )}
    </SignInFrame>
  )
}
