import type { ProcessHistoryEntry } from 'caseworker'
import { Time } from '../time.tsx'
import { JobLink, KeyLink, RequestWord, SessionLink, UserLink } from './links.tsx'

interface AuthorProps {
  by: ProcessHistoryEntry['by']
  at: number
  version?: number
}

/** Shows who changed something, by which means and when, each as a link. */
export function Author({ by, at, version }: AuthorProps) {
  return (
    <span className="inline-flex flex-wrap items-baseline gap-x-1.5">
      {version !== undefined && <span>Version {version} ·</span>}
      {by.user === null ? <span>Caseworker</span> : <UserLink id={by.user} />}
      {by.session !== null && <SessionLink id={by.session}>in the browser</SessionLink>}
      {by.apiKey !== null && (
        <span>
          by key <KeyLink id={by.apiKey} />
        </span>
      )}
      {by.job !== null && (
        <span>
          by <JobLink id={by.job}>{by.entry === null ? 'a job' : `entry ${by.entry + 1} of a job`}</JobLink>
        </span>
      )}
      {by.request !== null && <RequestWord id={by.request} />}
      <span>
        · <Time at={at} isRelative />
      </span>
    </span>
  )
}
