import { useQuery } from '@tanstack/react-query'
import type { BackgroundJob } from 'caseworker'
import { read } from '../api/read.ts'

const DEEDS: Record<string, string> = {
  PROCESS_CREATE: 'Job that creates processes',
  PROCESS_UPDATE: 'Job that changes processes',
  PROCESS_DELETE: 'Job that deletes processes',
  TEMPLATE_MESSAGE: 'Job that sends messages',
}

/** What a job does, by its first entry: entries of several kinds are rare, and the list of them has the rest. */
export function useDeedOf(job: BackgroundJob | undefined): string {
  const first = useQuery({
    ...read('listJobEntries', { path: { backgroundJobId: job?.id ?? '' }, query: { limit: 1 } }),
    enabled: job !== undefined && job.total > 0 && !job.isCollecting,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const [entry] = first.data?.data ?? []
  return (entry && DEEDS[entry.data.apiType]) ?? 'Job'
}
