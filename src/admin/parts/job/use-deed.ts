import { useQuery } from '@tanstack/react-query'
import type { BackgroundJob } from 'caseworker'
import { useConfig } from '../../api/me.ts'
import { read } from '../../api/read.ts'
import { useUserName } from '../../api/users.ts'
import { formatDeed } from './deed.ts'

/** What a job does, as its heading says it. Its entries stay as they are: each is read once. */
export function useDeed(job: BackgroundJob | undefined): string {
  const procedures = useConfig()?.procedures ?? []
  const nameOfUser = useUserName()
  const hasEntries = job !== undefined && job.total > 0 && !job.isCollecting
  const path = { backgroundJobId: job?.id ?? '' }
  const readEntry = (skip: number) => ({
    ...read('listJobEntries', { path, query: { limit: 1, ...(skip > 0 ? { skip } : {}) } }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const first = useQuery({ ...readEntry(0), enabled: hasEntries }).data?.data[0]
  const isUpdate = first?.data.apiType === 'PROCESS_UPDATE'
  const lastIndex = (job?.total ?? 0) - 1
  const last = useQuery({ ...readEntry(lastIndex), enabled: hasEntries && isUpdate && lastIndex > 0 })
  // Nothing is told that the last entry may take back.
  if (!job || last.isLoading) return 'Job'
  const deed = formatDeed(job, [first, last.data?.data[0]], {
    procedure: procedures.find(({ id }) => id === job.procedure),
    nameOfUser,
  })
  return job.dryRun ? `Dry run: ${deed}` : deed
}
