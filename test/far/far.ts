import { startIsolate } from 'caseworker:isolate'
import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { buildTeam as newTeamStatements, selectNextTeamNumber } from '../../src/team/new-team.ts'
import { ORIGIN } from '../support/origin.ts'
import { sleep } from '../support/sleep.ts'
import { setPlatform } from './current.ts'
import { farBindings } from './platform/bindings.ts'
import { countBody } from './platform/bodies.ts'
import { QueueBroker, type QueueMessage, type Retries } from './platform/broker.ts'
import type { Trigger } from './platform/faults.ts'
import type { Invocation } from './platform/limits.ts'
import { type ObjectClass, PlainObject, VirtualObjects } from './platform/objects.ts'
import type { FarOptions } from './platform/options.ts'
import { Platform } from './platform/platform.ts'
import { rateLimits } from './platform/rate-limits.ts'
import { Replica } from './platform/replica.ts'
import type { Storm } from './platform/storm.ts'
import { startVirtualTime, throughTime } from './virtual-time.ts'

/**
 * A place that is as unkind as Cloudflare, for tests:
 *
 *     const place = far({ databaseMs: 150 })                 // options: platform/options.ts
 *     const team = await place.newTeam()
 *     place.faults.add({ kind: 'database', fault: 'lost after', about: 'INSERT INTO process' })   // platform/faults.ts
 *     const reply = await team.call('GET', '/v1/ext/users')  // reply.ms is how long it took
 *     place.vanish()                                         // the next request meets an isolate that remembers nothing
 *     await place.pass(60_000); await place.cron(); await place.rest()
 *
 * The whole Worker runs. Time is virtual: it passes at once, while `call`, `pass`, `cron`, `rest` or `run` is waited for.
 */
export function far(options: Partial<FarOptions> = {}, vars: Partial<Env> = {}): Place {
  return new Place(options, vars)
}

/** A body that arrives in pieces during this time, as over a slow line. */
export function slowBody(text: string, ms: number, pieces = 20): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  const size = Math.ceil(bytes.length / pieces)
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      if (at >= bytes.length) return controller.close()
      await sleep(Math.ceil(ms / pieces))
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

export interface FarReply {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a body
  data: any
  // biome-ignore lint/suspicious/noExplicitAny: as above
  meta: any
  errors: string[]
  /** The time for which the caller waited for the response, in virtual time. */
  ms: number
  /** Trips to the database that it cost, by its own account. */
  trips: number
}

export interface FarTeam {
  no: number
  id: string
  /** By which it calls: its first one, until it has another. */
  token: string
  call: (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<FarReply>
}

type Caller = { token: string; name: string }
type Isolate = ReturnType<typeof startIsolate>

/** There is one copy of the database, whichever place reads it. */
const replica = new Replica()

const QUIET_ROUNDS_MAX = 2_000
const STEP_MS = 1_000
/** No timer waits longer. */
const TIMER_MS_MAX = 20 * 24 * 60 * 60_000

export class Place {
  readonly platform: Platform
  readonly broker: QueueBroker
  readonly #env: Env
  #isolates: Isolate[] = [startIsolate()]
  #served = 0
  #background: Promise<unknown>[] = []

  constructor(options: Partial<FarOptions>, vars: Partial<Env>) {
    startVirtualTime()
    this.platform = new Platform(options, replica)
    setPlatform(this.platform)
    const isolate: Record<string, unknown> = startIsolate({ DurableObject: PlainObject })
    const classes = env.OBJECTS.map(({ name, class_name }) => [name, isolate[class_name] as ObjectClass] as const)
    this.platform.objects = new VirtualObjects(new Map(classes), () => {
      const invocation = this.platform.newInvocation('object')
      return { invocation, env: this.bindings(invocation) }
    })
    this.#env = { ...env, ...rateLimits(env.RATE_LIMITS), ...vars }
    this.broker = new QueueBroker(env.QUEUES, (queue, messages) => this.#consume(queue, messages))
  }

  get faults() {
    return this.platform.faults
  }

  get options(): FarOptions {
    return this.platform.options
  }

  /** Starts random faults of all kinds: see `platform/storm.ts`. */
  begin(storm: Storm): void {
    this.platform.storm = storm
    this.broker.storm = storm
  }

  calm(): void {
    this.platform.storm = undefined
    this.broker.storm = undefined
  }

  /** The next invocation meets another isolate, which has nothing in its memory; or several, which take turns. */
  vanish(isolates = 1): void {
    this.#isolates = Array.from({ length: isolates }, () => startIsolate({}, this.platform.storm?.skewMs()))
  }

  /** The objects lose what they have in memory. */
  evict(): void {
    this.platform.objects?.evict()
  }

  get #isolate(): Isolate {
    if (this.platform.storm?.vanishes()) this.vanish(2)
    const isolate = this.#isolates[this.#served++ % this.#isolates.length]
    if (!isolate) throw new Error('a place has at least one isolate')
    return isolate
  }

