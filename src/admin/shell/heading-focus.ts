import { useRouterState } from '@tanstack/react-router'
import { type RefObject, useEffect } from 'react'

/** The address whose heading had its turn, and that heading. */
let arrivedAt: string | undefined
let reached: HTMLElement | null = null

/** Returns whether the focused element is on the present page, or in a dialog above it. */
const isInUse = (element: Element | null): boolean =>
  element !== null && element.closest('main *, [role="dialog"], [role="alertdialog"]') !== null

/**
 * Another page: the keys and what is read aloud go on at its heading, because the link that led there is gone, or stands in
 * the menu. What took the focus itself, such as the first field of a form, keeps it. A page that is loaded begins as any other.
 */
export function useHeadingFocus(heading: RefObject<HTMLElement | null>): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname })
  useEffect(() => {
    if (path === undefined) return
    const isLoaded = arrivedAt === undefined
    // Headings that were there during loading are replaced once the page is read.
    const wasRedrawn = reached !== null && !reached.isConnected
    if (path === arrivedAt && !wasRedrawn) return
    arrivedAt = path
    if (isLoaded || isInUse(document.activeElement)) return
    reached = heading.current
    reached?.focus({ preventScroll: true })
  }, [path, heading])
}
