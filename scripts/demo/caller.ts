import { type PreparedRequest, sendOnce } from '../../src/client/call/call.ts'
import { CaseworkerError } from '../../src/client/call/error.ts'
import { getWaitMs, isRetryable } from '../../src/client/call/retry-rules.ts'
import { sleep } from '../../src/client/call/sleep.ts'
import { type ResolvedSettings, resolveSettings, type Settings } from '../../src/client/settings.ts'

/** The part of an API response that is used here. */
export interface ApiResource {
  id: string
  [name: string]: unknown
}

export interface Place {
  /** The address of the API. */
  url: string
  /** The address of the emulated WhatsApp. */
  provider: string
  token: string
}

type CallWithoutResult = (method: string, path: string, body?: unknown) => Promise<void>

export interface Caller {
  /** A call that must succeed, or find that an earlier start, which was interrupted, has made it already. */
  call: <Data = ApiResource>(method: string, path: string, body?: unknown) => Promise<Data>
  /** Makes a call that the demo can do without: a failure is printed. */
  callOrLeaveOut: CallWithoutResult
  /** Sends a message that the provider is meant to refuse: another failure is printed, and the message left out. */
  attempt: CallWithoutResult
  /** A call of the control API of the emulated WhatsApp. */
  control: CallWithoutResult
  controlOrLeaveOut: CallWithoutResult
}

/** A start on a slow machine waits up to half a minute for a call to succeed. */
const TRIES_MAX = 8
const BACKOFF_MS = 250
const CONFLICT = 409
const NOT_FOUND = 404

/** Calls as the client makes them: what was lost, or came while something was busy, is sent again under the same key. */
export function createCaller(
  { url, provider, token }: Place,
  options: Pick<Settings, 'fetch' | 'backoffMs'> = {},
): Caller {
  const settings = resolveSettings({ baseUrl: url, token, backoffMs: BACKOFF_MS, ...options })

  const call: Caller['call'] = async <Data>(method: string, path: string, body?: unknown) => {
    try {
      return (await sendWithRetries(settings, prepare(method, url, path, body))).data as Data
    } catch (error) {
      if (error instanceof CaseworkerError && isDoneAlready(method, error)) return {} as Data
      throw error
    }
  }

  const control: Caller['control'] = async (method, path, body) => {
    const request = prepare(method, provider, `/control${path}`, body)
    // The emulator's responses have no envelope; to the client that is a response of somebody else.
    await sendWithRetries(settings, request).catch(error => {
      if (!(error instanceof CaseworkerError) || error.status < 200 || error.status > 299) throw error
    })
  }

  return {
    call,
    callOrLeaveOut: (...request) => leaveOut(call(...request)),
    attempt: (...request) => leaveOut(call(...request), error => error.code.startsWith('provider_')),
    control,
    controlOrLeaveOut: (...request) => leaveOut(control(...request)),
  }
}

function prepare(method: string, origin: string, path: string, body: unknown): PreparedRequest {
  const operation = `${method} ${path}`
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  if (method !== 'GET' && method !== 'DELETE') headers['idempotency-key'] = crypto.randomUUID()
  const timeoutMs = 60_000
  const request = { operation, method, address: origin + path, headers, isStream: false, signal: undefined, timeoutMs }
  return body === undefined ? request : { ...request, body: JSON.stringify(body) }
}

async function sendWithRetries(settings: ResolvedSettings, request: PreparedRequest) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendOnce(settings, request)
    } catch (error) {
      if (!(error instanceof CaseworkerError)) throw error
      error.tries = tries
      if (tries === TRIES_MAX || !isRetryable(error, 'key')) throw error
      await sleep(getWaitMs(tries, settings.backoffMs, error.retryAfterMs, Math.random()))
    }
  }
}

/** Returns whether an earlier start has done this, or an earlier try whose response was lost. */
const isDoneAlready = (method: string, { status, code, tries }: CaseworkerError): boolean =>
  (status === CONFLICT && code !== 'request_in_progress') || (status === NOT_FOUND && method === 'DELETE' && tries > 1)

async function leaveOut(call: Promise<unknown>, isExpected = (_: CaseworkerError) => false): Promise<void> {
  await call.catch((error: unknown) => {
    if (!(error instanceof CaseworkerError)) throw error
    if (!isExpected(error)) console.log(`Left out of the demo: ${error.message}`)
  })
}
