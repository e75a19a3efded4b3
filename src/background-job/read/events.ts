import type { Db } from '../../db/client.ts'
import { successEnvelope } from '../../http/response/envelope.ts'
import type { Scope } from '../../scope.ts'
import { selectJob } from '../job-rows.ts'
import { hasEnded, isNewer, type JobRow } from '../rules.ts'
import { getProgress, type ProgressEnv } from '../run/report-progress.ts'
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
  heartbeatMs?: number
}

/** The rows that the job's object sends, until the job ends or the client disconnects. */
async function* watchJob(watched: StreamContext, job: JobRow, gone: AbortSignal): AsyncGenerator<JobRow> {
  const { env, connection, scope, heartbeatMs = HEARTBEAT_MS } = watched
  const socket = await openSocket(env, scope, job).catch(() => undefined)
  const states: JobRow[] = []
  let wake = () => {}
  let isOpen = socket !== undefined
  socket?.addEventListener('message', ({ data }) => {
    states.push(JSON.parse(String(data)) as JobRow)
    wake()
  })
  const onEnd = () => {
    isOpen = false
    wake()
  }
  for (const event of ['close', 'error'] as const) socket?.addEventListener(event, onEnd)
  gone.addEventListener('abort', () => wake())
  socket?.accept()
  const sleep = () =>
    new Promise<void>(resolve => {
      const timer = setTimeout(resolve, isOpen ? heartbeatMs : Math.min(POLL_MS, heartbeatMs))
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  let authorizedAt = Date.now()
  try {
    for (let reads = 0; reads < READS_MAX && !gone.aborted; ) {
      if (states.length === 0) await sleep()
      if (gone.aborted) return
      if (Date.now() - authorizedAt >= heartbeatMs) {
        if (!(await watched.isStillAuthorized())) return
        authorizedAt = Date.now()
        reads += 1
      }
      const state = states.shift()
      if (state) {
        yield state
        continue
      }
      const [[row]] = await connection().read(selectJob(scope.team.no, job.no))
      reads += 1
      if (!row) return
      yield row
    }
  } finally {
    socket?.close()
  }
}

async function openSocket(env: ProgressEnv, { team }: Scope, { no }: JobRow): Promise<WebSocket | undefined> {
  const response = await getProgress(env, team.no, no).fetch(`https://progress/${team.no}/${no}`, {
    headers: { upgrade: 'websocket' },
  })
  return response.webSocket ?? undefined
}

const formatServerSentEvent = (scope: Scope, job: JobRow): string => {
  const data = JSON.stringify(successEnvelope(viewJob(scope.team, job), toJobMeta(job)))
  return `event: ${hasEnded(job) ? 'end' : 'progress'}\nid: ${job.revision}\ndata: ${data}\n\n`
}

/** Server-sent events: `progress` with the job and its counts whenever they change, `end` once, then the stream ends. */
export function streamEvents(watched: StreamContext, job: JobRow): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const gone = new AbortController()
  const send = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) =>
    controller.enqueue(encoder.encode(text))
  let last = job
  let states: AsyncGenerator<JobRow> | undefined
  return new ReadableStream({
    start(controller) {
      send(controller, formatServerSentEvent(watched.scope, job))
      if (hasEnded(job)) controller.close()
      else states = watchJob(watched, job, gone.signal)
    },
    async pull(controller) {
      const { value: next, done } = (await states?.next()) ?? { done: true, value: undefined }
      if (done || !next) return controller.close()
      if (isNewer(next, last)) {
        last = next
        send(controller, formatServerSentEvent(watched.scope, next))
      } else send(controller, ': still here\n\n')
      if (hasEnded(last)) controller.close()
    },
    async cancel() {
      gone.abort()
      await states?.return(undefined)
    },
  })
}
