import { DurableObject } from 'cloudflare:workers'
import { openDatabase } from '../../db/databases.ts'
import { selectJob } from '../job-rows.ts'
import { hasEnded, isNewer, type JobRow } from '../rules.ts'
import { STREAMS_MAX, TOO_MANY_STREAMS } from './report-progress.ts'

/**
 * One for each job: runners report the job's rows to it, and it sends them to the WebSockets of the event streams. It
 * stores nothing, so it may be evicted at any moment.
 */
export class JobProgress extends DurableObject<Env> {
  #latest: JobRow | undefined

  /** Reports may arrive late and in any order: only a newer row is sent. */
  publish(job: JobRow): void {
    if (this.#latest && !isNewer(job, this.#latest)) return
    this.#latest = job
    for (const socket of this.ctx.getWebSockets()) this.#send(socket, job)
  }

  /** Opens the WebSocket of an event stream: it receives the current row, and each newer one from then on. */
  override async fetch(request: Request): Promise<Response> {
    if (this.ctx.getWebSockets().length >= STREAMS_MAX) return new Response(null, { status: TOO_MANY_STREAMS })
    const [team = 0, no = 0] = new URL(request.url).pathname.slice(1).split('/').map(Number)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    // After an eviction the first report may be an old one, so the current row is read from the database.
    const job = await this.#read(team, no)
    if (job) {
      this.publish(job)
      this.#send(server, this.#latest ?? job)
    }
    return new Response(null, { status: 101, webSocket: client })
  }

  async #read(team: number, no: number): Promise<JobRow | undefined> {
    const [[job]] = await openDatabase(this.env).read(selectJob(team, no))
    return job
  }

  #send(socket: WebSocket, job: JobRow): void {
    try {
      socket.send(JSON.stringify(job))
      if (hasEnded(job)) socket.close(1000, 'the job has ended')
    } catch {
      // The stream has disconnected.
    }
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close()
  }
}
