import { useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'

const KEY = 'caseworker.procedure'
const OF_PROCEDURE = /^\/procedure\/([^/]+)/

/** Remembers the procedure that is worked on, so that the menu leads back to its processes. */
export function useRememberProcedure(): void {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const shortId = OF_PROCEDURE.exec(path)?.[1]
  useEffect(() => {
    if (shortId === undefined || shortId === 'new') return
    try {
      localStorage.setItem(KEY, decodeURIComponent(shortId))
    } catch {
      // A browser that keeps nothing: the menu leads to the first procedure.
    }
  }, [shortId])
}

/** The one that was worked on last in this browser, if any. */
export function lastProcedure(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
