import type { StoredMessage } from './generated/shapes.ts'
import type { Messages } from './messages.ts'
import { sleep } from './sleep.ts'

/** What a message can be waited for, in the order in which it comes. */
const STEPS = ['SENT', 'DELIVERED', 'READ'] as const

export interface MessageWaitOptions {
  /** DELIVERED, where it is left out. What is READ was delivered, too. */
  until?: (typeof STEPS)[number] | undefined
  signal?: AbortSignal | undefined
  /** Gives up after this long: then `wait` throws, and the message goes its way. Some are never read. */
  timeoutMs?: number | undefined
}

const PAUSE_MS = 500
const PAUSE_MS_MAX = 10_000

/** Asks for the message, less and less often, until it has come that far or has failed. */
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
