import { useQuery } from '@tanstack/react-query'
import type { BackgroundJob } from 'caseworker'
import { useConfig } from '../api/me.ts'
import { read } from '../api/read.ts'
import { deedOf } from './deed.ts'

/** What a job does, as its heading says it. */
export function useDeedOf(job: BackgroundJob | undefined): string {
  const procedures = useConfig()?.procedures ?? []
  const first = useQuery({
    ...read('listJobEntries', { path: { backgroundJobId: job?.id ?? '' }, query: { limit: 1 } }),
    enabled: job !== undefined && job.total > 0 && !job.isCollecting,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [entry] = first.data?.data ?? []
  const procedure = procedures.find(({ id }) => id === job?.procedure)
  return entry ? deedOf(entry, procedure?.name) : 'Job'
}
