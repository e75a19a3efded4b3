import { Link, useRouterState } from '@tanstack/react-router'
import { useMay } from '../api/me.ts'
import { Icon } from '../parts/icon.tsx'
import { useRememberProcedure } from './last-procedure.ts'
import { MENU } from './menu-entries.ts'

const ENTRY = 'flex items-center gap-2.5 rounded-md px-2.5 py-1.5 text-[13px] text-ink-2 hover:bg-hover hover:text-ink'
const CURRENT = { className: 'bg-accent-soft! text-ink! font-medium', 'aria-current': 'page' } as const

const toMenuId = (title: string): string => `menu-${title.replace(' ', '-')}`

export function PageMenu() {
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
