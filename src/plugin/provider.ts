import { PROVIDER_TIMEOUT_MS } from './settings.ts'

/** The address of the provider, and how long its answer is waited for. */
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
  /** Undefined if the body is not JSON. */
  json: unknown
}

/** Calls the provider, within the time including the body: through a binding if there is one, else through the network. All calls go through here. */
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

/** The hosts that serve files of messages. */
const FILE_HOSTS = /(^|\.)(fbsbx\.com|fbcdn\.net|facebook\.com|whatsapp\.net)$/

/** Tells whether an address may get the token, which goes only to the provider: an address that it names may be wrong. */
const mayHaveToken = (address: URL, { url }: Provider): boolean =>
  address.host === new URL(url).host || (address.protocol === 'https:' && FILE_HOSTS.test(address.hostname))

/**
 * Opens a file at an address that the provider has named. It waits for the response, but not for its body, which may be
 * large. A redirect is not followed, because the token would go with it. Returns undefined if the address is not the provider's.
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
