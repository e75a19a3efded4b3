import { DurableObject } from 'cloudflare:workers'
import { openDatabase } from '../../db/databases.ts'
import { getDurableObject } from '../../durable-objects.ts'
import { readLogRetention } from '../../event/settings.ts'
import { signalCommit } from '../../event/signal/signal.ts'
import { getCipher } from '../../plugin/secret/cipher.ts'
import { readAddressPolicy, webhookTimeoutMs } from '../settings.ts'
import { type EndpointStorage, newWebhookSender, type WebhookSender } from './sender.ts'
import type { EndpointName } from './store.ts'

const NAME = 'endpoint'

/** The Durable Object of one endpoint, so that a slow receiver delays no other. It sends when its alarm rings. */
export class WebhookEndpoint extends DurableObject<Env> {
  readonly #sender = createWebhookSender(this.env, createStorage(this.ctx.storage))

  wake(name: EndpointName, isBehind = false, isChanged = false): Promise<void> {
    return this.#sender.wake(name, isBehind, isChanged)
  }

  override alarm(): Promise<void> {
    return this.#sender.alarm()
  }
}

const createStorage = (storage: DurableObjectStorage): EndpointStorage => ({
  name: async () => (await storage.get<EndpointName>(NAME)) ?? null,
  remember: name => storage.put(NAME, name),
  alarmAt: () => storage.getAlarm(),
  setAlarm: at => storage.setAlarm(at),
  async forget() {
    await storage.deleteAlarm()
    await storage.deleteAll()
  },
})

export const createWebhookSender = (env: Env, storage: EndpointStorage): WebhookSender =>
  newWebhookSender(storage, {
    db: cost => openDatabase(env, cost),
    cipher: getCipher(env),
    policy: readAddressPolicy(env),
    timeoutMs: webhookTimeoutMs(env),
    keptSince: () => Date.now() - readLogRetention(env).feedMs,
    signal: team => signalCommit(env, team),
    pause: env,
  })

/** Returns the Durable Object of an endpoint. */
export const getEndpoint = (env: Pick<Env, 'WEBHOOK_ENDPOINT'>, { team, id }: EndpointName) =>
  getDurableObject(env, 'WEBHOOK_ENDPOINT', `${team}/${id}`)
