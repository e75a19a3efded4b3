import { type ReactNode, useEffect, useRef, useState } from 'react'

interface EditableProps {
  /** The field: its row says what it is of. */
  label: string
  children: ReactNode
  editor: (close: () => void) => ReactNode
}

/** A value of a table that becomes its own field by a click or Enter. Whoever ends the editing by a key goes on from there. */
export function Editable({ label, children, editor }: EditableProps) {
  const [isOpen, setOpen] = useState(false)
  const field = useRef<HTMLSpanElement>(null)
  const opener = useRef<HTMLButtonElement>(null)
  const comesBack = useRef(false)
  useEffect(() => {
    if (isOpen || !comesBack.current) return
    comesBack.current = false
    opener.current?.focus({ preventScroll: true })
  }, [isOpen])
  const close = () => {
    // Where the field was left, something else has the focus already.
    if (field.current?.contains(document.activeElement)) comesBack.current = true
    setOpen(false)
  }
  if (isOpen)
    return (
      <span ref={field} className="contents">
        {editor(close)}
      </span>
    )
  return (
    <button
      ref={opener}
      type="button"
      className="-mx-1.5 block w-[calc(100%+0.75rem)] min-w-6 truncate rounded px-1.5 py-0.5 [text-align:inherit] hover:bg-surface hover:outline hover:outline-line-strong"
      onClick={() => setOpen(true)}
    >
      <span className="sr-only">{`Change ${label}: `}</span>
      {children}
    </button>
  )
}
