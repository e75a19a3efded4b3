import type { Storm } from './storm.ts'

/** The receiver of the messages that a Worker sends to a queue: `queue` is the name of the binding. */
export interface QueueSink {
  send(binding: string, messages: { body: unknown; delaySeconds?: number }[]): Promise<void>
}

interface QueueProducer {
  binding: string
  queue: string
}

export interface QueueConsumer {
  queue: string
  max_batch_size?: number
  max_batch_timeout?: number
  max_retries?: number
  retry_delay?: number
  max_concurrency?: number | null
  dead_letter_queue?: string
}

export interface QueueMessage {
  id: string
  body: unknown
  attempts: number
  dueAt: number
  sentAt: number
}

/** The messages that come back, each after a delay; the others are done. */
export type Retries = Map<string, { delaySeconds?: number }>

const CONCURRENCY_MAX = 250
const BATCH_SIZE = 10
const BATCH_TIMEOUT_SECONDS = 5
const RETRIES_MAX = 3
const SECOND_MS = 1000

/**
 * Queues as wrangler.toml has them, with as many consumers at the same time as they may have: the local ones have one.
 * A queue of Cloudflare adds consumers bit by bit while messages wait; this one has them all at once.
 */
export class QueueBroker implements QueueSink {
  /** Messages that wait, by queue. */
  readonly waiting = new Map<string, QueueMessage[]>()
  /** The number of batches that are being consumed. */
  running = 0
  /** Messages that failed too often and have no dead letter queue. */
  readonly dropped: QueueMessage[] = []
  /** Messages come late, twice, or never. */
  storm: Storm | undefined
  readonly #queueOf: Map<string, string>
  readonly #consumers: Map<string, QueueConsumer>
  readonly #consume: (queue: string, messages: QueueMessage[]) => Promise<Retries>
  readonly #busy = new Map<string, number>()
  /** While true, messages are kept and none is delivered. */
  paused = false

  constructor(
    { producers, consumers }: { producers: QueueProducer[]; consumers: QueueConsumer[] },
    consume: (queue: string, messages: QueueMessage[]) => Promise<Retries>,
  ) {
    this.#queueOf = new Map(producers.map(({ binding, queue }) => [binding, queue]))
    this.#consumers = new Map(consumers.map(consumer => [consumer.queue, consumer]))
    this.#consume = consume
  }

  async send(binding: string, messages: { body: unknown; delaySeconds?: number }[]): Promise<void> {
    const queue = this.#queueOf.get(binding)
    if (queue === undefined) throw new Error(`wrangler.toml names no queue for ${binding}`)
    for (const { body, delaySeconds = 0 } of messages) {
      if (this.storm?.loses(queue)) continue
      const now = Date.now()
      const dueAt = now + delaySeconds * SECOND_MS + (this.storm?.delayMs() ?? 0)
      this.#add(queue, { id: crypto.randomUUID(), body, attempts: 1, dueAt, sentAt: now })
    }
  }

  /** Delivers what was kept. */
  resume(): void {
    this.paused = false
    for (const queue of this.waiting.keys()) this.#deliver(queue)
  }

  #add(queue: string, message: QueueMessage): void {
    this.waiting.set(queue, [...(this.waiting.get(queue) ?? []), message])
    // The delivery is not immediate: the sender must have continued before the message arrives.
    setTimeout(() => this.#deliver(queue), Math.max(1, message.dueAt - Date.now()))
  }

  #deliver(queue: string): void {
    const consumer = this.#consumers.get(queue)
    if (!consumer || this.paused) return
    const size = consumer.max_batch_size ?? BATCH_SIZE
    const timeoutMs = (consumer.max_batch_timeout ?? BATCH_TIMEOUT_SECONDS) * SECOND_MS
    for (;;) {
      const busy = this.#busy.get(queue) ?? 0
      if (busy >= (consumer.max_concurrency ?? CONCURRENCY_MAX)) return
      const all = this.waiting.get(queue) ?? []
      const due = all.filter(({ dueAt }) => dueAt <= Date.now())
      const oldest = Math.min(...due.map(({ dueAt }) => dueAt))
      if (due.length === 0) return
      const waitMs = oldest + timeoutMs - Date.now()
      if (due.length < size && waitMs > 0) {
        setTimeout(() => this.#deliver(queue), waitMs)
        return
      }
      const batch = due.slice(0, size)
      const taken = new Set(batch)
      this.waiting.set(
        queue,
        all.filter(message => !taken.has(message)),
      )
      this.#busy.set(queue, busy + 1)
      this.running += 1
      void this.#run(queue, consumer, batch)
    }
  }

  async #run(queue: string, consumer: QueueConsumer, batch: QueueMessage[]): Promise<void> {
    const all: Retries = new Map(batch.map(({ id }) => [id, {}]))
    const retries = await this.#consume(queue, batch).catch(() => all)
    this.running -= 1
    this.#busy.set(queue, (this.#busy.get(queue) ?? 1) - 1)
    for (const message of batch) {
      const retried = retries.get(message.id)
      if (!retried) {
        if (this.storm?.repeats()) this.#add(queue, { ...message, dueAt: Date.now() + this.storm.delayMs() })
        continue
      }
      const dueAt = Date.now() + (retried.delaySeconds ?? consumer.retry_delay ?? 0) * SECOND_MS
      if (message.attempts <= (consumer.max_retries ?? RETRIES_MAX))
        this.#add(queue, { ...message, attempts: message.attempts + 1, dueAt })
      else if (consumer.dead_letter_queue)
        this.#add(consumer.dead_letter_queue, { ...message, attempts: 1, dueAt: Date.now() })
      else this.dropped.push(message)
    }
    this.#deliver(queue)
  }
}