  /** Deploys the Worker with other settings. */
  set(vars: { [Name in keyof Env]?: Env[Name] | undefined }): void {
    Object.assign(this.#env, vars)
    this.vanish()
  }

  /** Does something while time passes. */
  run<T>(act: () => Promise<T>): Promise<T> {
    return throughTime(this.platform, act)
  }

  /** Lets time pass, months as well. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= TIMER_MS_MAX) await this.run(() => sleep(Math.min(left, TIMER_MS_MAX)))
  }

  /** Makes one request to the Worker. Its work in `waitUntil` continues after the response. */
  async fetch(path: string, init: RequestInit = {}, by = 'a stranger'): Promise<Response> {
    const context = createExecutionContext()
    const request = new Request<unknown, IncomingRequestCfProperties>(
      ORIGIN + path,
      init as RequestInit<IncomingRequestCfProperties>,
    )
    const invocation = this.platform.newInvocation('request')
    invocation.by = `${by}: ${request.method} ${path}`
    const counted = countBody(this.platform.held, invocation, request)
    const answered = Promise.resolve(this.#isolate.default.fetch(counted, this.bindings(invocation), context))
    const response = await invocation.whileAlive(answered)
    this.platform.held.release(invocation)
    const rest = invocation.whileAlive(waitOnExecutionContext(context))
    // The cron finds work that a storm has ended; elsewhere its failure is a fault of the Worker.
    this.#background.push(this.platform.storm ? rest.catch(() => {}) : rest)
    return response
  }

  cron(): Promise<void> {
    const controller = createScheduledController({ scheduledTime: new Date(), cron: '* * * * *' })
    const invocation = this.platform.newInvocation('cron')
    return this.run(async () => {
      const swept = Promise.resolve(this.#isolate.default.scheduled(controller, this.bindings(invocation)))
      await invocation.whileAlive(swept).catch((error: unknown) => {
        if (!invocation.isDead) throw error
      })
    })
  }

  /** Lets time pass until no message waits and nothing runs; the cron runs each minute if `cron` is true. */
  async rest({ cron = false } = {}): Promise<void> {
    const isBusy = () => this.broker.running > 0 || [...this.broker.waiting.values()].some(each => each.length > 0)
    await this.settled()
    for (let round = 1; isBusy(); round++) {
      if (round > QUIET_ROUNDS_MAX) throw new Error('it never comes to rest')
      await this.pass(STEP_MS)
      if (cron && round % 60 === 0) await this.cron()
    }
    await this.settled()
  }

  /** Waits until the work of requests in `waitUntil` is done. */
  async settled(): Promise<void> {
    await this.run(async () => {
      await Promise.all(this.#background.splice(0))
    })
  }

  /** Writes to the database from outside, and to its copy at once. */
  async store(statements: { sql: string; params: unknown[] }[]): Promise<void> {
    for (const db of [env.DB, env.REPLICA])
      await db.batch(statements.map(({ sql, params }) => db.prepare(sql).bind(...params)))
  }

  async newTeam(name = `Far ${crypto.randomUUID()}`): Promise<FarTeam> {
    const { text: sql } = selectNextTeamNumber.compile()
    const next = await env.DB.prepare(sql).first<{ no: number }>()
    const made = await newTeamStatements(name, { no: next?.no ?? 1, now: Date.now() })
    await this.store(
      made.statements.map(each => each.compile()).map(({ text, params }) => ({ sql: text, params: [...params] })),
    )
    const call: FarTeam['call'] = (...args) => this.run(() => this.#call({ token: team.token, name }, ...args))
    const team: FarTeam = { no: made.teamNo, id: made.teamId, token: made.token, call }
    return team
  }

  async #call(by: Caller, method: string, path: string, body?: unknown, headers = {}): Promise<FarReply> {
    const startedAt = Date.now()
    const isSentAsItIs = typeof body === 'string' || body instanceof ReadableStream
    const init = {
      method,
      headers: {
        authorization: `Bearer ${by.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: isSentAsItIs ? body : JSON.stringify(body) }),
    }
    const response = await this.fetch(path, init, by.name)
    const text = await response.text()
    const ms = Date.now() - startedAt
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    const parsed = isJson && text !== '' ? JSON.parse(text) : { _data: text, _meta: {}, _errors: [] }
    const trips = Number(/trips=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1] ?? 0)
    const { _data: data, _meta: meta, _errors: errors } = parsed
    return { status: response.status, headers: response.headers, data, meta, errors, ms, trips }
  }

  /** Returns the bindings of one invocation of the Worker. */
  bindings(invoked: Trigger | Invocation = 'request'): Env {
    return farBindings(this.platform, invoked, this.#env, this.broker)
  }

  async #consume(queue: string, messages: QueueMessage[]): Promise<Retries> {
    const retries: Retries = new Map()
    const batch = {
      queue,
      messages: messages.map(({ id, body, attempts, sentAt }) => ({
        id,
        attempts,
        timestamp: new Date(sentAt),
        body: structuredClone(body),
        ack: () => {},
        retry: (options: QueueRetryOptions = {}) => retries.set(id, options),
      })),
      ackAll: () => {},
      retryAll: (options: QueueRetryOptions = {}) => {
        for (const { id } of messages) retries.set(id, options)
      },
    }
    const invocation = this.platform.newInvocation('message')
    invocation.by = `${queue}: ${messages.map(({ body }) => (body as { team?: number }).team)}`
    await invocation.whileAlive(
      Promise.resolve(this.#isolate.default.queue(batch as unknown as MessageBatch, this.bindings(invocation))),
    )
    return retries
  }
}
