import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { CallResult } from 'caseworker'
import { createJobsClient } from 'caseworker/jobs'
import { useEffect, useRef, useState } from 'react'
import { call } from '../api/client.ts'
import { read } from '../api/read.ts'
import { isOver } from '../parts/background-job/statuses.ts'

/** Provider reports come within minutes; messages that are open after them are not waited for. */
const SETTLED_MS = 600_000

/** Returns whether messages of a job that has ended may still change. */
function areOnTheirWay(job: CallResult<'getJob'> | undefined): boolean {
  const counts = job?.meta.deliveryStatusVsCount
  if (!job || !counts || !isOver(job.data) || Date.now() - job.data.completedAt > SETTLED_MS) return false
  const counted = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return counted < job.meta.bjEntryCompletionStatusVsCount.SUCCESS || (counts.PENDING ?? 0) + (counts.SENT ?? 0) > 0
}

/** The interval at which the messages of a job that has ended are read again, while some may change. */
const AGAIN_MS = 3_000

/** The interval at which a job is read whose progress cannot be followed. */
const UNHEARD_MS = 10_000

/** A job, kept current by its event stream until it has ended. */
export function useJob(jobId: string) {
  const queries = useQueryClient()
  const job = read('getJob', { path: { backgroundJobId: jobId } })
  const [isUnheard, setUnheard] = useState(false)
  const query = useQuery({
    ...job,
    refetchInterval: ({ state: { data } }) => {
      if (areOnTheirWay(data)) return AGAIN_MS
      return isUnheard && !(data && isOver(data.data)) ? UNHEARD_MS : false
    },
  })
  const isLive = query.data !== undefined && !isOver(query.data.data)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key follows from the id
  useEffect(() => {
    if (!isLive) return
    const left = new AbortController()
    const { signal } = left
    createJobsClient(call)
      .wait(jobId, {
        signal,
        onProgress: ({ counts, deliveries, ...data }) =>
          queries.setQueryData<CallResult<'getJob'>>(
            job.queryKey,
            old =>
              old && {
                ...old,
                data,
                meta: {
                  ...old.meta,
                  bjEntryCompletionStatusVsCount: counts,
                  ...(deliveries ? { deliveryStatusVsCount: deliveries } : {}),
                },
              },
          ),
      })
      .then(() =>
        Promise.all([job.queryKey, ['listJobEntries']].map(queryKey => queries.invalidateQueries({ queryKey }))),
      )
      // The client has tried the stream and single reads several times: from now on the page reads by itself, and seldom.
      .catch(() => {
        if (!signal.aborted) setUnheard(true)
      })
    return () => left.abort()
  }, [isLive, jobId, queries])
  return query
}

interface ProgressSample {
  at: number
  done: number
}

/** Over at least this long, so that a step of some hundred entries is not taken for the pace. */
const OVER_MS = 4_000
const LOOKS_MAX = 60

/** Measures how many entries a second are done, and estimates when the others will be. */
export function usePace(
  done: number,
  total: number,
  isLive: boolean,
): { perSecond: number; leftMs: number } | undefined {
  const looks = useRef<ProgressSample[]>([])
  const now = Date.now()
  const last = looks.current.at(-1)
  if (isLive && last?.done !== done) looks.current = [...looks.current.slice(1 - LOOKS_MAX), { at: now, done }]
  const first = looks.current[0]
  if (!isLive || !first || now - first.at < OVER_MS || done === first.done) return undefined
  const perSecond = ((done - first.done) * 1_000) / (now - first.at)
  return { perSecond, leftMs: ((total - done) * 1_000) / perSecond }
}
