import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { AsyncLocalStorage } from 'node:async_hooks'
import { vi } from 'vitest'
import { app } from '../../src/app.ts'
import type { JobTuning } from '../../src/background-job/settings.ts'
import worker from '../../src/index.ts'
import { runCron } from '../../src/maintenance/cron.ts'
import { MINUTE_MS } from '../../src/time-units.ts'
import { ORIGIN, type Team } from './api.ts'
import { arrive } from './arrival.ts'
import { type AroundBucketCall, bucketThrough } from './bucket.ts'
import { advanceTo } from './clock.ts'
import { endpointObjects, type Life } from './endpoint-objects.ts'
import {
  type Call,
  type Fault,
  type Inject,
  injectDatabase,
  injectObjects,
  injectProvider,
  injectSenders,
  type Kind,
  STATEMENT_END,
  STATEMENTS_PER_INVOCATION_MAX,
  type Trigger,
  withFault,
} from './injected-bindings.ts'

import { withLateTimers } from './late-timers.ts'
import { SILENT } from './webhooks.ts'

export type { Call, Fault, Kind, Trigger } from './injected-bindings.ts'

/** Values that differ from the settings of wrangler.toml, and from the constants of jobs. */
export interface HarnessVars {
  [name: string]: string | object
  JOB_TUNING?: Partial<JobTuning>
}

export interface FaultInjection {
  /** The fault of a call. What it is about is told, too: its place in the order changes with each call that is saved. */
  fault?: (kind: Kind, nth: number, about: string, call: Call) => Fault | undefined
  /** Runs before a call, and after it took effect: somebody else can act in between, or time can pass. */
  before?: (call: Call) => Promise<void> | void
  after?: (call: Call) => Promise<void> | void
  /** Stands around each call of R2: `failBucketCalls` and `breakBucket` let some fail. */
  bucket?: AroundBucketCall
  /** Turns the messages that are due into those that are delivered. */
  deliver?: (messages: Message[]) => Message[]
  /** The time that the database reports for a statement. */
  statementMs?: number
  /** Delivers all messages at the same time. */
  atOnce?: boolean
}

export interface Message {
  queue: string
  /** The trigger of the invocation that sent it. */
  sentBy: Trigger | undefined
  id: string
  body: unknown
  attempts: number
  dueAt: number
}

interface Invocation {
  trigger: Trigger
  statements: number
  /** The life of the object that was invoked: a dead one does nothing more. */
  life?: Life
}

/** The request, message or cron that a call belongs to. */
const current = new AsyncLocalStorage<Invocation>()
const invoke = <T>(trigger: Trigger, run: () => Promise<T>, life?: Life): Promise<T> =>
  current.run({ trigger, statements: 0, ...(life ? { life } : {}) }, run)

/** Never resolves for an object that has died. */
const whileAlive = (invocation: Invocation | undefined): Promise<void> | undefined =>
  invocation?.life?.isDead ? new Promise(() => {}) : undefined

/** The queues as wrangler.toml has them. */
const QUEUES = new Map(env.QUEUE_CONSUMERS.map(consumer => [consumer.queue, consumer]))
const DELAY_SECONDS_MAX = 43_200
const BATCH_MESSAGES_MAX = 100
const ROUNDS_MAX = 400

/** The Worker with its real bindings, but its own queue, and every call to a binding counted and open to faults. */
export class Harness {
  readonly calls: Record<Kind, number> = {
    database: 0,
    queue: 0,
    object: 0,
    limiter: 0,
    sender: 0,
    provider: 0,
    endpoint: 0,
    alarm: 0,
    receiver: 0,
  }
  /** Every call in its order. */
  readonly log: Call[] = []
  readonly rows = { read: 0, written: 0 }
  /** The most statements that one request, message or cron has run. */
  statementsMax = 0
  /** The number of messages that were not done, and came back. */
  retries = 0
  messages: Message[] = []
  readonly env: Env
  readonly endpoints = endpointObjects(
    (call, act) => this.#inject(call, act),
    () => this.env,
    (life, act) => invoke('endpoint', act, life),
  )
  readonly #injection: FaultInjection
  readonly #planned = new Set<{ dueAt: number; act: () => void }>()
  readonly #background: Promise<unknown>[] = []

