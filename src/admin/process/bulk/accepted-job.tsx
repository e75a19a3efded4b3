import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BackgroundJob } from 'caseworker'
import { read } from '../../api/read.ts'
import { Status } from '../../parts/badge.tsx'
import { Bar, Legend } from '../../parts/chart.tsx'
import { Spoken } from '../../parts/text/spoken.tsx'

const EVERY_MS = 1_500

/** How far the job is, and where its entries are. */
export function AcceptedJob({ job }: { job: BackgroundJob }) {
  const { data } = useQuery({
    ...read('getJob', { path: { backgroundJobId: job.id } }),
    refetchInterval: ({ state }) => (state.data?.data.completedAt ? false : EVERY_MS),
  })
  const now = data?.data ?? job
  const counts = data?.meta.bjEntryCompletionStatusVsCount
  const isOver = now.completedAt > 0
  const progress = now.statusMessage ?? (isOver ? 'Done.' : 'Accepted: it goes on if you leave this page.')
  return (
    <div className="flex flex-col gap-3">
      <Spoken text={progress} isLast={isOver} />
      <p className="flex flex-wrap items-center gap-2">
        <Status of={now.completionStatus} />
        {progress}
      </p>
      {counts && (
        <>
          <Bar
            label="Entries"
            total={now.total}
            parts={[
              { label: 'Done', value: counts.SUCCESS, color: 'good' },
              { label: 'Failed', value: counts.ERROR, color: 'bad' },
              { label: 'Invalid', value: counts.INVALID, color: 'warn' },
            ]}
          />
          <Legend
            parts={[
              { label: 'Done', value: counts.SUCCESS, color: 'good' },
              { label: 'Failed', value: counts.ERROR, color: 'bad' },
              { label: 'Invalid', value: counts.INVALID, color: 'warn' },
              { label: 'Waiting', value: counts.NOT_STARTED + counts.IN_PROGRESS, color: 'plain' },
            ]}
          />
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
