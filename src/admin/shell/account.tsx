import { Link } from '@tanstack/react-router'
import { useMe } from '../api/me.ts'
import { formatUserName } from '../api/user-name.ts'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { type Theme, useTheme } from './theme.ts'

const NEXT: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' }
const NAMES: Record<Theme, string> = { system: 'as the system', light: 'light', dark: 'dark' }

/** Shows the signed-in user, and the theme. */
export function Account() {
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
