import { startIsolate } from 'caseworker:isolate'
import { env } from 'cloudflare:workers'
import { getPlatform, setPlatform } from '../current.ts'
import { farBindings } from '../platform/bindings.ts'
import type { QueueMessage, QueueSink } from '../platform/broker.ts'
import type { FaultRule, Trigger } from '../platform/faults.ts'
import type { FarOptions } from '../platform/options.ts'
import { Platform } from '../platform/platform.ts'

// The Worker of `npm run far`: everything but `/far/…` is the Worker that is far away.

export * from '../worker.ts'

interface ServerEnv extends Env {
  FAR_OPTIONS: Partial<FarOptions>
  /** The queues, which are outside of any isolate. */
  BROKER: Fetcher
}

setPlatform(new Platform((env as ServerEnv).FAR_OPTIONS))
let isolate = startIsolate()

const getSink = ({ BROKER }: ServerEnv): QueueSink => ({
  async send(binding, messages) {
    const response = await BROKER.fetch('http://broker/', {
      method: 'POST',
      body: JSON.stringify({ binding, messages }),
    })
    if (!response.ok) throw new Error(await response.text())
  },
})

const bindings = (trigger: Trigger, real: ServerEnv): ServerEnv =>
  farBindings(getPlatform(), trigger, real, getSink(real))

type Control = (request: Request, real: ServerEnv) => Promise<unknown>

/** The controls of the place for people and scripts. `test/far/README.md` describes them. */
const CONTROLS: Record<string, Control> = {
  'GET /far/options': async () => getPlatform().options,
  'PUT /far/options': async request => Object.assign(getPlatform().options, await request.json()),
  'POST /far/faults': async request => {
    const rules = await request.json<FaultRule[]>()
    getPlatform().faults.add(...rules)
    return rules
  },
  'DELETE /far/faults': async () => getPlatform().faults.clear(),
  'POST /far/vanish': async () => {
    isolate = startIsolate()
  },
  'GET /far/calls': async () => getPlatform().calls.map(call => ({ ...call, about: call.about.slice(0, 500) })),
  'DELETE /far/calls': async () => {
    getPlatform().calls = []
  },
  'POST /far/queue': async (request, real) => consume(await request.json(), real),
  'POST /far/query': async (request, { DB }) => {
    const batch = await request.json<{ sql: string; params: unknown[] }[]>()
    return DB.batch(batch.map(({ sql, params }) => DB.prepare(sql).bind(...params))).then(
      results => ({ results }),
      (error: Error) => ({ error: error.message }),
    )
  },
  'POST /far/cron': async (_, real) => {
    const controller = { scheduledTime: Date.now(), cron: '* * * * *', noRetry: () => {} }
    await isolate.default.scheduled(controller, bindings('cron', real))
  },
}

async function consume({ queue, messages }: { queue: string; messages: QueueMessage[] }, real: ServerEnv) {
  const retries: Record<string, QueueRetryOptions> = {}
  const batch = {
    queue,
    messages: messages.map(({ id, body, attempts, sentAt }) => ({
      id,
      body,
      attempts,
      timestamp: new Date(sentAt),
      ack: () => {},
      retry: (options: QueueRetryOptions = {}) => (retries[id] = options),
    })),
    ackAll: () => {},
    retryAll: (options: QueueRetryOptions = {}) => {
      for (const { id } of messages) retries[id] = options
    },
  }
  await isolate.default.queue(batch as unknown as MessageBatch, bindings('message', real))
  return retries
}

export default {
  async fetch(request: Request, real: ServerEnv, context: ExecutionContext): Promise<Response> {
    const { pathname } = new URL(request.url)
    const control = CONTROLS[`${request.method} ${pathname}`]
    if (control) return Response.json((await control(request, real)) ?? null)
    const file = isPage(pathname) ? await real.ASSETS.fetch(request.clone()) : undefined
    if (file?.ok) return file
    return isolate.default.fetch(request, bindings('request', real), context)
  },
}

/** The documentation is static files, which Cloudflare serves before the Worker. */
const isPage = (pathname: string): boolean => pathname === '/docs' || pathname.startsWith('/docs/')
