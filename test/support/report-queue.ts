import { env } from 'cloudflare:workers'
import worker from '../../src/index.ts'

/** Webhooks are written before they are answered, so that a test need not wait for a batch. `Harness` and `far` have the real order. */
const send = async (body: unknown): Promise<void> => {
  const failures: unknown[] = []
  const message = {
    id: crypto.randomUUID(),
    body,
    attempts: 1,
    timestamp: new Date(),
    ack: () => {},
    retry: () => failures.push(body),
  }
  await worker.queue({ queue: 'provider-reports', messages: [message] } as unknown as MessageBatch, env)
  if (failures.length > 0) throw new Error('the webhook was not written')
}

Object.assign(env.PROVIDER_REPORTS, { send })
