import * as z from 'zod'
import { AppError } from '../../errors.ts'
import type { ChallengeKey } from '../challenge.ts'
import { askProvider, parseAnswerJson, unusableProviderError } from './ask-provider.ts'
import type { ProviderMetadata } from './discovery.ts'
import { deriveVerifier, getCallbackAddress, type PendingSignIn } from './pending-sign-in.ts'
import type { OpenIdSettings } from './settings.ts'

const Tokens = z.object({ id_token: z.string(), access_token: z.string().optional() })
export type Tokens = z.infer<typeof Tokens>

const Refusal = z.object({ error: z.string() })

/** Redeems a code; undefined if the provider does not accept it from this browser, or not any more. */
export async function redeemCode(
  env: ChallengeKey,
  provider: ProviderMetadata,
  settings: OpenIdSettings,
  { code, pending }: { code: string; pending: PendingSignIn },
): Promise<Tokens | undefined> {
  const { headers, fields } = getClientCredentials(provider, settings)
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: getCallbackAddress(pending),
    code_verifier: await deriveVerifier(env, pending),
    ...fields,
  })
  const answer = await askProvider(settings, provider.token_endpoint, {
    method: 'POST',
    headers: { accept: 'application/json', ...headers },
    body,
  })
  const json = parseAnswerJson(answer)
  if (answer.status === 200) {
    const { data: tokens } = Tokens.safeParse(json)
    if (!tokens) throw unusableProviderError(settings.name, 'it has given no ID token')
    return tokens
  }
  const error = Refusal.safeParse(json).data?.error
  if (error === 'invalid_grant') return undefined
  if (error === undefined || answer.status >= 500)
    throw unusableProviderError(settings.name, `its status is ${answer.status}`)
  throw new AppError('provider_refused', [
    {
      message: `${settings.name} refuses this installation: ${error.slice(0, 100)}`,
      hint: 'the operator has to compare OPENID_CLIENT_ID and OPENID_CLIENT_SECRET with what is registered there',
    },
  ])
}

/** Returns the client's credentials. A provider that names no method accepts `client_secret_basic` (OpenID Connect Discovery, 3). */
function getClientCredentials(
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: ProviderMetadata,
  { clientId, clientSecret }: OpenIdSettings,
): { headers: Record<string, string>; fields: Record<string, string> } {
  if (clientSecret === undefined) return { headers: {}, fields: { client_id: clientId } }
  if (!methods.includes('client_secret_basic') && methods.includes('client_secret_post'))
    return { headers: {}, fields: { client_id: clientId, client_secret: clientSecret } }
  return {
    headers: { authorization: `Basic ${btoa(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`)}` },
    fields: {},
  }
}

/** Encodes a text as a form does (RFC 6749, 2.3.1). */
const encodeForm = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1)
