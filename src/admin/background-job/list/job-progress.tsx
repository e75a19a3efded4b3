import { useQuery } from '@tanstack/react-query'
import type { BackgroundJob } from 'caseworker'
import { read } from '../../api/read.ts'
import { Bar } from '../../parts/chart.tsx'
import { isOver, isPaused, partsOf } from '../../parts/job/statuses.ts'

const EVERY_MS = 5_000
/** What has ended stays as it is. */
const KEPT_MS = 60 * 60_000

/** How far a job is and how it went, by colour. The counts are a call for each row in sight. */
export function JobProgress({ job }: { job: BackgroundJob }) {
  const isLive = !isOver(job) && job.completionStatus === 'IN_PROGRESS'
  const details = useQuery({
    ...read('getJob', { path: { backgroundJobId: job.id } }),
    refetchInterval: isLive ? EVERY_MS : false,
    ...(isOver(job) ? { staleTime: KEPT_MS } : {}),
    enabled: job.completionStatus !== 'NOT_STARTED' && job.completionStatus !== 'SUCCESS',
  })
  if (job.completionStatus === 'NOT_STARTED') return <Bar label="Entries" total={job.total} parts={[]} />
  if (job.completionStatus === 'SUCCESS')
    return <Bar label="Entries" total={job.total} parts={[{ label: 'Success', value: job.total, color: 'good' }]} />
  const counts = details.data?.meta.bjEntryCompletionStatusVsCount
  return counts && <Bar label="Entries" total={job.total} parts={partsOf(counts, isPaused(job))} />
}
