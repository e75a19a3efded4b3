import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { Button } from '../parts/button.tsx'
import { Field, TextInput } from '../parts/field.tsx'
import { FailureNote } from '../parts/states.tsx'

/** A cookie takes it to the provider and back. */
const FROM_CHARACTERS_MAX = 2_000

/** To the OpenID provider, and from there to `openid-page.tsx`. */
export function ByOpenId({ name, from }: { name: string; from: string }) {
  const begin = useMutation({
    mutationFn: () => api.session.beginOpenId(from.length > FROM_CHARACTERS_MAX ? {} : { from }),
    onSuccess: ({ url }) => location.assign(url),
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
export function ByAccess({ isPending, onChosen }: ByAccessProps) {
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
