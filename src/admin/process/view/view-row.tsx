import type { SavedView } from 'caseworker'
import { useUserName } from '../../api/users.ts'
import { IconButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Menu } from '../../parts/menu.tsx'

interface ViewRowProps {
  view: SavedView
  isCurrent: boolean
  isOwn: boolean
  onOpen: () => void
  /** The actions on the view; false where the reader may not change it. */
  actions: false | { replace: () => void; rename: () => void; share: false | (() => void); remove: () => void }
}

export function ViewRow({ view, isCurrent, isOwn, onOpen, actions }: ViewRowProps) {
  const getUserName = useUserName()
  return (
    <li className="flex items-center rounded hover:bg-hover">
      <button
        type="button"
        aria-current={isCurrent ? 'true' : undefined}
        onClick={onOpen}
        className="flex min-w-0 flex-1 items-center gap-2 px-1.5 py-1.5 text-left"
      >
        <Icon name={view.layout === 'board' ? 'board' : 'list'} className="text-ink-3" />
        <span className={`truncate ${isCurrent ? 'font-medium text-accent' : ''}`}>{view.name}</span>
        {view.isShared && (
          <span className="ml-auto shrink-0 text-xs text-ink-3">{isOwn ? 'shared' : getUserName(view.createdBy)}</span>
        )}
      </button>
      {actions && (
        <Menu
          trigger={<IconButton label={`What can be done with ${view.name}`} icon="more" className="size-7!" />}
          items={[
            !isCurrent && { label: 'Replace by what is shown', icon: 'check', act: actions.replace },
            { label: 'Rename …', icon: 'edit', act: actions.rename },
            actions.share !== false && {
              label: view.isShared ? 'Stop sharing' : 'Share with the team',
              icon: 'user',
              act: actions.share,
            },
            { label: 'Delete …', icon: 'trash', isDanger: true, act: actions.remove },
          ]}
        />
      )}
    </li>
  )
}
