import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect } from 'react'
import { call } from '../../api/client.ts'
import { me, useMe } from '../../api/me.ts'
import { useAttendance } from './attended.ts'
import { notifyOtherWindows, resumeSession, useOtherWindows, useSessionHasEnded } from './session-end.ts'

/** This is not part of the first view, where nobody needs it. */
const SessionEnded = lazy(async () => ({ default: (await import('./session-ended.tsx')).SessionEnded }))

/** Follows what becomes of the session in other windows, and says when it has ended while something was typed here. */
export function SessionWatch() {
  const isEnded = useSessionHasEnded()
  const own = useMe()
  const queries = useQueryClient()
  const look = useCallback(async () => {
    const now = await call('getMe', {}).catch(() => undefined)
    if (!now) return
    const isSame = now.data.user.id === own.user.id && now.data.team.id === own.team.id
    // Somebody else's page must not stay.
    if (!isSame) return location.reload()
    queries.setQueryData(me.queryKey, now)
    resumeSession()
  }, [own, queries])
  useOtherWindows(look)
  useAttendance()
  useEffect(() => notifyOtherWindows('signed in'), [])
  return <Suspense fallback={null}>{isEnded && <SessionEnded />}</Suspense>
}
