import { type ReactNode, useState } from 'react'
import { Button } from '../button.tsx'
import { Icon } from '../icon.tsx'

interface ShownChange {
  field: string
  from: unknown
  to: unknown
}

interface ChangeListProps {
  changes: readonly ShownChange[]
  getLabel: (field: string) => string
  shown: (field: string, value: unknown) => ReactNode
  /** True for a creation, which has no values before. */
  isCreation?: boolean
}

/** A creation lists every value: the first say what it was. */
const CHANGES_SHOWN = 6

/** Lists the changed fields with their values before and after. */
export function ChangeList({ changes, getLabel, shown, isCreation = false }: ChangeListProps) {
  const [isWhole, setWhole] = useState(changes.length <= CHANGES_SHOWN + 1)
  return (
    <>
      <dl className="mt-2 grid grid-cols-[minmax(0,8rem)_minmax(0,1fr)] gap-x-4 gap-y-1 text-[13px] sm:grid-cols-[minmax(0,11rem)_minmax(0,1fr)]">
        {(isWhole ? changes : changes.slice(0, CHANGES_SHOWN)).map(({ field, from, to }) => (
          <div key={field} className="contents">
            <dt className="break-words text-ink-2" title={field}>
              {getLabel(field)}
            </dt>
            <dd className="flex min-w-0 flex-wrap items-baseline gap-x-2 break-words">
              {!isCreation && (
                <>
                  <span className="text-ink-2 line-through decoration-line-strong">{shown(field, from)}</span>
                  <Icon name="right" className="size-3! self-center text-ink-3" />
                  <span className="sr-only">became</span>
                </>
              )}
              <span>{shown(field, to)}</span>
            </dd>
          </div>
        ))}
      </dl>
      {!isWhole && (
        <Button tone="quiet" className="-ml-3 mt-1 h-7!" onClick={() => setWhole(true)}>
          {`And ${(changes.length - CHANGES_SHOWN).toLocaleString()} more`}
        </Button>
      )}
    </>
  )
}
