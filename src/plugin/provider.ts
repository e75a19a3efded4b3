import { providerTimeoutMs } from './settings.ts'

/** Where the provider is, and how long its answer is waited for. */
export interface Provider {
  binding: Fetcher | undefined
  url: string
  timeoutMs: number
}

type ProviderEnv = Pick<Env, 'WHATSAPP_API_URL' | 'WHATSAPP_TIMEOUT_MS' | 'WHATSAPP'>

export const providerOf = (env: ProviderEnv): Provider => ({
  binding: env.WHATSAPP,
  url: env.WHATSAPP_API_URL,
  timeoutMs: providerTimeoutMs(env),
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
