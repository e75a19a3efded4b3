import type { BackgroundJob } from 'caseworker'
import { Status } from '../badge.tsx'
import { isJobPaused } from './statuses.ts'

/** Shows the status of a job. A paused one counts as in progress, but nothing of it continues by itself. */
export const JobStatus = ({ job }: { job: BackgroundJob }) => (
  <Status of={isJobPaused(job) ? 'PAUSED' : job.completionStatus} />
)
