import type { ReactNode } from 'react'
import { RequestLink } from './author/links.tsx'
import { Button } from './button.tsx'
import { CopyButton } from './code.tsx'
import { toFailure } from './failure.ts'
import { Icon, type IconName } from './icon.tsx'

const WIDTHS = ['92%', '75%', '84%', '60%', '88%', '68%', '80%', '56%']

/** Shows grey lines in place of what is being read for the first time. */
export function Loading({ lines = 5 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Reading" className="flex flex-col gap-3 p-4">
      {WIDTHS.slice(0, lines).map(width => (
        <div key={width} className="h-4 animate-pulse rounded bg-hover" style={{ width }} />
      ))}
    </div>
  )
}

interface EmptyProps {
  icon?: IconName
  title: string
  /** What would be listed here, and how to create one. */
  children?: ReactNode
  action?: ReactNode
}

export function Empty({ icon = 'info', title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-12 text-center">
      <Icon name={icon} className="size-6 text-ink-3" />
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-md text-ink-2">{children}</div>}
      {action && <div className="mt-2 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  )
}

interface FailureNoteProps {
  error: unknown
  onRetry?: () => void
  /** The formatter of faults, such as with the names of attributes. */
  words?: Parameters<typeof toFailure>[1]
}

/** Something could not be read: why, what to do, and the id that support asks for. */
export function FailureNote({ error, onRetry, words }: FailureNoteProps) {
  const { title, hint, requestId, isFinal } = toFailure(error, words)
  return (
    <div role="alert" className="flex flex-col items-start gap-2 rounded-card border border-bad/40 bg-bad-soft p-4">
      <p className="flex items-start gap-2 font-medium break-words">
        <Icon name="alert" className="mt-0.5 text-bad" />
        {title}
      </p>
      {hint && <p className="text-ink-2">{hint}</p>}
      {requestId && (
        <p className="flex flex-wrap items-center gap-1 text-[13px] text-ink-2">
          Request <RequestLink id={requestId} />
          <CopyButton text={requestId} label="Copy the request id" />
        </p>
      )}
      {onRetry && !isFinal && (
        <Button onClick={onRetry} icon="again">
          Try again
        </Button>
      )}
    </div>
  )
}

interface ReadState<Data> {
  data: Data | undefined
  error: unknown
  refetch: () => unknown
}

/** Shows a query's data, its loading state, or its error. */
export function Loaded<Data>({
  query,
  children,
  lines,
}: {
  query: ReadState<Data>
  children: (data: Data) => ReactNode
  lines?: number
}) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <FailureNote error={query.error} onRetry={() => void query.refetch()} />
  return <Loading {...(lines === undefined ? {} : { lines })} />
}
