import type { BackgroundJob } from 'caseworker'
import { Status } from '../badge.tsx'
import { isJobPaused } from './statuses.ts'

/** A paused job counts as in progress, but nothing of it goes on by itself. */
export const JobStatus = ({ job }: { job: BackgroundJob }) => (
  <Status of={isJobPaused(job) ? 'PAUSED' : job.completionStatus} />
)
