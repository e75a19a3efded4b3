import type { BackgroundJob, CallInput } from 'caseworker'
import { dayIn, parseWord, textIn } from '../api/address.ts'
import { JOB_STATUSES } from '../parts/background-job/statuses.ts'
import { type FilterDays, toTimes } from '../parts/times.ts'

/** The filter of the list of jobs, all of which is in the address. The days are those on which jobs were created. */
export interface JobSearch extends FilterDays {
  status?: BackgroundJob['completionStatus'] | undefined
  /** The id of the user who created them. */
  by?: string | undefined
  procedure?: string | undefined
}

/** Parses the filter of an address. Mistyped parts are ignored. */
export function readJobSearch({ status, by, procedure, from, to }: Record<string, unknown>): JobSearch {
  const read = {
    status: parseWord(JOB_STATUSES, status),
    by: textIn(by),
    procedure: textIn(procedure),
    from: dayIn(from),
    to: dayIn(to),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

/** Builds the query of the API. It is apart from the parsing of the address, which is in the first view. */
export const toJobQuery = ({
  status,
  by,
  procedure,
  ...days
}: JobSearch): NonNullable<CallInput<'listJobs'>['query']> => ({
  ...(status === undefined ? {} : { completionStatus: status }),
  ...(by === undefined ? {} : { createdBy: by }),
  ...(procedure === undefined ? {} : { procedure }),
  ...toTimes(days),
})
