import { useState } from 'react'

export type Theme = 'system' | 'light' | 'dark'

/** The same choice as in the documentation: `/docs/theme.js` reads it before a page is drawn. */
const KEY = 'theme'

const chosen = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function useTheme(): [Theme, (theme: Theme) => void] {
  const [theme, setTheme] = useState(chosen)
  const choose = (next: Theme) => {
    if (next === 'system') {
      localStorage.removeItem(KEY)
      delete document.documentElement.dataset.theme
    } else {
      localStorage.setItem(KEY, next)
      document.documentElement.dataset.theme = next
    }
    setTheme(next)
  }
  return [theme, choose]
}
