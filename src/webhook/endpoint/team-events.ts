import { DurableObject } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { openDatabase } from '../../db/databases.ts'
import { select } from '../../db/statement.ts'
import { TOO_MANY_WAIT, WAITING_CALLS_MAX } from '../../event/signal/team-object.ts'
import { withTimeout } from '../../timeout.ts'
import { webhook } from '../table.ts'
import { getEndpoint } from './webhook-endpoint.ts'

/** The endpoints of a team are read this often at most. If the call about a new one is lost, it is found this late. */
const ENDPOINTS_MS = 10_000
/** A team without endpoints is read more often, so that its first one does not wait. */
const NO_ENDPOINTS_MS = 1_000
const WAKE_MS_MAX = 5_000

interface Endpoints {
  ids: string[]
  readAt: number
}

/**
 * One for each team: it is told of commits, and wakes who waits for events, and the objects of the team's webhooks. What it
 * says is only that there may be events: the log says which. It stores nothing, and its sockets are kept by the runtime.
 */
export class TeamEvents extends DurableObject<Env> {
  #endpoints: Endpoints | undefined
  /** The counter of changes of endpoints: a list that was read before the last change is not cached. */
  #endpointChanges = 0
  #isWaking = false
  #mustWake = false

  committed(team: number): void {
    for (const socket of this.ctx.getWebSockets()) wakeWaiting(socket)
    this.#mustWake = true
    if (!this.#isWaking) this.ctx.waitUntil(this.#wakeEndpoints(team))
  }

  /** Drops the cached list, because an endpoint was made, changed or removed. */
  endpointsChanged(): void {
    this.#endpointChanges += 1
    this.#endpoints = undefined
  }

  /** Opens the WebSocket of a request that waits, unless as many wait already: each commit has all of them read. */
  override fetch(): Response {
    if (this.ctx.getWebSockets().length >= WAITING_CALLS_MAX) return new Response(null, { status: TOO_MANY_WAIT })
    const { 0: client, 1: server } = new WebSocketPair()
    this.ctx.acceptWebSocket(server)
    return new Response(null, { status: 101, webSocket: client })
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close()
  }

  /** Wakes everybody after a commit. Commits that come meanwhile share the next round. `createOverdueEndpointTask` makes up for failures. */
  async #wakeEndpoints(team: number): Promise<void> {
    this.#isWaking = true
    try {
      while (this.#mustWake) {
        this.#mustWake = false
        const ids = await this.#readEndpoints(team)
        await withTimeout(WAKE_MS_MAX, () => Promise.allSettled(ids.map(id => this.#wakeEndpoint({ team, id }))))
      }
    } catch (error) {
      console.warn(JSON.stringify({ teamNo: team, unwoken: String(error) }))
    } finally {
      this.#isWaking = false
    }
  }

  /** A binding may throw before there is a promise. */
  async #wakeEndpoint(name: { team: number; id: string }): Promise<void> {
    await getEndpoint(this.env, name).wake(name)
  }

  async #readEndpoints(team: number): Promise<string[]> {
    const { ids = [], readAt = 0 } = this.#endpoints ?? {}
    if (Date.now() - readAt < (ids.length > 0 ? ENDPOINTS_MS : NO_ENDPOINTS_MS)) return ids
    const changes = this.#endpointChanges
    const [rows] = await openDatabase(this.env).read(
      select(
        { id: webhook.id },
        sql`FROM ${webhook} WHERE ${webhook.team} = ${team} AND ${webhook.deletedAt} IS NULL AND ${webhook.enabled}`,
      ),
    )
    const found = rows.map(({ id }) => id)
    if (changes === this.#endpointChanges) this.#endpoints = { ids: found, readAt: Date.now() }
    return found
  }
}

function wakeWaiting(socket: WebSocket): void {
  try {
    socket.send('committed')
  } catch {
    // The request has ended.
  }
}
