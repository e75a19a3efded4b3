import { DurableObject } from 'cloudflare:workers'
import { openDatabase } from '../../db/databases.ts'
import { write } from '../../db/write.ts'
import { finishJob, selectJob } from '../job-rows.ts'
import { hasEnded, isNewer, type JobRow } from '../rules.ts'

/**
 * One for each job: the states of the job come together here and go from here to everybody who watches. It keeps nothing
 * that the database does not say as well, so it may be thrown away at any moment.
 */
export class JobProgress extends DurableObject<Env> {
  #latest: JobRow | undefined

  /** Reports may come late and in any order: only a newer state is told. */
  publish(job: JobRow): void {
    if (this.#latest && !isNewer(job, this.#latest)) return
    this.#latest = job
    for (const socket of this.ctx.getWebSockets()) this.#send(socket, job)
  }

  /** Completes the job if all its entries have ended. The database lets this happen once, however often it is asked. */
  async complete(team: number, no: number): Promise<void> {
    const writer = { db: openDatabase(this.env), idempotency: null }
    const [{ rows }] = await write(writer, { effect: [finishJob(team, no, Date.now())], outcome: null })
    const job = rows[0] ?? (await this.#read(team, no))
    if (job) this.publish(job)
  }

  /** Somebody who watches: they hear where the job is now, and of each change from then on. */
  override async fetch(request: Request): Promise<Response> {
    const [team = 0, no = 0] = new URL(request.url).pathname.slice(1).split('/').map(Number)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    // After the object was thrown away the first report that it hears may be an old one: the database is asked.
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
      // They have gone.
    }
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close()
  }
}