  constructor(vars: HarnessVars = {}, injection: FaultInjection = {}) {
    this.#injection = injection
    const inject = this.#inject
    const count = (meta: D1Meta) => {
      this.rows.read += meta.rows_read
      this.rows.written += meta.rows_written
      meta.duration = injection.statementMs ?? meta.duration
    }
    const bindings = {
      DB: injectDatabase(inject, count),
      ...(injection.bucket ? { ARCHIVE: bucketThrough(injection.bucket) } : {}),
      JOBS: this.#queue('jobs'),
      JOBS_SMALL: this.#queue('jobs-small'),
      SENDS: this.#queue('sends'),
      PROVIDER_REPORTS: this.#queue('provider-reports'),
      MAINTENANCE: this.#queue('maintenance'),
      JOB_PROGRESS: injectObjects('object', env.JOB_PROGRESS, inject),
      NUMBER_RATE_LIMITER: injectObjects('limiter', env.NUMBER_RATE_LIMITER, inject),
      MESSAGE_SENDER: injectSenders(inject, () => this.env, {
        run: act => withLateTimers(this.#later, () => invoke('sender', act)),
        waitUntil: work => void this.#background.push(work),
      }),
      WHATSAPP: injectProvider(inject),
      WEBHOOK_ENDPOINT: this.endpoints.namespace,
      TEAM_EVENTS: SILENT,
    }
    this.env = { ...env, ...vars, ...bindings } as unknown as Env
  }

  /** A request that reaches somebody else's server. */
  receive<T>(about: string, act: () => Promise<T>): Promise<T> {
    return this.#inject({ kind: 'receiver', about, sql: '' }, act)
  }

  /** Plans the timers of a sender, which run unless somebody stops it. */
  readonly #later = (ms: number, act: () => void): (() => void) => {
    const planned = { dueAt: Date.now() + ms, act }
    this.#planned.add(planned)
    return () => void this.#planned.delete(planned)
  }

  async #doPlanned(): Promise<void> {
    for (const planned of this.#planned)
      if (planned.dueAt <= Date.now()) {
        this.#planned.delete(planned)
        planned.act()
      }
    await Promise.all(this.#background.splice(0))
  }

  readonly #inject: Inject = async (named, act) => {
    const invocation = current.getStore()
    if (named.kind === 'database') this.#countStatements(invocation, named.sql)
    const call = { ...named, nth: ++this.calls[named.kind], trigger: invocation?.trigger }
    this.log.push(call)
    const { fault, before, after } = this.#injection
    await before?.(call)
    await whileAlive(invocation)
    const made = withFault(call.kind, fault?.(call.kind, call.nth, call.about, call), async () => {
      const result = await act()
      await after?.(call)
      return result
    })
    const result = await made
    await whileAlive(invocation)
    return result
  }

