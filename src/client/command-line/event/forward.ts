import { createHmac } from 'node:crypto'
import type { TeamEvent } from '../../client.ts'
import { UsageError } from '../command/usage-error.ts'

/** As long as a webhook waits. */
const RESPONSE_WITHIN_MS = 15_000
const SECRET_PREFIX = 'whsec_'
/** What Standard Webhooks asks of a secret. */
const SECRET_BYTES_MIN = 24
const REASON_CHARACTERS_MAX = 200

export interface Receiver {
  address: URL
  secret: string
}

export interface Forwarded {
  isAccepted: boolean
  /** The status of the response, with its first line if it is no success; or why there is none. */
  outcome: string
  ms: number
}

/** An address, as people write those of their own machine: `3000`, `localhost:3000/hooks`, `http://…`. */
export function receiverAddress(text: string): URL {
  const written = /^\d+(\/|$)/.test(text) ? `localhost:${text}` : text
  const address = /^https?:\/\//i.test(written) ? written : `http://${written}`
  const isOther = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) && address !== written
  if (isOther || !URL.canParse(address))
    throw new UsageError(`--forward-to takes an address such as localhost:3000/webhooks, not ${text}`)
  return new URL(address)
}

export function checkSecret(secret: string): string {
  const bytes = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  if (secret.startsWith(SECRET_PREFIX) && bytes.length >= SECRET_BYTES_MIN) return secret
  throw new UsageError(
    `--secret takes ${SECRET_PREFIX} with at least ${SECRET_BYTES_MIN} bytes in base64 after it, as a webhook has it`,
  )
}

/** The same for each start with a token, so that the receiver's setting stays. Nothing follows from it about the token. */
export const secretFor = (token: string): string =>
  SECRET_PREFIX + createHmac('sha256', token).update('caseworker listen').digest('base64')

/** Sends an event as a webhook does: signed by Standard Webhooks, redirects not followed. Tells what came of it. */
export async function forwardEvent(
  { address, secret }: Receiver,
  event: TeamEvent,
  signal: AbortSignal,
): Promise<Forwarded> {
  const body = JSON.stringify(event)
  const startedAt = Date.now()
  const ended = (isAccepted: boolean, outcome: string): Forwarded => ({
    isAccepted,
    outcome,
    ms: Date.now() - startedAt,
  })
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: headersOf(event, body, secret),
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(RESPONSE_WITHIN_MS)]),
    })
    // As of a webhook, the status decides: the body of a success may last.
    if (response.ok) {
      response.body?.cancel().catch(() => undefined)
      return ended(true, String(response.status))
    }
    return ended(false, `${response.status} ${firstLine(await response.text())}`.trim())
  } catch (error) {
    if (signal.aborted) throw signal.reason
    return ended(false, reasonOf(error))
  }
}

function headersOf({ id, sequence }: TeamEvent, body: string, secret: string): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1000)
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
    'webhook-sequence': String(sequence),
  }
}

const firstLine = (text: string): string => (text.trim().split('\n')[0] ?? '').slice(0, REASON_CHARACTERS_MAX)

/** The error of `fetch` says little; its cause says more. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return `no response within ${RESPONSE_WITHIN_MS / 1000} seconds`
  const { cause } = error
  if (!(cause instanceof Error)) return error.message
  return cause.message || ('code' in cause ? String(cause.code) : error.message)
}
