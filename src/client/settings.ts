/** What is used of `fetch`: any that takes these will do. */
export type Fetch = (address: string, init: FetchInit) => Promise<Response>

export interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string | ArrayBuffer
  signal: AbortSignal
  /** Followed, a redirected POST would become a GET. */
  redirect: 'manual'
}

/** What is told of each call that was answered or given up: for logs and measurements. */
export interface CallNote {
  operation: string
  /** 0 where there was no answer. */
  status: number
  tries: number
  ms: number
  requestId: string | undefined
}

export interface Settings {
  /** Where the API is: `https://caseworker.example.com`. */
  baseUrl: string
  /** `cw_…`, or a function that knows it, asked before every try. */
  token: string | (() => string | Promise<string>)
  /** The platform's own, where it is left out. */
  fetch?: Fetch | undefined
  /** How often a call is tried again at most. */
  retries?: number | undefined
  /** How long one try may take until its answer begins. */
  timeoutMs?: number | undefined
  /** The pause before the first repetition; each later one is twice as long. */
  backoffMs?: number | undefined
  onCall?: ((note: CallNote) => void) | undefined
}

export type Line = Required<{ [Name in keyof Settings]: NonNullable<Settings[Name]> }>

const RETRIES = 4
const TIMEOUT_MS = 60_000
const BACKOFF_MS = 500

export function lineOf(settings: Settings): Line {
  if (!URL.canParse(settings.baseUrl)) throw new TypeError(`baseUrl is not an address: ${settings.baseUrl}`)
  if (settings.token === '') throw new TypeError('token is empty')
  return {
    baseUrl: settings.baseUrl.replace(/\/+$/, ''),
    token: settings.token,
    fetch: settings.fetch ?? ((address, init) => fetch(address, init)),
    retries: settings.retries ?? RETRIES,
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    backoffMs: settings.backoffMs ?? BACKOFF_MS,
    onCall: settings.onCall ?? (() => {}),
  }
}
