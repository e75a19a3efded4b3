import { Link } from '@tanstack/react-router'
import { Badge } from '../parts/badge.tsx'
import { Icon } from '../parts/icon.tsx'
import { useDeed } from '../parts/job/use-deed.ts'
import { Card } from '../parts/page.tsx'
import { FailureNote, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time/time.tsx'
import { type Concern, useConcerns } from './use-concerns.ts'

/** What does not go on by itself; each leads to where it is seen to. */
export function Attention() {
  const { concerns, isReading, error } = useConcerns()
  return (
    <Card title="Needs attention">
      {concerns.length > 0 && (
        <ul className="flex flex-col gap-2.5">
          {concerns.map(concern => (
            <ConcernLine key={concern.key} concern={concern} />
          ))}
        </ul>
      )}
      {isReading && <Loading lines={3} />}
      {error && <FailureNote error={error} />}
      {!isReading && !error && concerns.length === 0 && (
        <p className="flex items-center gap-2 py-4 text-ink-2">
          <Icon name="check" className="text-good" /> Everything goes on by itself.
        </p>
      )}
    </Card>
  )
}

function ConcernLine({ concern: { mark, tone, text, job, at, link } }: { concern: Concern }) {
  const deed = useDeed(job)
  const words = job ? `${deed}: ${text}` : text
  return (
    <li className="flex items-baseline gap-2">
      <Badge tone={tone}>{mark}</Badge>
      <Link {...link} title={words} className="min-w-0 flex-1 hover:underline max-sm:line-clamp-2 sm:truncate">
        {words}
      </Link>
      {at !== null && (
        <span className="text-[13px] text-ink-2">
          <Time at={at} isRelative />
        </span>
      )}
    </li>
  )
}
