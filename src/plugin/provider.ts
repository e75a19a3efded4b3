import { PROVIDER_TIMEOUT_MS } from './settings.ts'

/** Where the provider is, and how long its answer is waited for. */
export interface Provider {
  binding: Fetcher | undefined
  url: string
  timeoutMs: number
}

type ProviderEnv = Pick<Env, 'WHATSAPP_API_URL' | 'WHATSAPP'> & { PROVIDER_TUNING?: { timeoutMs: number } }

export const getProvider = (env: ProviderEnv): Provider => ({
  binding: env.WHATSAPP,
  url: env.WHATSAPP_API_URL,
  timeoutMs: env.PROVIDER_TUNING?.timeoutMs ?? PROVIDER_TIMEOUT_MS,
})

export interface ProviderReply {
  status: number
  /** Undefined where the body is not JSON. */
  json: unknown
}

/** The one way out to the provider, body and all within the time: through a binding where there is one, else the network. */
export async function fetchProvider(
  { binding, url, timeoutMs }: Provider,
  path: string,
  accessToken: string,
  init: { method: 'GET' } | { method: 'POST'; body: string },
): Promise<ProviderReply> {
  const request = new Request(new URL(path, url), {
    ...init,
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  const response = await (binding ? binding.fetch(request) : fetch(request))
  return { status: response.status, json: parseJson(await response.text()) }
}

/** Hosts that hand out files of messages. */
const FILE_HOSTS = /(^|\.)(fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/

/** The token goes nowhere but to the provider: an address that it tells may be wrong. */
const mayHaveToken = (address: URL, { url }: Provider): boolean =>
  address.host === new URL(url).host || (address.protocol === 'https:' && FILE_HOSTS.test(address.hostname))

/**
 * A file at an address that the provider has told. The response is waited for, its body is not: that may be large. A
 * redirect is not followed, because the token would go with it. Undefined: the address is not the provider's.
 */
export async function openFile(provider: Provider, url: string, accessToken: string): Promise<Response | undefined> {
  const address = new URL(url)
  if (!mayHaveToken(address, provider)) return undefined
  const { binding, timeoutMs } = provider
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new DOMException('no response in time', 'TimeoutError')), timeoutMs)
  const request = new Request(address, {
    headers: { authorization: `Bearer ${accessToken}` },
    redirect: 'manual',
    signal: late.signal,
  })
  try {
    return await (binding ? binding.fetch(request) : fetch(request))
  } finally {
    clearTimeout(timer)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
