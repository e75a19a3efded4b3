import { sleep } from './call/sleep.ts'
import type { StoredMessage } from './generated/shapes.ts'
import type { Messages } from './messages.ts'

/** The delivery statuses that `wait` can wait for, in order. */
const STEPS = ['SENT', 'DELIVERED', 'READ'] as const

export interface MessageWaitOptions {
  /** The default is DELIVERED. A READ message was delivered, too. */
  until?: (typeof STEPS)[number] | undefined
  signal?: AbortSignal | undefined
  /** After this time `wait` throws; the message is not affected. Some messages are never read. */
  timeoutMs?: number | undefined
}

const PAUSE_MS = 500
const PAUSE_MS_MAX = 10_000

/** Polls the message with growing pauses until it has reached the status or has failed. */
export async function waitForMessage(
  get: Messages['get'],
  id: string,
  { until = 'DELIVERED', signal, timeoutMs }: MessageWaitOptions = {},
): Promise<StoredMessage> {
  const late = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs)
  const ended = AbortSignal.any([signal, late].filter(each => each !== undefined))
  const enough: readonly string[] = [...STEPS.slice(STEPS.indexOf(until)), 'FAILED']
  try {
    for (let pause = PAUSE_MS; ; pause = Math.min(PAUSE_MS_MAX, pause * 1.5)) {
      const message = await get(id, { signal: ended })
      if (enough.includes(message.deliveryStatus)) return message
      await sleep(pause, ended)
    }
  } catch (error) {
    throw ended.aborted ? ended.reason : error
  }
}
