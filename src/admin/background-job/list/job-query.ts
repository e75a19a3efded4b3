import type { CallInput } from 'caseworker'
import { timesOfDays } from '../../parts/time/filter-days.ts'
import type { JobSearch } from './job-search.ts'

/** What the API is asked for. Apart from the reading of the address, which is in the first view. */
export const jobQueryOf = ({
  status,
  by,
  procedure,
  ...days
}: JobSearch): NonNullable<CallInput<'listJobs'>['query']> => ({
  ...(status === undefined ? {} : { completionStatus: status }),
  ...(by === undefined ? {} : { createdBy: by }),
  ...(procedure === undefined ? {} : { procedure }),
  ...timesOfDays(days),
})
