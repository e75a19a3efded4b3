import type { CallOptions } from './call.ts'
import { CaseworkerError } from './error.ts'
import type { Job, Jobs } from './jobs.ts'
import { sleep } from './sleep.ts'

export interface WaitOptions {
  /** Told whenever the counts of the job have changed, or what is said of it: that it is paused, and why. */
  onProgress?: ((job: Job) => void) | undefined
  signal?: AbortSignal | undefined
  /** Gives up after this long: then `wait` throws, and the job goes on. */
  timeoutMs?: number | undefined
}

/** A stream gives a sign of life every ten seconds; one that is silent for longer is held up on its way. */
const SILENCE_MS = 25_000
const PAUSE_MS = 500
const PAUSE_MS_MAX = 10_000
/** After so many failures in a row there is nobody to wait for. */
const FAILURES_MAX = 8

/** Watches the stream of the job's events; where that ends early or is held up, asks for the job instead. */
export async function waitFor(
  { get, watch }: Pick<Jobs, 'get' | 'watch'>,
  id: string,
  { onProgress = () => {}, signal, timeoutMs }: WaitOptions = {},
): Promise<Job> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const given = [signal, late].filter(each => each !== undefined)
  const until = AbortSignal.any(given)
  let told = ''
  const tell = (job: Job): boolean => {
    const now = JSON.stringify([job.completionStatus, job.statusMessage, job.counts])
    if (now !== told) onProgress(job)
    told = now
    return job.completedAt !== 0
  }
  let failures = 0
  for (;;) {
    try {
      let last = await lastOf(watch, id, until, tell)
      if (last === undefined || last.completedAt === 0) {
        last = await get(id, { signal: until })
        if (!tell(last)) await sleep(PAUSE_MS, until)
      }
      if (last.completedAt !== 0) return last
      failures = 0
    } catch (error) {
      if (until.aborted) throw until.reason
      failures += 1
      const mayPass =
        error instanceof CaseworkerError && (error.status === 0 || error.status === 429 || error.status >= 500)
      if (!mayPass || failures >= FAILURES_MAX) throw error
      await sleep(Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** failures), until)
    }
  }
}

/** The last that a stream says of the job before it ends, or falls silent. */
async function lastOf(
  watch: (id: string, options: CallOptions) => AsyncGenerator<Job, void, undefined>,
  id: string,
  until: AbortSignal,
  tell: (job: Job) => boolean,
): Promise<Job | undefined> {
  const stopped = new AbortController()
  const events = watch(id, { signal: AbortSignal.any([until, stopped.signal]) })
  let last: Job | undefined
  try {
    for (;;) {
      const next = await withinSilence(events.next(), until)
      if (next === undefined || next.done) return last
      last = next.value
      if (tell(last)) return last
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
