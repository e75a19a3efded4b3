import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { app } from '../../src/app.ts'
import type { JobCounter } from '../../src/background-job/run/counter.ts'
import { sweep } from '../../src/cron.ts'
import worker from '../../src/index.ts'
import { ORIGIN, type Team } from './api.ts'

export type Kind = 'database' | 'queue' | 'object' | 'provider'
/** A call can fail or never respond, each before or after it took effect. */
export const FAULTS = ['fails before', 'fails after', 'hangs before', 'hangs after'] as const
export type Fault = (typeof FAULTS)[number]

export interface FaultInjection {
  /** The fault of the n-th call of a kind; `about` holds the values that a database call binds. */
  fault?: (kind: Kind, nth: number, about: string) => Fault | undefined
  /** Turns the messages that wait into those that are delivered. */
  deliver?: (messages: Message[]) => Message[]
  /** Delivers all messages at the same time. */
  atOnce?: boolean
}

export interface Message {
  queue: 'jobs' | 'jobs-dead'
  id: string
  body: unknown
  attempts: number
  dueAt: number
}

const RETRIES_MAX = 8
const ROUNDS_MAX = 200
const MINUTE_MS = 60_000

/** The Worker with its real bindings, but its own queue, and every call to a binding counted and open to faults. */
export class Harness {
  readonly calls: Record<Kind, number> = { database: 0, queue: 0, object: 0, provider: 0 }
  readonly rows = { read: 0, written: 0 }
  messages: Message[] = []
  readonly env: Env
  readonly #injection: FaultInjection

  constructor(vars: Record<string, string> = {}, injection: FaultInjection = {}) {
    this.#injection = injection
    const add = (body: unknown, { delaySeconds = 0 }: QueueSendOptions = {}) => {
      const dueAt = Date.now() + delaySeconds * 1000
      this.messages.push({ queue: 'jobs', id: crypto.randomUUID(), body, attempts: 1, dueAt })
    }
    const queue = {
      send: (body: unknown, options?: QueueSendOptions) => this.#inject('queue', async () => void add(body, options)),
      sendBatch: (batch: { body: unknown }[]) =>
        this.#inject('queue', async () => {
          for (const { body } of batch) add(body)
        }),
    }
    const bindings = { DB: this.#database(), JOBS: queue, JOB_COUNTER: this.#objects(), WHATSAPP: this.#provider() }
    this.env = { ...env, ...vars, ...bindings } as unknown as Env
  }

  async #inject<T>(kind: Kind, act: () => Promise<T>, about = ''): Promise<T> {
    const nth = ++this.calls[kind]
    const fault = this.#injection.fault?.(kind, nth, about)
    if (fault === 'fails before') throw new Error(`Network connection lost (${kind})`)
    if (fault === 'hangs before') return new Promise(() => {})
    const result = await act()
    if (fault === 'fails after') throw new Error(`Network connection lost (${kind})`)
    if (fault === 'hangs after') return new Promise(() => {})
    return result
  }

  #database(): D1Database {
    const values = new WeakMap<D1PreparedStatement, unknown[]>()
    const bind = (sql: string, params: unknown[]) => {
      const bound = env.DB.prepare(sql).bind(...params)
      values.set(bound, params)
      return bound
    }
    const batch = <T>(statements: D1PreparedStatement[]) => {
      const about = statements.flatMap(each => values.get(each) ?? []).join(' ')
      return this.#inject('database', () => this.#counted(env.DB.batch<T>(statements)), about)
    }
    const prepare = (sql: string) => ({ bind: (...params: unknown[]) => bind(sql, params) })
    return { prepare, batch } as unknown as D1Database
  }

  async #counted<T>(batch: Promise<D1Result<T>[]>): Promise<D1Result<T>[]> {
    const results = await batch
    for (const { meta } of results) {
      this.rows.read += meta.rows_read
      this.rows.written += meta.rows_written
    }
    return results
  }

  #objects() {
    const call = <T>(act: () => Promise<T>) => this.#inject('object', act)
    return {
      idFromName: (name: string) => env.JOB_COUNTER.idFromName(name),
      get(id: DurableObjectId) {
        const stub = env.JOB_COUNTER.get(id) as unknown as JobCounter
        return {
          report: (job: Parameters<JobCounter['report']>[0]) => call(async () => stub.report(job)),
          finish: (team: number, no: number) => call(() => stub.finish(team, no)),
          fetch: (...request: unknown[]) => call(() => Reflect.apply(stub.fetch, stub, request)),
        }
      },
    }
  }

  /** It is given up by whoever waits for it, so a call that hangs ends with their patience. */
  #provider() {
    const fetch = (request: Request) => {
      const given = new Promise<never>((_, reject) =>
        request.signal.addEventListener('abort', () => reject(request.signal.reason)),
      )
      return Promise.race([given, this.#inject('provider', () => (env.WHATSAPP as Fetcher).fetch(request.clone()))])
    }
    return { fetch }
  }

  async request(team: Team, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const context = createExecutionContext()
    const init = {
      method,
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const response = await app.fetch(new Request(`${ORIGIN}${path}`, init), this.env, context)
    await waitOnExecutionContext(context)
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a body
    return { status: response.status, body: (await response.json()) as any }
  }

  /** Delivers what waits in the queue, as the injection has it; what fails comes back, as with a real queue. */
  async deliver(): Promise<void> {
    // Only where the test holds the clock is a message's time waited for.
    const isDue = ({ dueAt }: Message) => !vi.isFakeTimers() || dueAt <= Date.now()
    const waiting = this.messages.filter(isDue)
    this.messages = this.messages.filter(each => !isDue(each))
    const delivered = this.#injection.deliver?.(waiting) ?? waiting
    if (this.#injection.atOnce) await Promise.all(delivered.map(message => this.#consume(message)))
    else for (const message of delivered) await this.#consume(message)
  }

  async #consume(message: Message): Promise<void> {
    let retried = false
    const batch = {
      queue: message.queue,
      messages: [{ ...message, timestamp: new Date(), ack: () => {}, retry: () => (retried = true) }],
    }
    await worker.queue(batch as unknown as MessageBatch, this.env)
    if (!retried) return
    const isDead = message.queue === 'jobs' && message.attempts > RETRIES_MAX
    const again = isDead ? { queue: 'jobs-dead' as const, attempts: 1 } : { attempts: message.attempts + 1 }
    this.messages.push({ ...message, ...again })
  }

  /** Lets everything happen that will ever happen: delivers until the queue is empty, then sweeps a while later. */
  async settle(team: Team): Promise<void> {
    let now = Date.now()
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if (this.messages.length > 0) {
        const soonest = Math.min(...this.messages.map(({ dueAt }) => dueAt))
        if (vi.isFakeTimers() && soonest > Date.now()) vi.setSystemTime(soonest)
        await this.deliver()
      } else {
        const open = await env.DB.prepare(
          'SELECT count(*) AS n FROM background_job WHERE team = ? AND completed_at = 0',
        )
          .bind(team.no)
          .first<{ n: number }>()
        if (open?.n === 0) return
        now = Math.max(now, Date.now()) + 3 * MINUTE_MS
        if (vi.isFakeTimers()) vi.setSystemTime(now)
        await sweep(createScheduledController({ scheduledTime: new Date(now), cron: '* * * * *' }), this.env)
      }
    }
    throw new Error('it never comes to rest')
  }
}
