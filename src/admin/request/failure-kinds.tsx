import { Link } from '@tanstack/react-router'
import type { LoggedRequest } from 'caseworker'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Time } from '../parts/time/time.tsx'
import { kindsOfFailures } from './kinds-of-failures.ts'

/** What is shown until the reader asks for all. */
const SHOWN_MAX = 6

/** The kinds of the failures that were read; each leads to its requests. */
export function FailureKinds({ requests, hasMore }: { requests: readonly LoggedRequest[]; hasMore: boolean }) {
  const kinds = kindsOfFailures(requests)
  const [isWhole, setWhole] = useState(false)
  if (kinds.length < 2) return null
  return (
    <Card title={`What failed, of ${hasMore ? 'the last ' : ''}${requests.length.toLocaleString()}`}>
      <ul className="flex flex-col gap-0.5">
        {kinds.slice(0, isWhole ? kinds.length : SHOWN_MAX).map(({ key, operation, status, code, count, latest }) => (
          <li key={key}>
            <Link
              to="/request"
              search={{ status: String(status), ...(operation === null ? {} : { operation }) }}
              className="-mx-2 flex items-baseline gap-3 rounded-md px-2 py-1 hover:bg-hover"
            >
              <b className="min-w-10 text-right font-semibold">{count.toLocaleString()}</b>
              <span className="min-w-0 flex-1 truncate">
                {operation ?? 'No operation'} <span className="text-ink-2">{[status, code].join(' ')}</span>
              </span>
              <span className="text-[13px] text-ink-2">
                last <Time at={latest.createdAt} isRelative />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {!isWhole && kinds.length > SHOWN_MAX && (
        <Button className="mt-1" onClick={() => setWhole(true)}>
          {`Show all ${kinds.length} kinds`}
        </Button>
      )}
    </Card>
  )
}
