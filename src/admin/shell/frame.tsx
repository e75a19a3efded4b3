import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { type FocusEvent, type KeyboardEvent, lazy, Suspense, useEffect, useRef, useState } from 'react'
import { useMay, useMe } from '../api/me.ts'
import { formatUserName } from '../api/user-name.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { useRememberProcedure } from './last-procedure.ts'
import { MENU } from './menu-entries.ts'
import { useTyped } from './session/session-end.ts'
import { SessionWatch } from './session/session-watch.tsx'
import { useShortcuts } from './shortcuts.ts'

const loadPalette = async () => ({ default: (await import('./palette.tsx')).Palette })
const Palette = lazy(loadPalette)
/** The palette is loaded after the first view: a reader who presses Ctrl-K then can type at once. */
const PALETTE_AFTER_MS = 3_000

/** Menu, search and account around each page. On a narrow screen the menu is behind a button. */
export function Frame() {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [isPaletteOpen, setPaletteOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { team } = useMe()
  useShortcuts(() => setPaletteOpen(true))
  useTyped(path)
  useEffect(() => {
    const timer = setTimeout(() => void loadPalette().catch(() => {}), PALETTE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when another page is opened
  useEffect(() => setMenuOpen(false), [path])
  const menuButton = useRef<HTMLButtonElement>(null)
  const onMenuKey = ({ key }: KeyboardEvent) => {
    if (!isMenuOpen || key !== 'Escape') return
    setMenuOpen(false)
    menuButton.current?.focus()
  }
  // The open menu covers the page: a reader who continues by Tab must see where.
  const leaveMenu = ({ currentTarget, relatedTarget }: FocusEvent) => {
    const isInMenu = currentTarget.contains(relatedTarget) || relatedTarget === menuButton.current
    if (relatedTarget && !isInMenu) setMenuOpen(false)
  }
  return (
    <div className="grid h-dvh grid-cols-1 grid-rows-[auto_1fr] md:grid-cols-[13.5rem_1fr]">
      <a href="#page" className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:bg-surface focus:p-3">
        Skip the menu
      </a>
      <header className="col-span-full flex h-12 items-center gap-2 border-b border-line bg-surface px-3">
        <IconButton
          ref={menuButton}
          onKeyDown={onMenuKey}
          label={isMenuOpen ? 'Close the menu' : 'Open the menu'}
          icon={isMenuOpen ? 'close' : 'menu'}
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          className="md:hidden!"
          onClick={() => setMenuOpen(open => !open)}
        />
        <Link to="/" className="flex min-w-0 items-center gap-2 rounded font-semibold">
          <img src="/docs/icon.svg" alt="" className="size-5" />
          <span className="truncate">{team.name}</span>
        </Link>
        <button
          type="button"
          aria-haspopup="dialog"
          aria-keyshortcuts="Control+K"
          onClick={() => setPaletteOpen(true)}
          className="ml-auto flex h-8 items-center gap-2 rounded-md border border-line-strong px-2.5 text-[13px] text-ink-2 hover:bg-hover md:mx-auto md:w-80"
        >
          <Icon name="search" />
          <span className="max-md:sr-only">Search or go to …</span>
          <kbd className="ml-auto font-mono text-[11px] text-ink-3 max-md:hidden">Ctrl K</kbd>
        </button>
        <Account />
      </header>
      <nav
        id="menu"
        aria-label="Pages"
        onKeyDown={onMenuKey}
        onBlur={leaveMenu}
        className={`overflow-y-auto border-r border-line bg-surface max-md:fixed max-md:inset-x-0 max-md:top-12 max-md:bottom-0 max-md:z-30 ${isMenuOpen ? '' : 'max-md:hidden'}`}
      >
        <PageMenu />
      </nav>
      <main id="page" tabIndex={-1} className="relative min-h-0 min-w-0 overflow-y-auto outline-none">
        <Outlet />
      </main>
      <SessionWatch />
      <Suspense fallback={null}>{isPaletteOpen && <Palette isOpen onClose={() => setPaletteOpen(false)} />}</Suspense>
    </div>
  )
}

const ENTRY = 'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-[13px] text-ink-2 hover:bg-hover hover:text-ink'
const CURRENT = { className: 'bg-accent-soft! text-ink! font-medium', 'aria-current': 'page' } as const

const toMenuId = (title: string): string => `menu-${title.replace(' ', '-')}`

function PageMenu() {
  const may = useMay()
  useRememberProcedure()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <div className="flex flex-col gap-4 p-2.5">
      {MENU.map(({ title, entries }) => {
        const shown = entries.filter(({ needs }) => may(needs))
        if (shown.length === 0) return null
        return (
          <div key={title}>
            <p id={toMenuId(title)} className="px-2.5 pb-1 text-xs font-medium text-ink-3">
              {title}
            </p>
            <ul aria-labelledby={toMenuId(title)}>
              {shown.map(({ label, icon, to, covers }) => (
                <li key={to}>
                  <Link
                    to={to}
                    {...(covers?.test(path)
                      ? { ...CURRENT, className: `${ENTRY} ${CURRENT.className}` }
                      : { className: ENTRY })}
                    activeProps={CURRENT}
                    activeOptions={{ exact: to === '/' || covers !== undefined, includeSearch: false }}
                  >
                    <Icon name={icon} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </div>
  )
}

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const NAMES: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' }

/** Shows the signed-in user, and the theme. */
function Account() {
  const { user, role } = useMe()
  const [theme, choose] = useTheme()
  return (
    <div className="flex items-center gap-1">
      <IconButton
        label={`Theme: ${NAMES[theme]}`}
        icon={theme === 'dark' ? 'moon' : 'sun'}
        onClick={() => choose(NEXT[theme])}
      />
      <Link
        to="/me"
        className="flex h-8 items-center gap-1.5 rounded-md px-1.5 text-[13px] text-ink-2 hover:bg-hover hover:text-ink"
      >
        <Icon name="user" />
        <span className="max-w-40 truncate max-sm:sr-only" title={role.name}>
          {formatUserName(user)}
        </span>
      </Link>
    </div>
  )
}

type Theme = 'system' | 'light' | 'dark'

/** The same choice as in the documentation: `/docs/theme.js` reads it before a page is drawn. */
const KEY = 'theme'

const chosen = (): Theme => {
  const stored = localStorage.getItem(KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

function useTheme(): [Theme, (theme: Theme) => void] {
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
