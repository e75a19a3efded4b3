import { useEffect, useSyncExternalStore } from 'react'
import { goToSignIn } from './sign-in-address.ts'

/** The channel by which the windows of one browser report that somebody has signed in or out. */
const CHANNEL = 'caseworker-session'
type SessionNews = 'signed in' | 'signed out'

let isEnded = false
let hasTyped = false
const listeners = new Set<() => void>()

function setEnded(now: boolean): void {
  isEnded = now
  for (const listener of listeners) listener()
}

/**
 * Ends the session in the page, since nothing more can be read. Typed text stays on the page; without any, the sign-in
 * is shown.
 */
export function endSession(): void {
  if (hasTyped) setEnded(true)
  else goToSignIn()
}

export const resumeSession = (): void => setEnded(false)

export const useSessionHasEnded = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isEnded,
  )

export function notifyOtherWindows(news: SessionNews): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(news)
  channel.close()
}

/** Tells other windows that somebody is signed in here, and hears the same from them. */
export function useOtherWindows(onNews: (news: SessionNews) => void): void {
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<SessionNews>) => onNews(data)
    return () => channel.close()
  }, [onNews])
}

const isSearch = ({ target }: Event): boolean => target instanceof HTMLInputElement && target.type === 'search'

/** Stores whether something was typed since the page was opened, which is lost when the page is left. */
export function useTyped(path: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page begins with nothing typed
  useEffect(() => {
    hasTyped = false
    const note = (event: Event) => {
      if (!isSearch(event)) hasTyped = true
    }
    document.addEventListener('input', note)
    return () => document.removeEventListener('input', note)
  }, [path])
}
