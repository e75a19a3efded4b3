import { Popover as Base } from '@base-ui/react/popover'
import type { ReactElement, ReactNode } from 'react'

interface PopoverProps {
  /** The button that opens it. */
  trigger: ReactElement
  /** The name of the popover, for screen readers. */
  label: string
  children: ReactNode
  align?: 'start' | 'end'
  /** Control of the popover by its parent, such as for a dialog that one of its choices opens. */
  opened?: { isOpen: boolean; onChange: (isOpen: boolean) => void }
}

/** Something small beside its button: choices of which several may be made. It closes by Esc and by a click elsewhere. */
export function Popover({ trigger, label, children, align = 'start', opened }: PopoverProps) {
  return (
    <Base.Root {...(opened && { open: opened.isOpen, onOpenChange: opened.onChange })}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup
            aria-label={label}
            className="max-h-[min(24rem,70dvh)] min-w-44 overflow-y-auto rounded-md border border-line bg-surface p-2 text-[13px] shadow-xl outline-none"
          >
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
