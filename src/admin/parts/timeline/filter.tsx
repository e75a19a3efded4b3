import { Link, type LinkProps } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import { useMay } from '../../api/me.ts'
import type { TimelineFilter } from './shown.ts'

const CHOICES: readonly { label: string; show?: TimelineFilter }[] = [
  { label: 'All' },
  { label: 'Changes', show: 'changes' },
  { label: 'Messages', show: 'messages' },
]

interface FilteredTimelineProps {
  /** The route whose address has the choice. */
  from: NonNullable<LinkProps['from']>
  /** The filter of the address. */
  chosen: TimelineFilter | undefined
  children: (shown: TimelineFilter | undefined) => ReactNode
}

/** A timeline of which all is shown, or one kind of thing; each choice is an address. Who may not read messages has no choice. */
export function FilteredTimeline({ from, chosen, children }: FilteredTimelineProps) {
  const mayMessages = useMay()('message:read')
  const shown = mayMessages ? chosen : 'changes'
  const linkTo = (show: TimelineFilter | undefined): LinkProps => ({
    from,
    search: ({ show: _, ...before }: object & { show?: TimelineFilter }) => (show ? { ...before, show } : before),
  })
  return (
    <>
      {mayMessages && (
        <nav aria-label="What is shown" className="flex gap-1 border-b border-line px-4 py-2">
          {CHOICES.map(({ label, show }) => (
            <Link
              key={label}
              {...linkTo(show)}
              className="inline-flex h-7 items-center rounded-md px-2.5 text-[13px] text-ink-2 hover:bg-hover hover:text-ink"
              activeProps={{ className: 'bg-hover text-ink! font-medium', 'aria-current': 'true' }}
              activeOptions={{ exact: true, includeSearch: true }}
            >
              {label}
            </Link>
          ))}
        </nav>
      )}
      <Fragment key={shown}>{children(shown)}</Fragment>
    </>
  )
}
