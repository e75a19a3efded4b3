import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { MessageSender } from '../../src/message/sender/message-sender.ts'

let known: Promise<DurableObjectState> | undefined

/** Only an object has a state, and nothing is made without one. To get one takes long. */
const someState = (): Promise<DurableObjectState> =>
  (known ??= runInDurableObject(env.MESSAGE_SENDER.get(env.MESSAGE_SENDER.newUniqueId()), (_, state) => state))

/** A sender in the isolate of the test, with bindings of its own. What it leaves to be finished goes to `waitUntil`. */
export async function newMessageSender(
  bindings: Env,
  waitUntil: (work: Promise<unknown>) => void,
): Promise<MessageSender> {
  const sender = new MessageSender(await someState(), bindings)
  return Object.defineProperty(sender, 'ctx', { value: { waitUntil } })
}
