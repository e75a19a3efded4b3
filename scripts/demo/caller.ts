/** What a response of the API, or of the emulator, has of use here. */
export interface Answered {
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

export interface Caller {
  /** A call that must succeed, or find that an earlier start, which was interrupted, has made it already. */
  call: <Data = Answered>(method: string, path: string, body?: unknown) => Promise<Data>
  /** One that may be refused. */
  attempt: (method: string, path: string, body?: unknown) => Promise<void>
  /** One that the demo can do without: where it fails, that is told. */
  callOrLeaveOut: (method: string, path: string, body?: unknown) => Promise<void>
  /** One of the control API of the emulated WhatsApp. */
  control: (method: string, path: string, body: unknown) => Promise<void>
}

interface Reply {
  status: number
  text: string
}

const CONFLICT = 409
const UNAVAILABLE = 503
const IN_PROGRESS = 'request_in_progress'
/** A start on a slow machine waits so long before each further try. */
const RETRY_DELAYS_MS = [250, 1_000, 4_000, 8_000]

export function callerOf({ url, provider, token }: Place): Caller {
  const send = (address: string, method: string, body: unknown): Promise<Reply> => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      // With it all tries of a change are one change.
      ...(method === 'GET' || method === 'DELETE' ? {} : { 'idempotency-key': crypto.randomUUID() }),
    }
    return sendWithRetries(address, { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
  }
  const call: Caller['call'] = async <Data>(method: string, path: string, body?: unknown) => {
    const { status, text } = await send(url + path, method, body)
    if (!isSuccess(status) && status !== CONFLICT) throw new Error(formatFailure(method, path, { status, text }))
    return (JSON.parse(text) as { _data: Data })._data
  }
  return {
    call,
    async attempt(method, path, body) {
      await send(url + path, method, body)
    },
    async callOrLeaveOut(method, path, body) {
      await call(method, path, body).catch((error: Error) => console.log(`Left out of the demo: ${error.message}`))
    },
    async control(method, path, body) {
      const reply = await send(`${provider}/control${path}`, method, body)
      if (!isSuccess(reply.status)) throw new Error(formatFailure(method, `/control${path}`, reply))
    },
  }
}

/** Sends again what was lost on its way, or came while something was busy: the idempotency key is the same. */
async function sendWithRetries(address: string, init: RequestInit): Promise<Reply> {
  for (let tries = 0; ; tries += 1) {
    const delay = RETRY_DELAYS_MS[tries]
    try {
      const response = await fetch(address, init)
      const reply = { status: response.status, text: await response.text() }
      if (delay === undefined || !isBusy(reply)) return reply
    } catch (error) {
      if (delay === undefined)
        throw new Error(`${init.method} ${address}: ${(error as Error).message}`, { cause: error })
    }
    await new Promise(resolve => setTimeout(resolve, delay))
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

const isBusy = ({ status, text }: Reply): boolean =>
  status === UNAVAILABLE || (status === CONFLICT && text.includes(`"${IN_PROGRESS}"`))

/** The sentences of the API, or whatever else came instead of them. */
function formatFailure(method: string, path: string, { status, text }: Reply): string {
  try {
    const { _errors } = JSON.parse(text) as { _errors: string[] }
    return `${method} ${path}: ${_errors.join('; ')}`
  } catch {
    return `${method} ${path}: ${status} ${text.slice(0, 200)}`
  }
}
