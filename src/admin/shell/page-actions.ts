import { useEffect, useState } from 'react'
import type { IconName } from '../parts/icon.tsx'

/** An action of a page. A destructive one asks first, as its button does. */
export interface PageAction {
  label: string
  icon: IconName
  act: () => void
  isDanger?: boolean
  /** True for one of many, such as each user: it is offered once something is typed. */
  isOnlyTyped?: boolean
}

const offered = new Map<object, readonly PageAction[]>()

/** Offers actions in the palette as long as the part of the page is there that has them. `false`: the reader may not. */
export function usePageActions(actions: readonly (PageAction | false)[]): void {
  const [part] = useState(() => ({}))
  // The actions are registered after each rendering, since they act on what is shown.
  useEffect(() => {
    offered.set(
      part,
      actions.filter(action => action !== false),
    )
  })
  useEffect(() => () => void offered.delete(part), [part])
}

/** Returns the actions of the present page that fit a text. */
export function pageActions(text: string, fits: (label: string, text: string) => boolean): PageAction[] {
  const isTyped = text.trim() !== ''
  return [...offered.values()].flat().filter(({ label, isOnlyTyped }) => (isTyped || !isOnlyTyped) && fits(label, text))
}
