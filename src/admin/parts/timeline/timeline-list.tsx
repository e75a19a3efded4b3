import { Fragment, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { FailureNote, Loading } from '../states.tsx'
import type { TimelineItem } from './merge.ts'
import type { ReadTimeline } from './use-timeline.ts'

interface TimelineListProps<Item> {
  timeline: ReadTimeline<Item>
  getKey: (item: Item) => string
  row: (placed: TimelineItem<Item>) => ReactNode
  /** Said at the end, where nothing older is kept. */
  end: ReactNode
  /** Said where there is nothing. */
  empty: ReactNode
}

/** The rows of a timeline, newest first, and the way to older ones. */
export function TimelineList<Item>({ timeline, getKey, row, end, empty }: TimelineListProps<Item>) {
  const { rows, isReading, error, onRetry, hasOlder, onOlder } = timeline
  if (rows.length === 0 && isReading) return <Loading />
  if (rows.length === 0 && !error) return empty
  return (
    <>
      {rows.length > 0 && (
        <ol className="flex flex-col">
          {rows.map(placed => (
            <Fragment key={getKey(placed.item)}>{row(placed)}</Fragment>
          ))}
        </ol>
      )}
      {error ? (
        <FailureNote error={error} onRetry={onRetry} />
      ) : hasOlder ? (
        <div className="border-t border-line p-3 text-center">
          <Button isPending={isReading} onClick={onOlder}>
            Older
          </Button>
        </div>
      ) : (
        end && <p className="border-t border-line px-4 py-3 text-[13px] text-ink-2">{end}</p>
      )}
    </>
  )
}

/** Shows one event. */
export const TimelineRow = ({ children }: { children: ReactNode }) => (
  <li className="border-b border-line px-4 py-3 last:border-0">{children}</li>
)
