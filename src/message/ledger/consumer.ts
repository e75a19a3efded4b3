import { describeError } from '../../describe-error.ts'
import { isSettlement, settleFromQueue } from './queue.ts'

const RETRY_SECONDS_MAX = 300

/** Writes down the settlements of a batch; resolves to the messages that are none. */
export async function consumeSettlements(messages: readonly Message[], env: Env): Promise<Message[]> {
  for (const message of messages.filter(({ body }) => isSettlement(body))) {
    try {
      await settleFromQueue(env, message.body)
      message.ack()
    } catch (error) {
      const { attempts } = message
      console.error(JSON.stringify({ settlement: message.id, attempts, cause: describeError(error) }))
      message.retry({ delaySeconds: Math.min(RETRY_SECONDS_MAX, 2 ** attempts) })
    }
  }
  return messages.filter(({ body }) => !isSettlement(body))
}
