import type { CallOptions } from './call/call.ts'
import { CaseworkerError } from './call/error.ts'
import { sleep } from './call/sleep.ts'
import type { Job, Jobs } from './jobs.ts'

export interface WaitOptions {
  /** Called whenever the counts or the status message of the job have changed. */
  onProgress?: ((job: Job) => void) | undefined
  signal?: AbortSignal | undefined
  /** After this time `wait` throws; the job continues. */
  timeoutMs?: number | undefined
}

/** The stream has a keep-alive every ten seconds. If it is silent for longer, a proxy buffers it. */
const SILENCE_MS = 25_000
const PAUSE_MS = 500
const PAUSE_MS_MAX = 10_000
/** The number of consecutive failures after which `wait` throws. */
const FAILURES_MAX = 8

/** Watches the events of the job, and polls it when the stream ends early or is silent. */
export async function waitForJob(
  { get, watch }: Pick<Jobs, 'get' | 'watch'>,
  id: string,
  { onProgress = () => {}, signal, timeoutMs }: WaitOptions = {},
): Promise<Job> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const given = [signal, late].filter(each => each !== undefined)
  const until = AbortSignal.any(given)
  let reported = ''
  const report = (job: Job): boolean => {
    const now = JSON.stringify([job.completionStatus, job.statusMessage, job.counts])
    if (now !== reported) onProgress(job)
    reported = now
    return job.completedAt !== 0
  }
  let failures = 0
  for (;;) {
    try {
      let last = await watchUntilSilent(watch, id, until, report)
      if (last === undefined || last.completedAt === 0) {
        last = await get(id, { signal: until })
        if (!report(last)) await sleep(PAUSE_MS, until)
      }
      if (last.completedAt !== 0) return last
      failures = 0
    } catch (error) {
      if (until.aborted) throw until.reason
      failures += 1
      const isTransient =
        error instanceof CaseworkerError && (error.status === 0 || error.status === 429 || error.status >= 500)
      if (!isTransient || failures >= FAILURES_MAX) throw error
      await sleep(Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** failures), until)
    }
  }
}

/** The last state of the job before the stream ends or falls silent. */
async function watchUntilSilent(
  watch: (id: string, options: CallOptions) => AsyncGenerator<Job, void, undefined>,
  id: string,
  until: AbortSignal,
  report: (job: Job) => boolean,
): Promise<Job | undefined> {
  const stopped = new AbortController()
  const events = watch(id, { signal: AbortSignal.any([until, stopped.signal]) })
  let last: Job | undefined
  try {
    for (;;) {
      const next = await withinSilence(events.next(), until)
      if (next === undefined || next.done) return last
      last = next.value
      if (report(last)) return last
    }
  } finally {
    stopped.abort()
    events.return().catch(() => {})
  }
}

async function withinSilence<Value>(value: Promise<Value>, until: AbortSignal): Promise<Value | undefined> {
  const quiet = new AbortController()
  try {
    const silence = sleep(SILENCE_MS, AbortSignal.any([until, quiet.signal])).then(() => undefined)
    silence.catch(() => {})
    return await Promise.race([value, silence])
  } finally {
    quiet.abort()
  }
}
