import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement } from 'react'
import { Icon, type IconName } from './icon.tsx'

export interface MenuItem {
  label: string
  icon?: IconName
  act: () => void
  isDanger?: boolean
}

/** A button that opens a list of actions. `false` items are left out: those that the reader may not do. */
export function Menu({ trigger, items }: { trigger: ReactElement; items: readonly (MenuItem | false)[] }) {
  const shown = items.filter(item => item !== false)
  if (shown.length === 0) return null
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="max-h-(--available-height) min-w-44 overflow-y-auto rounded-md border border-line bg-surface p-1 shadow-xl outline-none">
            {shown.map(item => (
              <Base.Item
                key={item.label}
                onClick={item.act}
                className={`flex items-center gap-2 rounded px-2 py-1.5 text-[13px] outline-none select-none data-highlighted:bg-hover ${item.isDanger ? 'text-bad' : ''}`}
              >
                {item.icon && <Icon name={item.icon} />}
                {item.label}
              </Base.Item>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
