import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Code } from './code.tsx'
import { Dialog } from './dialog.tsx'

interface ShownOnceProps {
  title: string
  /** The kind of the secret, and why it has to be kept now. */
  note: ReactNode
  label: string
  /**
   * The secret; undefined shows nothing. It is null if the response that had it was lost: that of the retry lacks it.
   */
  secret: string | null | undefined
  /** The confirmation of the reader on the button that closes it. */
  kept: string
  children?: ReactNode
  onClose: () => void
}

/** A secret, the only time that it can be seen: it is kept nowhere in the page once this closes. */
export const ShownOnce = ({ title, note, label, secret, kept, children, onClose }: ShownOnceProps) => (
  <Dialog
    title={title}
    isOpen={secret !== undefined}
    onClose={onClose}
    size="medium"
    footer={
      <Button tone="main" onClick={onClose}>
        {kept}
      </Button>
    }
  >
    {secret === null ? (
      <p className="text-warn">
        It was created, but the answer that showed it did not arrive, and it can’t be shown again. Create another one.
      </p>
    ) : (
      <>
        <p className="mb-3 text-ink-2">{note}</p>
        <Code text={secret ?? ''} label={label} />
        {children}
      </>
    )}
  </Dialog>
)
