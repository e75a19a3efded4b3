import { CaseworkerError } from 'caseworker'
import {
  createContext,
  type FocusEvent,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { isTyping } from '../shell/typing.ts'
import { RequestLink } from './author/links.tsx'
import { Button, IconButton } from './button.tsx'
import { toFailure } from './failure.ts'
import { Icon } from './icon.tsx'

interface Undo {
  label: string
  act: () => void
}

interface Toast {
  id: number
  title: string
  more?: string | undefined
  requestId?: string | undefined
  isBad: boolean
  /** The time for which a toast stays; null until it is closed, since the reader needs time for an error. */
  forMs: number | null
  undo?: Undo
}

interface Toasts {
  showToast: (title: string, undo?: Undo) => void
  showFailure: (error: unknown) => void
}

const DONE_MS = 5_000
const UNDO_MS = 12_000
const FAILED_MS = 12_000
const AT_ONCE_MAX = 4

/** Returns the toasts without older offers of an undo: an earlier change may no longer be the present state. */
const withoutOldUndo = (added: Omit<Toast, 'id'>, toasts: readonly Toast[]) =>
  added.undo ? toasts.filter(({ undo }) => undo === undefined) : toasts

const ToastsContext = createContext<Toasts | null>(null)

/** Shows toasts at the edge of the page: that something is done, or why it failed. */
export function useToasts(): Toasts {
  const given = useContext(ToastsContext)
  if (!given) throw new Error('outside of ToastsProvider')
  return given
}

export function ToastsProvider({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([])
  const add = useCallback(
    (toast: Omit<Toast, 'id'>) =>
      setToasts(now => [
        ...withoutOldUndo(toast, now).slice(1 - AT_ONCE_MAX),
        { ...toast, id: (now.at(-1)?.id ?? 0) + 1 },
      ]),
    [],
  )
  const undone = toasts.findLast(({ undo }) => undo)
  useEffect(() => {
    if (!undone) return
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || isTyping(event))
        return
      event.preventDefault()
      undone.undo?.act()
      setToasts(now => now.filter(({ id }) => id !== undone.id))
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [undone])
  const edge = useRef<HTMLElement>(null)
  const before = useRef<Element | null>(null)
  const close = useCallback((id: number) => {
    const hadFocus = edge.current?.contains(document.activeElement)
    setToasts(now => now.filter(toast => toast.id !== id))
    if (hadFocus && before.current instanceof HTMLElement) before.current.focus()
  }, [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const newest = edge.current?.querySelector<HTMLElement>('[data-toast]:last-child button')
      if (event.key !== 'F8' || !newest) return
      event.preventDefault()
      newest.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const remember = ({ relatedTarget }: FocusEvent) => {
    if (!edge.current?.contains(relatedTarget)) before.current = relatedTarget
  }
  const value = useMemo(
    (): Toasts => ({
      showToast: (title, undo) =>
        add({ title, isBad: false, forMs: undo ? UNDO_MS : DONE_MS, ...(undo ? { undo } : {}) }),
      showFailure: error => {
        const { title, hint, requestId } = toFailure(error)
        const isOurs = error instanceof CaseworkerError && (error.status >= 500 || error.status === 0)
        add({ title, more: hint, requestId, isBad: true, forMs: isOurs ? FAILED_MS : null })
      },
    }),
    [add],
  )
  return (
    <ToastsContext value={value}>
      {children}
      <section
        ref={edge}
        aria-label="Notes: F8"
        // A live region is read aloud also while a dialog is open, which hides the rest of the page.
        aria-live="polite"
        aria-relevant="additions"
        onFocus={remember}
        className="fixed right-4 bottom-4 z-50 flex w-[min(26rem,calc(100vw-2rem))] flex-col gap-2"
      >
        {toasts.map(toast => (
          <ToastCard key={toast.id} toast={toast} onClose={close} />
        ))}
      </section>
    </ToastsContext>
  )
}

function ToastCard({
  toast: { id, title, more, requestId, isBad, forMs, undo },
  onClose,
}: {
  toast: Toast
  onClose: (id: number) => void
}) {
  const [isHeld, setHeld] = useState(false)
  useEffect(() => {
    if (forMs === null || isHeld) return
    const timer = setTimeout(() => onClose(id), forMs)
    return () => clearTimeout(timer)
  }, [forMs, isHeld, id, onClose])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only stays while its buttons are used
    <div
      data-toast
      role={isBad ? 'alert' : 'note'}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      className="flex items-start gap-3 rounded-card border border-line-strong bg-surface p-3 shadow-lg"
    >
      <Icon name={isBad ? 'alert' : 'check'} className={isBad ? 'mt-0.5 text-bad' : 'mt-0.5 text-good'} />
      <div className="min-w-0 flex-1 break-words">
        <p className="font-medium">{title}</p>
        {more && <p className="mt-0.5 text-ink-2">{more}</p>}
        {requestId && (
          <p className="mt-0.5 text-[13px] text-ink-2">
            Request <RequestLink id={requestId} />
          </p>
        )}
      </div>
      {undo && (
        <Button
          tone="quiet"
          title="Ctrl Z"
          aria-keyshortcuts="Control+Z"
          onClick={() => {
            undo.act()
            onClose(id)
          }}
        >
          {undo.label}
        </Button>
      )}
      <IconButton label="Close" icon="close" className="size-6!" onClick={() => onClose(id)} />
    </div>
  )
}
