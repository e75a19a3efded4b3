import { curlOf } from '../../api/curl.ts'
import { Code, Json } from '../../parts/code.tsx'
import { Dialog } from '../../parts/dialog.tsx'

interface ShownRequestProps {
  title: string
  method: string
  path: string
  body: unknown
  isOpen: boolean
  onClose: () => void
}

/** What the page asks the API: the same for a program. */
export function ShownRequest({ title, method, path, body, isOpen, onClose }: ShownRequestProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose} size="medium">
      <div className="flex flex-col gap-3">
        <p className="text-ink-2">
          <code className="font-mono">
            {method} {path}
          </code>
        </p>
        <Json value={body} label="Body" />
        <p className="text-ink-2">The same from a command line; the token is that of an API key.</p>
        <Code text={curlOf(method, path, { body })} label="Request as curl" />
      </div>
    </Dialog>
  )
}