  #queue(queue: string) {
    const add = (body: unknown, { delaySeconds = 0 }: QueueSendOptions = {}) => {
      if (delaySeconds > DELAY_SECONDS_MAX) throw new Error(`a message can not wait ${delaySeconds} s`)
      const dueAt = Date.now() + delaySeconds * 1000
      const sentBy = current.getStore()?.trigger
      this.messages.push({ queue, sentBy, id: crypto.randomUUID(), body, attempts: 1, dueAt })
    }
    const injected = (about: string, act: () => void) =>
      this.#inject({ kind: 'queue', about, sql: '' }, async () => act())
    return {
      send: (body: unknown, options?: QueueSendOptions) => injected(JSON.stringify(body), () => add(body, options)),
      sendBatch: (given: Iterable<MessageSendRequest>) => {
        const batch = [...given]
        if (batch.length > BATCH_MESSAGES_MAX) throw new Error(`${batch.length} messages in one call`)
        return injected(JSON.stringify(batch), () => {
          for (const { body, delaySeconds } of batch) add(body, delaySeconds === undefined ? {} : { delaySeconds })
        })
      },
    }
  }

  /** Refuses an invocation that runs too many statements, as D1 does. */
  #countStatements(invocation: Invocation | undefined, sql: string): void {
    if (!invocation) return
    invocation.statements += sql.split(STATEMENT_END).length
    this.statementsMax = Math.max(this.statementsMax, invocation.statements)
    if (invocation.statements > STATEMENTS_PER_INVOCATION_MAX)
      throw new Error('Too many API requests by single Worker invocation.')
  }

  async request(
    team: Pick<Team, 'token'>,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) {
    const context = createExecutionContext()
    const init = {
      method,
      headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const request = new Request(`${ORIGIN}${path}`, init)
    const response = await invoke('request', async () => {
      const first = await arrive(method, () => app.fetch(request, this.env, context))
      await waitOnExecutionContext(context)
      return first
    })
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of a body
    return { status: response.status, body: (await response.json()) as any }
  }

  /** A POST of a body that comes in piece by piece. */
  async stream(team: Pick<Team, 'token'>, path: string, body: ReadableStream<Uint8Array>, type: string) {
    const context = createExecutionContext()
    const headers = { authorization: `Bearer ${team.token}`, 'content-type': type }
    const request = new Request(`${ORIGIN}${path}`, { method: 'POST', headers, body })
    const response = await invoke('request', async () => app.fetch(request, this.env, context))
    await waitOnExecutionContext(context)
    return { status: response.status }
  }

  /** The cron at a time: now, if none is named. */
  runCron(time = Date.now()): Promise<void> {
    const controller = createScheduledController({ scheduledTime: new Date(time), cron: '* * * * *' })
    return invoke('cron', () => runCron(controller, this.env))
  }

  /**
   * Delivers the messages that are due; those that fail come back after their delay, as with a real queue. Where none is
   * due, time goes on until one is, unless the test has faked the clock: then only the test moves it.
   */
  async deliver(): Promise<void> {
    if (!vi.isFakeTimers()) this.#advance()
    const isDue = ({ dueAt }: Message) => dueAt <= Date.now()
    const waiting = this.messages.filter(isDue)
    this.messages = this.messages.filter(each => !isDue(each))
    const delivered = this.#injection.deliver?.(waiting) ?? waiting
    if (this.#injection.atOnce) await Promise.all(delivered.map(message => this.#consume(message)))
    else for (const message of delivered) await this.#consume(message)
  }

  #advance(): void {
    if (this.messages.length > 0) advanceTo(Math.min(...this.messages.map(({ dueAt }) => dueAt)))
  }

  async #consume(message: Message): Promise<void> {
    let retried: { delaySeconds?: number } | undefined
    const retry = (options: QueueRetryOptions = {}) => {
      retried = options
    }
    const batch = {
      queue: message.queue,
      messages: [{ ...message, timestamp: new Date(), ack: () => {}, retry }],
    }
    await invoke('message', () => worker.queue(batch as unknown as MessageBatch, this.env))
    if (!retried) return
    this.retries += 1
    const dueAt = Date.now() + (retried.delaySeconds ?? 0) * 1000
    const consumer = QUEUES.get(message.queue)
    if (message.attempts <= (consumer?.max_retries ?? 0))
      this.messages.push({ ...message, attempts: message.attempts + 1, dueAt })
    // A message that failed too often goes to the dead letter queue; without one it is dropped.
    else if (consumer?.dead_letter_queue)
      this.messages.push({ ...message, queue: consumer.dead_letter_queue, attempts: 1, dueAt: Date.now() })
  }

  /** Lets everything happen that will ever happen: delivers until the queue is empty, then runs the cron a while later. */
  async settle(team: Team): Promise<void> {
    for (let round = 0; round < ROUNDS_MAX; round++) {
      if (this.messages.length > 0) {
        this.#advance()
        await this.deliver()
        continue
      }
      const open = await env.DB.prepare('SELECT count(*) AS n FROM background_job WHERE team = ? AND completed_at = 0')
        .bind(team.no)
        .first<{ n: number }>()
      if (open?.n === 0) return
      advanceTo(Date.now() + MINUTE_MS)
      await this.#doPlanned()
      await this.runCron()
    }
    throw new Error('it never comes to rest')
  }
}
