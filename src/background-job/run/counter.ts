import { DurableObject } from 'cloudflare:workers'
import { connect } from '../../db/client.ts'
import { noCost } from '../../db/cost.ts'
import { finishStatement, selectJob } from '../job-rows.ts'
import { hasEnded, type JobRow } from '../rules.ts'

/** Whether a report is older than another, or says the same. */
const isBefore = (one: JobRow, other: JobRow): boolean =>
  one.step < other.step || (one.step === other.step && one.updatedAt <= other.updatedAt)

/**
 * One for each job: the counts come together here one after the other, and from here to everybody who watches. It keeps
 * nothing that the database does not say as well, so it may be thrown away at any moment.
 */
export class JobCounter extends DurableObject<Env> {
  #latest: JobRow | undefined

  /** Reports may come late and in any order: the counts never go back, and nothing follows the end. */
  report(job: JobRow): void {
    const latest = this.#latest
    if (latest && (hasEnded(latest) || (isBefore(job, latest) && !hasEnded(job)))) return
    this.#latest = job
    for (const socket of this.ctx.getWebSockets()) this.#tell(socket, job)
  }

  /** Completes the job if all its entries are done. The database lets this happen once, whoever asks and however often. */
  async finish(team: number, no: number): Promise<void> {
    const [, found] = await connect(this.env.DB, noCost()).batch([
      finishStatement(team, no, Date.now()),
      selectJob(team, no),
    ])
    const job = found?.rows[0] as unknown as JobRow | undefined
    if (job) this.report(job)
  }

  /** Somebody who watches: they hear where the job is now, and of each step from then on. */
  override async fetch(request: Request): Promise<Response> {
    const [team = 0, no = 0] = new URL(request.url).pathname.slice(1).split('/').map(Number)
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    const job = this.#latest ?? (await this.#load(team, no))
    if (job) this.#tell(server, job)
    return new Response(null, { status: 101, webSocket: client })
  }

  async #load(team: number, no: number): Promise<JobRow | undefined> {
    const [found] = await connect(this.env.DB, noCost()).batch([selectJob(team, no)])
    this.#latest ??= found?.rows[0] as unknown as JobRow | undefined
    return this.#latest
  }

  #tell(socket: WebSocket, job: JobRow): void {
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
