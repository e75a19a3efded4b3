import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'
import type { Harness } from './harness.ts'

/** A verified request, in the order of arrival. */
export interface Arrival {
  id: string
  sequence: number
  attempt: number
  // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of an event
  event: any
}

/** The response of a receiver to a request that it has read. */
type Behaviour = Response | 'hang' | 'drop'
export type Behave = (arrival: Arrival, nth: number) => Behaviour | Promise<Behaviour>

export interface Receiver {
  url: string
  arrivals: Arrival[]
  /** Sets its behaviour from now on. */
  behave: Behave
  /** Verifies with this, once it is known. */
  secret: string | null
  /** Requests whose response is awaited, at most. */
  atOnceMax: number
}

export const ok: Behave = () => new Response('thank you')

const receivers = new Map<string, (request: Request) => Promise<Response>>()
const outside = globalThis.fetch

/** The network: requests to hosts of receivers arrive there, whoever sends them. */
export function connectReceivers(): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input, init)
    const receive = receivers.get(new URL(request.url).host)
    const response = await (receive ? receive(request) : outside(request))
    const location = response.headers.get('location')
    // The runtime follows a redirect in the same way.
    return receive && location !== null && request.redirect === 'follow' ? globalThis.fetch(location) : response
  })
}

/** A server of somebody else, at an address of its own. */
export function newReceiver(behave: Behave = ok, harness?: () => Harness): Receiver {
  const host = `r${crypto.randomUUID()}.example.com`
  const receiver: Receiver = { url: `https://${host}/hook`, arrivals: [], behave, secret: null, atOnceMax: 0 }
  let atOnce = 0
  receivers.set(host, async request => {
    const act = async () => {
      const text = await request.text()
      atOnce += 1
      receiver.atOnceMax = Math.max(receiver.atOnceMax, atOnce)
      try {
        return await respond(receiver, request, text)
      } finally {
        atOnce -= 1
      }
    }
    return harness ? harness().receive(request.url, act) : act()
  })
  return receiver
}

async function respond(receiver: Receiver, { headers }: Request, text: string): Promise<Response> {
  if (receiver.secret !== null) new Webhook(receiver.secret).verify(text, Object.fromEntries(headers))
  const event = JSON.parse(text)
  const id = headers.get('webhook-id') ?? ''
  const before = receiver.arrivals.filter(each => each.id === id).length
  const arrival = { id, sequence: Number(headers.get('webhook-sequence')), attempt: before + 1, event }
  receiver.arrivals.push(arrival)
  const behaviour = await receiver.behave(arrival, receiver.arrivals.length)
  if (behaviour === 'hang') return new Promise(() => {})
  if (behaviour === 'drop') throw new TypeError('Network connection lost.')
  return behaviour
}
