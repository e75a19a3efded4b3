import { focusManager } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'

/**
 * Reading at intervals stops so long after the last touch, since a page would keep its session for thirty days although
 * its reader has left.
 */
const LEFT_AFTER_MS = 60 * 60_000
const LOOK_MS = 60_000
const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let isAttended = true
const listeners = new Set<() => void>()

function setAttended(now: boolean): void {
  if (now === isAttended) return
  isAttended = now
  // Reading at intervals pauses where a page has no focus, and happens at once when it has it again.
  focusManager.setFocused(now ? undefined : false)
  for (const listener of listeners) listener()
}

/** Returns whether somebody is there: a reader who does nothing counts for an hour. */
export const useIsAttended = (): boolean =>
  useSyncExternalStore(
    listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => isAttended,
  )

/** Watches for keys and pointers, once for all pages. */
export function useAttendance(): void {
  useEffect(() => {
    let touchedAt = Date.now()
    const touch = () => {
      touchedAt = Date.now()
      setAttended(true)
    }
    const timer = setInterval(() => setAttended(Date.now() - touchedAt < LEFT_AFTER_MS), LOOK_MS)
    for (const each of TOUCHES) document.addEventListener(each, touch, { passive: true })
    return () => {
      clearInterval(timer)
      for (const each of TOUCHES) document.removeEventListener(each, touch)
    }
  }, [])
}
