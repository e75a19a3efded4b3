import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { MessageSender } from '../../src/message/sender/message-sender.ts'

let known: Promise<DurableObjectState> | undefined

/** Returns the state that only a real object has, and without which no object can be made. To get one takes long. */
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
