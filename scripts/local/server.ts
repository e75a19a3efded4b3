import { Miniflare } from 'miniflare'
import { EMULATOR, whatsappWorker } from '../../test/whatsapp/bundle.ts'
import { keepConnectionsOpen } from './kept-connections.ts'
import { printLog } from './logs.ts'
import { PERSIST_ROOT, RUNTIME_OPTIONS, readConfigured } from './prepare.ts'
import { loadWorkerOptions } from './worker-options.ts'

interface ServerOptions {
  /** The port of the API; the emulated WhatsApp gets the next one. */
  port: number
  /** The bundled Worker. */
  script: Promise<string>
  settings: Record<string, string | object>
}

export interface LocalServer {
  /** Cloudflare runs the cron trigger; locally nothing does. */
  triggerCron: () => Promise<void>
  stop: () => Promise<void>
}

/** The handlers of a Worker that Node's types of Miniflare lack. */
interface ScheduledWorker {
  scheduled: (event: { cron: string }) => Promise<unknown>
}

const HOST = 'localhost'
const EVERY_MINUTE = '* * * * *'

/**
 * Calls from the Worker to the emulated WhatsApp use no connection: workerd closes one that was idle for five seconds,
 * and a message at that moment had an unknown outcome. Everything else goes over the network.
 */
const OUTBOUND = 'outbound'
const OUTBOUND_SCRIPT = `export default {
  fetch: (request, { PROVIDER_URL, PROVIDER }) =>
    new URL(request.url).origin === PROVIDER_URL ? PROVIDER.fetch(request) : fetch(request),
}`

/** Starts the Worker and the emulated WhatsApp in one runtime, which listens on the port itself, without a proxy before it. */
export async function startServer({ port, script, settings }: ServerOptions): Promise<LocalServer> {
  // The Worker's name, as in wrangler: the folders of its objects begin with it.
  const name = readConfigured('name')
  const [workerOptions, emulator, contents] = await Promise.all([
    loadWorkerOptions(),
    whatsappWorker({ api: name }),
    script,
  ])
  const options = {
    ...RUNTIME_OPTIONS,
    host: HOST,
    port,
    defaultPersistRoot: PERSIST_ROOT,
    handleStructuredLogs: printLog,
    workers: [
      // The first one gets the requests, behind its static assets: a Worker that has a route would get them before these.
      {
        ...workerOptions,
        name,
        modules: [{ type: 'ESModule', path: 'index.mjs', contents }],
        bindings: { ...workerOptions.bindings, ...settings },
        outboundService: OUTBOUND,
      },
      {
        name: OUTBOUND,
        modules: [{ type: 'ESModule', path: 'outbound.mjs', contents: OUTBOUND_SCRIPT }],
        compatibilityDate: readConfigured('compatibility_date'),
        bindings: { PROVIDER_URL: settings.WHATSAPP_API_URL },
        serviceBindings: { PROVIDER: EMULATOR },
      },
      { ...emulator, unsafeDirectSockets: [{ host: HOST, port: port + 1 }] },
    ],
  }
  keepConnectionsOpen()
  const miniflare = new Miniflare(options as unknown as ConstructorParameters<typeof Miniflare>[0])
  await miniflare.ready
  return {
    async triggerCron() {
      const worker = await miniflare.getWorker(name)
      await (worker as unknown as ScheduledWorker).scheduled({ cron: EVERY_MINUTE })
    },
    stop: () => miniflare.dispose(),
  }
}
