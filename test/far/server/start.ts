import { Log, LogLevel, Miniflare } from 'miniflare'
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler'
import { bundleWorker } from '../../../scripts/local/bundle.ts'
import { databaseWorker, openLocalDatabase } from '../../../scripts/local/database.ts'
import { keepConnectionsOpen } from '../../../scripts/local/kept-connections.ts'
import { applyMigrations } from '../../../scripts/local/migrate.ts'
import { buildTeam } from '../../../src/team/new-team.ts'
import '../../support/fresh-connections.ts'
import { EMULATOR, whatsappWorker } from '../../whatsapp/bundle.ts'
import { ISOLATE_MODULE, isolateModule } from '../bundle.ts'
import { QueueBroker, type Retries } from '../platform/broker.ts'
import type { FarOptions } from '../platform/options.ts'
import { limitRows } from '../platform/rows.ts'

interface FarServer {
  url: string
  /** The emulated provider's, with its control routes. */
  whatsappUrl: string
  token: string
  teamId: string
  broker: QueueBroker
  /** A route of `/far/…`. */
  control: (method: string, path: string, body?: unknown) => Promise<unknown>
  stop: () => Promise<void>
}

interface ServerOptions {
  port?: number
  options?: Partial<FarOptions>
  vars?: Record<string, string>
  persist?: string
}

const DATABASES = { DB: 'far', REPLICA: 'far-replica' }
const CRON_EVERY_MS = 60_000

/** The Worker in real time, with distances and limits, in one workerd. */
export async function startFar({ port = 0, options = {}, vars = {}, persist }: ServerOptions = {}): Promise<FarServer> {
  const { producers = [], consumers = [] } = unstable_readConfig({ config: './wrangler.toml' }).queues
  const url = () => `http://127.0.0.1:${boundPort}`
  const control: FarServer['control'] = async (method, address, body) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${url()}/far/${address}`, { method, ...sent })
    if (!response.ok) throw new Error(`${method} /far/${address}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const broker = new QueueBroker({ producers, consumers }, async (queue, messages) => {
    const retries = (await control('POST', 'queue', { queue, messages })) as Record<string, { delaySeconds?: number }>
    return new Map(Object.entries(retries)) as Retries
  })
  const { workerOptions } = unstable_getMiniflareWorkerOptions('wrangler.toml')
  keepConnectionsOpen()
  const miniflare = new Miniflare({
    log: new Log(LogLevel.ERROR),
    handleRuntimeStdio: (...streams: NodeJS.ReadableStream[]) => {
      for (const stream of streams) stream.resume()
    },
    cf: false,
    logRequests: false,
    port,
    ...(persist === undefined ? {} : { defaultPersistRoot: persist }),
    workers: [
      {
        ...workerOptions,
        name: 'api',
        routes: ['*/*'],
        modules: [{ type: 'ESModule', path: 'far.mjs', contents: await farModule() }],
        bindings: {
          ...workerOptions.bindings,
          SECRETS_KEY: btoa('a key of thirty-two bytes, local'),
          ...vars,
          FAR_OPTIONS: options,
        },
        d1Databases: DATABASES,
        queueConsumers: {},
        serviceBindings: {
          ...workerOptions.serviceBindings,
          WHATSAPP: EMULATOR,
          BROKER: async (request: { json: () => Promise<unknown> }) => {
            const sent = (await request.json()) as { binding: string; messages: { body: unknown }[] }
            await broker.send(sent.binding, sent.messages)
            return new Response('{}')
          },
        },
        outboundService: EMULATOR,
      },
      {
        ...(await whatsappWorker({ api: 'api' })),
        unsafeDirectSockets: [{ host: '127.0.0.1', port: port === 0 ? 0 : port + 1 }],
      },
      databaseWorker(DATABASES),
    ],
  } as unknown as ConstructorParameters<typeof Miniflare>[0])
  const boundPort = Number((await miniflare.ready).port)
  const whatsappUrl = (await miniflare.unsafeGetDirectURL(EMULATOR)).origin
  const team = await buildTeam('Far', { no: 1, now: Date.now() })
  for (const name of Object.keys(DATABASES)) {
    const db = await openLocalDatabase(miniflare, name)
    await applyMigrations(db)
    await limitRows(db)
    const statements = team.statements.map(each => each.compile())
    await db.batch(statements.map(({ text, params }) => db.prepare(text).bind(...params)))
  }
  const cron = setInterval(() => void control('POST', 'cron').catch(() => {}), CRON_EVERY_MS)
  return {
    url: url(),
    whatsappUrl,
    token: team.token,
    teamId: team.teamId,
    broker,
    control,
    stop: async () => {
      clearInterval(cron)
      await miniflare.dispose()
    },
  }
}

async function farModule(): Promise<string> {
  const isolate = await isolateModule()
  return bundleWorker('test/far/server/worker.ts', {
    plugins: [
      {
        name: 'isolate',
        setup(building) {
          building.onResolve({ filter: /^caseworker:isolate$/ }, () => ({ path: ISOLATE_MODULE, namespace: 'isolate' }))
          building.onLoad({ filter: /./, namespace: 'isolate' }, () => ({ contents: isolate, loader: 'js' }))
        },
      },
    ],
  })
}
