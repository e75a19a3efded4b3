import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BackgroundJob } from 'caseworker'
import { read } from '../../api/read.ts'
import { JobStatus } from '../../parts/background-job/job-status.tsx'
import { isJobPaused, isOver, listParts } from '../../parts/background-job/statuses.ts'
import { Bar, Legend } from '../../parts/chart.tsx'
import { Spoken } from '../../parts/text/spoken.tsx'

const EVERY_MS = 1_500

/** Shows the progress of the job, with a link to its entries. */
export function AcceptedJob({ job }: { job: BackgroundJob }) {
  const { data } = useQuery({
    ...read('getJob', { path: { backgroundJobId: job.id } }),
    refetchInterval: ({ state }) => (state.data?.data.completedAt ? false : EVERY_MS),
  })
  const now = data?.data ?? job
  const parts = data && listParts(data.meta.bjEntryCompletionStatusVsCount, isJobPaused(now))
  const progress = now.statusMessage ?? (isOver(now) ? 'Done.' : 'Accepted: it goes on if you leave this page.')
  return (
    <div className="flex flex-col gap-3">
      <Spoken text={progress} isLast={isOver(now)} />
      <p className="flex flex-wrap items-center gap-2">
        <JobStatus job={now} />
        {progress}
      </p>
      {parts && (
        <>
          <Bar label="Entries" total={now.total} parts={parts} />
          <Legend parts={parts.filter(({ value }) => value > 0)} />
        </>
      )}
      <p>
        <Link to="/background-job/$jobId" params={{ jobId: job.id }} className="text-accent underline">
          Open the job: each entry and its result
        </Link>
      </p>
    </div>
  )
}
