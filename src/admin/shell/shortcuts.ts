import { useEffect } from 'react'
import { isTyping } from './typing.ts'

const SINGLE_KEYS = 'caseworker.single-keys'

/**
 * Returns whether shortcuts without Ctrl are on in this browser. People who use speech or a screen reader may press
 * such keys unintentionally.
 */
export function areSingleKeysOn(): boolean {
  try {
    return localStorage.getItem(SINGLE_KEYS) !== 'off'
  } catch {
    return true
  }
}

export function switchSingleKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(SINGLE_KEYS)
  else localStorage.setItem(SINGLE_KEYS, 'off')
}

/** Ctrl-K opens the palette anywhere; `/` goes to the search of the page, or opens the palette where there is none. */
export function useShortcuts(openPalette: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
      } else if (event.key === '/' && !event.ctrlKey && !event.metaKey && !isTyping(event) && areSingleKeysOn()) {
        event.preventDefault()
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
        if (search) search.focus()
        else openPalette()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [openPalette])
}
