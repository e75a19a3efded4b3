import { AlertDialog } from '@base-ui/react/alert-dialog'
import { Dialog as Base } from '@base-ui/react/dialog'
import { type ReactNode, useId, useRef, useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { TextInput } from './field.tsx'

const BACKDROP = 'fixed inset-0 z-40 bg-black/40'
const POPUP =
  'fixed left-1/2 z-40 flex max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-x-1/2 flex-col rounded-card border border-line bg-surface shadow-2xl'

interface DialogProps {
  title: string
  isOpen: boolean
  onClose: () => void
  children: ReactNode
  /** The buttons at its foot. */
  footer?: ReactNode
  /** What it does is under way: it stays, so that its outcome is seen. */
  isPending?: boolean
  size?: 'small' | 'medium' | 'large'
}

const WIDTHS = { small: 'max-w-md', medium: 'max-w-2xl', large: 'max-w-5xl' }

const FIELDS = 'form :is(input, select, textarea):enabled'

export function Dialog({ title, isOpen, isPending = false, onClose, children, footer, size = 'small' }: DialogProps) {
  const content = useRef<HTMLDivElement>(null)
  /** A form begins with its first field; a keyboard on the screen is not opened unasked. */
  const firstField = (by: string) => by === 'touch' || (content.current?.querySelector<HTMLElement>(FIELDS) ?? true)
  return (
    <Base.Root open={isOpen} onOpenChange={open => !open && !isPending && onClose()}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup
          initialFocus={firstField}
          className={`${POPUP} top-[max(1rem,10dvh)] max-h-[min(calc(100dvh-2rem),80dvh)] short:top-[4dvh] short:max-h-[92dvh] ${WIDTHS[size]}`}
        >
          <div className="flex items-center justify-between border-b border-line py-2 pr-2 pl-4">
            <Base.Title className="text-[15px] font-semibold">{title}</Base.Title>
            <Base.Close render={<IconButton label="Close" icon="close" />} />
          </div>
          <div ref={content} className="min-h-0 flex-1 overflow-y-auto p-4">
            {children}
          </div>
          {footer && <div className="flex justify-end gap-2 border-t border-line p-3">{footer}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

interface QuestionProps {
  title: string
  /** The effect, its extent, and whether it cannot be undone. */
  children: ReactNode
  /** The verb on the button: "Delete 12 processes". */
  confirm: string
  /** The label of the other button. */
  keep?: string
  /** The color of the confirming one: what destroys nothing is not red. */
  tone?: 'danger' | 'main'
  isOpen: boolean
  /** What was confirmed is under way: the question stays, so that its outcome is seen. */
  isPending?: boolean
  isDisabled?: boolean
  onClose: () => void
  onConfirm: () => void
  /** A text that must be typed to confirm an action that cannot be undone. */
  typed?: string
}

/** The question before something is destroyed or sent. */
export function Question({
  title,
  children,
  confirm,
  tone = 'danger',
  keep = tone === 'main' ? 'Cancel' : 'Keep',
  isOpen,
  isPending = false,
  isDisabled = false,
  onClose,
  onConfirm,
  typed,
}: QuestionProps) {
  const [text, setText] = useState('')
  const id = useId()
  const close = () => {
    if (isPending) return
    setText('')
    onClose()
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={open => !open && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup
          className={`${POPUP} top-[20dvh] max-h-[75dvh] max-w-md short:top-[4dvh] short:max-h-[92dvh]`}
        >
          <div className="min-h-0 overflow-y-auto p-4">
            <AlertDialog.Title className="text-[15px] font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="mt-2 text-ink-2">
              {children}
            </AlertDialog.Description>
            {typed !== undefined && (
              <label htmlFor={id} className="mt-3 block">
                Type <b>{typed}</b> to go on
                <TextInput
                  id={id}
                  value={text}
                  onChange={event => setText(event.target.value)}
                  className="mt-1"
                  autoComplete="off"
                />
              </label>
            )}
          </div>
          <div className="flex justify-end gap-2 border-t border-line p-3">
            <Button disabled={isPending} onClick={close}>
              {keep}
            </Button>
            <Button
              tone={tone}
              isPending={isPending}
              disabled={isDisabled || (typed !== undefined && text !== typed)}
              onClick={onConfirm}
            >
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  )
}
