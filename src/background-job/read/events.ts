import type { Db } from '../../db/client.ts'
import { successEnvelope } from '../../http/envelope.ts'
import type { Scope } from '../../scope.ts'
import { selectJob } from '../job-rows.ts'
import { hasEnded, type JobRow } from '../rules.ts'
import { counterOf } from '../run/progress.ts'
import { metaOfJob, viewJob } from './view.ts'

/** After this long without news the stream says that it is still there, and looks for itself how far the job is. */
const HEARTBEAT_MS = 10_000
/** The object could not be reached: then the stream asks the database instead. */
const POLL_MS = 2_000

interface Watched {
  env: Pick<Env, 'JOB_COUNTER'>
  connection: () => Db
  scope: Scope
  heartbeatMs?: number
}

/** What the job's object tells those who watch it, until the job ends or they go. */
async function* newsOf(
  { env, connection, scope, heartbeatMs = HEARTBEAT_MS }: Watched,
  job: JobRow,
  gone: AbortSignal,
) {
  const socket = await open(env, scope, job).catch(() => undefined)
  const news: JobRow[] = []
  let wake = () => {}
  let isOpen = socket !== undefined
  socket?.addEventListener('message', ({ data }) => {
    news.push(JSON.parse(String(data)) as JobRow)
    wake()
  })
  const onEnd = () => {
    isOpen = false
    wake()
  }
  for (const event of ['close', 'error'] as const) socket?.addEventListener(event, onEnd)
  gone.addEventListener('abort', () => wake())
  socket?.accept()
  try {
    while (!gone.aborted) {
      const next = news.shift()
      if (next) yield next
      else {
        await new Promise<void>(resolve => {
          const timer = setTimeout(resolve, isOpen ? heartbeatMs : Math.min(POLL_MS, heartbeatMs))
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        if (news.length > 0 || gone.aborted) continue
        const [found] = await connection().batch([selectJob(scope.team.no, job.no)])
        const row = found?.rows[0] as unknown as JobRow | undefined
        if (!row) return
        yield row
      }
    }
  } finally {
    socket?.close()
  }
}

async function open(env: Watched['env'], scope: Scope, job: JobRow): Promise<WebSocket | undefined> {
  const response = await counterOf(env, scope.team.no, job.no).fetch(`https://counter/${scope.team.no}/${job.no}`, {
    headers: { upgrade: 'websocket' },
  })
  return response.webSocket ?? undefined
}

const eventOf = (scope: Scope, job: JobRow): string => {
  const data = JSON.stringify(successEnvelope(viewJob(scope.team, job), metaOfJob(job)))
  return `event: ${hasEnded(job) ? 'end' : 'progress'}\nid: ${job.step}\ndata: ${data}\n\n`
}

/** Server-sent events: `progress` with the job and its counts whenever they change, `end` once, then the stream ends. */
export function streamEvents(watched: Watched, job: JobRow): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const gone = new AbortController()
  const say = (controller: ReadableStreamDefaultController<Uint8Array>, text: string) =>
    controller.enqueue(encoder.encode(text))
  let last = job
  let news: AsyncGenerator<JobRow> | undefined
  return new ReadableStream({
    start(controller) {
      say(controller, eventOf(watched.scope, job))
      if (hasEnded(job)) controller.close()
      else news = newsOf(watched, job, gone.signal)
    },
    async pull(controller) {
      const { value: next, done } = (await news?.next()) ?? { done: true, value: undefined }
      if (done || !next) return controller.close()
      if (isNewer(next, last)) {
        last = next
        say(controller, eventOf(watched.scope, next))
      } else say(controller, ': still here\n\n')
      if (hasEnded(next)) controller.close()
    },
    async cancel() {
      gone.abort()
      await news?.return(undefined)
    },
  })
}

const isNewer = (next: JobRow, last: JobRow): boolean =>
  next.step > last.step || hasEnded(next) !== hasEnded(last) || next.completionStatus !== last.completionStatus
