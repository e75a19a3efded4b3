import { useQuery } from '@tanstack/react-query'
import type { Plan, PlanSummary } from 'caseworker'
import { createJobsClient } from 'caseworker/jobs'
import { call } from '../../api/client.ts'

export interface CountedPlan {
  plan: Plan
  /** The counts by effect; undefined where there are too many entries to read. */
  summary: PlanSummary | undefined
}

/** The entries of a larger dry run are not read to be counted. */
const COUNTED_MAX = 10_000

/** Waits for a dry run, and reads what it has come to. */
export async function loadCountedPlan(jobId: string, signal: AbortSignal): Promise<CountedPlan> {
  const plan = await createJobsClient(call).plan(jobId, { signal })
  return { plan, summary: plan.job.total > COUNTED_MAX ? undefined : await plan.summarize({ signal }) }
}

/** Loads the result of a dry run, which does not change any more once it has ended. */
export const usePlan = (jobId: string | undefined) =>
  useQuery({
    queryKey: ['plan', jobId],
    queryFn: ({ signal }) => loadCountedPlan(jobId ?? '', signal),
    enabled: jobId !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })
