import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readPages, rowsOf } from '../api/read.ts'
import { Status } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Time } from '../parts/time/time.tsx'

const LIMIT = 20

/** The jobs that run the failed entries of this one again. */
export function Retries({ jobId }: { jobId: string }) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery(
    readPages('listJobs', cursor => ({ query: { retryOf: jobId, limit: LIMIT, ...(cursor ? { cursor } : {}) } })),
  )
  const jobs = rowsOf(data)
  return (
    <span className="flex flex-col items-start gap-1">
      {data && jobs.length === 0 && !hasNextPage && '–'}
      {jobs.map(({ id, createdAt, completionStatus }) => (
        <Link
          key={id}
          to="/background-job/$jobId"
          params={{ jobId: id }}
          search={{}}
          className="inline-flex items-center gap-1.5 text-accent hover:underline"
        >
          <span>
            a job of <Time at={createdAt} />
          </span>
          <Status of={completionStatus} />
        </Link>
      ))}
      {hasNextPage && (
        <Button tone="quiet" isPending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Look among older jobs
        </Button>
      )}
    </span>
  )
}
