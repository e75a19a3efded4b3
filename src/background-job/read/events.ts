import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import type { WithPermit } from '../../http/context.ts'
import { successEnvelope } from '../../http/response/envelope.ts'
import type { Scope } from '../../scope.ts'
import { withTimeout } from '../../timeout.ts'
import { selectJob } from '../job-rows.ts'
import { hasEnded, isNewer, type JobRow } from '../rules.ts'
import {
  getProgress,
  PROGRESS_TIME_LIMIT_MS,
  type ProgressEnv,
  STREAMS_MAX,
  TOO_MANY_STREAMS,
} from '../run/report-progress.ts'
import { toJobMeta, viewJob } from './view.ts'

/** After this long without a new row the stream reads the job itself, and checks that the token is still valid. */
const HEARTBEAT_MS = 10_000
/** If the object cannot be reached, the stream reads the database this often. */
const POLL_MS = 2_000
/** The reads of one stream: after them it ends, and the client opens another one. */
const READS_MAX = 400

interface StreamContext {
  env: ProgressEnv
  connection: () => Db
  scope: Scope
  /** Whether the caller's token would still be accepted. */
  isStillAuthorized: () => Promise<boolean>
  /** Each look at the database is admitted as a call of its own. */
  withPermit: WithPermit
  heartbeatMs?: number
}

/** The rows that the job's object sends. */
interface Reports {
  /** Returns the next row that has come in. */
  take: () => JobRow | undefined
  /** Resolves at a row, at the end of the socket, when it is woken, and after a heartbeat. */
  wait: (heartbeatMs: number) => Promise<void>
  wake: () => void
  close: () => void
}

/** Opens the socket of reports. If the object cannot be reached, only the time ends a wait. A stream beyond the limit is refused. */
async function openReports(env: ProgressEnv, scope: Scope, job: JobRow): Promise<Reports> {
  const opened = await withTimeout(PROGRESS_TIME_LIMIT_MS, () => openSocket(env, scope, job)).catch(() => null)
  if (opened?.status === TOO_MANY_STREAMS) throw tooManyStreamsError()
  const socket = opened?.webSocket ?? undefined
  const rows: JobRow[] = []
  let wake = () => {}
  let isOpen = socket !== undefined
  socket?.addEventListener('message', ({ data }) => {
    rows.push(JSON.parse(String(data)) as JobRow)
    wake()
  })
  const onEnd = () => {
    isOpen = false
    wake()
  }
  for (const event of ['close', 'error'] as const) socket?.addEventListener(event, onEnd)
  socket?.accept()
  return {
    take: () => rows.shift(),
    async wait(heartbeatMs) {
      if (rows.length > 0) return
      await new Promise<void>(resolve => {
        const timer = setTimeout(resolve, isOpen ? heartbeatMs : Math.min(POLL_MS, heartbeatMs))
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    },
    wake: () => wake(),
    close: () => socket?.close(),
  }
}

const openSocket = (env: ProgressEnv, { team }: Scope, { no }: JobRow): Promise<Response> =>
  getProgress(env, team.no, no).fetch(`https://progress/${team.no}/${no}`, { headers: { upgrade: 'websocket' } })

const RETRY_SECONDS = 30

const tooManyStreamsError = (): AppError =>
  new AppError('rate_limited', [
    {
      message: `${STREAMS_MAX} event streams of this job are open already`,
      hint: `let one stream follow the job and hand on what it finds, or try again in ${RETRY_SECONDS} seconds`,
      detail: { retryAfterSeconds: RETRY_SECONDS },
    },
  ])

/** The rows that the job's object sends, until the job ends or the client disconnects. */
async function* watchJob(
  { connection, scope, isStillAuthorized, withPermit, heartbeatMs = HEARTBEAT_MS }: StreamContext,
  job: JobRow,
  reports: Reports,
  gone: AbortSignal,
): AsyncGenerator<JobRow> {
  gone.addEventListener('abort', reports.wake)
  let authorizedAt = Date.now()
  try {
    for (let reads = 0; reads < READS_MAX && !gone.aborted; ) {
      await reports.wait(heartbeatMs)
      if (gone.aborted) return
      if (Date.now() - authorizedAt >= heartbeatMs) {
        if (!(await withPermit(isStillAuthorized))) return
        authorizedAt = Date.now()
        reads += 1
      }
      const reported = reports.take()
      if (reported) {
        yield reported
        continue
      }
      const [[row]] = await withPermit(() => connection().read(selectJob(scope.team.no, job.no)))
      reads += 1
      if (!row) return
      yield row
    }
  } finally {
    reports.close()
  }
}

const formatServerSentEvent = (scope: Scope, job: JobRow): string => {
  const data = JSON.stringify(successEnvelope(viewJob(scope.team, job), toJobMeta(job)))
  return `event: ${hasEnded(job) ? 'end' : 'progress'}\nid: ${job.revision}\ndata: ${data}\n\n`
}

/**
 * Server-sent events: `progress` with the job and its counts whenever they change, `end` once, then the stream ends. The socket is
 * open before the response begins, so that a stream beyond the limit is refused by its status.
 */
export async function streamEvents(watched: StreamContext, job: JobRow): Promise<ReadableStream<Uint8Array>> {
  const reports = hasEnded(job) ? undefined : await openReports(watched.env, watched.scope, job)
  const encoder = new TextEncoder()
  const gone = new AbortController()
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) =>
    controller.enqueue(encoder.encode(text))
  const states = reports && watchJob(watched, job, reports, gone.signal)
  const end = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    controller.close()
    reports?.close()
  }
  let last = job
  return new ReadableStream({
    start(controller) {
      send(controller, formatServerSentEvent(watched.scope, job))
      if (!reports) controller.close()
    },
    async pull(controller) {
      const { value: next, done } = (await states?.next()) ?? { done: true, value: undefined }
      if (done || !next) return end(controller)
      if (isNewer(next, last)) {
        last = next
        send(controller, formatServerSentEvent(watched.scope, next))
      } else send(controller, ': still here\n\n')
      if (hasEnded(last)) end(controller)
    },
    async cancel() {
      gone.abort()
      reports?.close()
      await states?.return(undefined)
    },
  })
}
