import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Session } from 'caseworker'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { read } from '../api/read.ts'
import { Button } from '../parts/button.tsx'
import { Question } from '../parts/dialog.tsx'
import { useNotes } from '../parts/notes.tsx'
import { usePageActions } from '../shell/page-actions.ts'

const LIMIT = 100

const othersIn = ({ data }: { data: readonly Session[] }) => data.filter(({ isCurrent }) => !isCurrent)

/** Ends all sessions of a user but this one: after a device was lost. Nothing is shown where there is no other. */
export function EndOthers({ user }: { user: string }) {
  const [isAsked, setAsked] = useState(false)
  const queries = useQueryClient()
  const { tell, tellFailure } = useNotes()
  const query = { limit: LIMIT, user }
  const sessions = useQuery(read('listSessions', { query })).data
  const others = sessions ? othersIn(sessions) : []
  const end = useMutation({
    mutationFn: async () => {
      // A page has at most so many; what was ended is not in the next one.
      for (let left = others; left.length > 0; left = othersIn(await api.call('listSessions', { query })))
        for (const { id } of left) await api.call('endSession', { path: { sessionId: id } })
    },
    onSuccess: () => tell('You are signed in here only: everywhere else it ends within 30 seconds'),
    onError: tellFailure,
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
