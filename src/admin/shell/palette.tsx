import { Dialog } from '@base-ui/react/dialog'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { type Destination, fits, useDestinations } from './destinations.ts'
import { type PageAction, pageActions } from './page-actions.ts'

interface PaletteProps {
  isOpen: boolean
  onClose: () => void
}

/** Ctrl-K: what can be done here, any page, and what has an id: typed or pasted. */
export function Palette({ isOpen, onClose }: PaletteProps) {
  // After a navigation the focus goes to the new page, otherwise back to where it was.
  const isLeft = useRef(false)
  const [before] = useState(() => (document.activeElement instanceof HTMLElement ? document.activeElement : null))
  return (
    <Dialog.Root open={isOpen} onOpenChange={open => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup
          finalFocus={() => (isLeft.current ? document.querySelector<HTMLElement>('main h1') : before)}
          className="fixed top-[12dvh] left-1/2 short:top-[4dvh] z-40 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-card border border-line bg-surface shadow-2xl"
        >
          <Dialog.Title className="sr-only">Search or go to</Dialog.Title>
          {isOpen && (
            <Finder
              onChoose={() => {
                isLeft.current = true
                onClose()
              }}
            />
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface PaletteAction
  extends Pick<Destination, 'key' | 'label' | 'kind' | 'icon'>,
    Pick<PageAction, 'act' | 'isDanger'> {}

const listActions = (text: string): PaletteAction[] =>
  pageActions(text, fits).map(action => ({ ...action, key: `action ${action.label}`, kind: 'On this page' }))

function Finder({ onChoose }: { onChoose: () => void }) {
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const found = [...listActions(text), ...useDestinations(text)]
  const navigate = useNavigate()
  const open = (chosen: PaletteAction | Destination) => {
    onChoose()
    // A question of the action takes the focus once the palette has given it back.
    if ('act' in chosen) setTimeout(chosen.act)
    else void navigate({ href: chosen.href })
  }
  useEffect(() => {
    document.getElementById(`found-${active}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setActive(now => Math.min(found.length - 1, Math.max(0, now + step)))
    } else if (event.key === 'Enter') {
      const chosen = found[active]
      if (chosen) open(chosen)
    }
  }
  return (
    <>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Icon name="search" className="text-ink-3" />
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog is this field
          autoFocus
          type="text"
          role="combobox"
          aria-expanded="true"
          aria-controls="found"
          aria-activedescendant={found[active] ? `found-${active}` : undefined}
          aria-label="Search or go to"
          placeholder="An action, a page, a name, an id …"
          value={text}
          onKeyDown={onKeyDown}
          onChange={event => {
            setText(event.target.value)
            setActive(0)
          }}
          className="h-11 flex-1 bg-transparent outline-none placeholder:text-ink-3"
        />
      </div>
      <div id="found" role="listbox" aria-label="Found" className="max-h-[min(20rem,60dvh)] overflow-y-auto p-1.5">
        {found.map((each, nth) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          <div
            key={each.key}
            id={`found-${nth}`}
            role="option"
            tabIndex={-1}
            aria-selected={nth === active}
            onMouseMove={() => setActive(nth)}
            onClick={() => open(each)}
            className={`flex items-center gap-2.5 rounded-md px-2.5 py-2 ${nth === active ? 'bg-accent-soft' : ''}`}
          >
            <Icon name={each.icon} className="text-ink-2" />
            <span className={`truncate ${'isDanger' in each && each.isDanger ? 'text-bad' : ''}`}>{each.label}</span>
            <span className="ml-auto truncate text-xs text-ink-3">{each.kind}</span>
          </div>
        ))}
      </div>
      <p role="status" className={found.length === 0 ? 'p-4 pt-1.5 text-ink-2' : 'sr-only'}>
        {found.length === 0 ? 'Nothing by that name.' : `${found.length} found`}
      </p>
    </>
  )
}
