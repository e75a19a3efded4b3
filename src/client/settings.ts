import { invalidCall } from './call/error.ts'
import type { Warning } from './generated/shapes.ts'

/** The part of `fetch` that the client uses. */
export type Fetch = (address: string, init: FetchInit) => Promise<Response>

export interface FetchInit {
  method: string
  headers: Record<string, string>
  body?: string | ArrayBuffer | Blob | ReadableStream<Uint8Array>
  /** Set for a body that is a stream, which `fetch` requires. */
  duplex?: 'half'
  signal: AbortSignal
  /** A followed redirect would turn a POST into a GET. */
  redirect: 'manual'
  /** Set only without a token. */
  credentials?: 'same-origin'
}

/** A finished call, for logs and measurements. */
export interface CallNote {
  operation: string
  /** 0 if there was no response. */
  status: number
  tries: number
  ms: number
  requestId: string | undefined
}

export interface Settings {
  /** The address of the API: `https://caseworker.example.com`. */
  baseUrl: string
  /**
   * `cw_…`, or a function that returns it, which is called before each try. `null`: a page of the installation itself,
   * which is known by the cookie of its session.
   */
  token: string | (() => string | Promise<string>) | null
  /** The default is the `fetch` of the platform. */
  fetch?: Fetch | undefined
  /** The maximum number of retries. */
  retries?: number | undefined
  /** The timeout of one try, until its response begins. */
  timeoutMs?: number | undefined
  /** The pause before the first retry; it doubles for each further one. */
  backoffMs?: number | undefined
  onCall?: ((note: CallNote) => void) | undefined
  /** Called with each of `_meta.warnings`: the call succeeded, and may have meant something else. */
  onWarning?: ((warning: Warning, operation: string) => void) | undefined
  /**
   * `nearest`: reads may be answered by the nearest copy of the database. They see all that this client has written or
   * read before, but perhaps not yet what others have. The default is `primary`: reads see what anybody has written.
   */
  reads?: 'primary' | 'nearest' | undefined
}

export type ResolvedSettings = Required<{ [Name in keyof Omit<Settings, 'token'>]: NonNullable<Settings[Name]> }> &
  Pick<Settings, 'token'>

const RETRIES = 4
const TIMEOUT_MS = 60_000
const BACKOFF_MS = 500

/** `localhost:8787` is a valid URL, too: its protocol is `localhost:`. */
const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:\/\/[^/]/i.test(text)

const addressHint = (text: string): string | undefined => {
  if (text.includes('://') || !isWebAddress(`http://${text}`)) return undefined
  return `${/^(localhost|127\.|\[::1])/.test(text) ? 'http' : 'https'}://${text}`
}

export function resolveSettings(settings: Settings): ResolvedSettings {
  if (!isWebAddress(settings.baseUrl))
    throw invalidCall(
      `baseUrl must be an address with http or https, not ${JSON.stringify(settings.baseUrl)}`,
      undefined,
      addressHint(settings.baseUrl),
    )
  if (settings.token === '') throw invalidCall('token is empty')
  return {
    baseUrl: settings.baseUrl.replace(/\/+$/, ''),
    token: settings.token,
    fetch: settings.fetch ?? ((address, init) => fetch(address, init)),
    retries: settings.retries ?? RETRIES,
    timeoutMs: settings.timeoutMs ?? TIMEOUT_MS,
    backoffMs: settings.backoffMs ?? BACKOFF_MS,
    onCall: settings.onCall ?? (() => {}),
    onWarning: settings.onWarning ?? (() => {}),
    reads: settings.reads ?? 'primary',
  }
}
