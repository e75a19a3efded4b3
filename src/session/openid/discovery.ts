import * as z from 'zod'
import { createCache } from '../../cache.ts'
import { AppError } from '../../errors.ts'
import { isSecureAddress } from '../../http/web-address.ts'
import { askProvider, parseAnswerJson, unusableProviderError } from './ask-provider.ts'
import type { OpenIdSettings } from './settings.ts'

const FRESH_MS = 10 * 60_000
/** The time for which a provider that fails is left alone: unauthenticated callers begin as many sign-ins as they like. */
const FAILED_MS = 5_000
const METADATA_BYTES_MAX = 100_000
const METADATA_BYTES = 4_000

const Metadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  userinfo_endpoint: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
})
export type ProviderMetadata = z.infer<typeof Metadata>

type DiscoveryResult = { at: number } & ({ metadata: ProviderMetadata } | { failure: AppError })

const discoveredByIssuer = createCache<DiscoveryResult>(METADATA_BYTES_MAX, () => METADATA_BYTES)

/** Returns the provider's metadata, which each isolate fetches once in ten minutes. */
export async function discover(settings: OpenIdSettings, now: number): Promise<ProviderMetadata> {
  const cached = discoveredByIssuer.get(settings.issuer)
  const age = cached ? now - cached.at : Number.POSITIVE_INFINITY
  if (cached && 'metadata' in cached && age < FRESH_MS) return cached.metadata
  if (cached && 'failure' in cached && age < FAILED_MS) throw cached.failure
  try {
    const metadata = await ask(settings)
    discoveredByIssuer.set(settings.issuer, { metadata, at: now })
    return metadata
  } catch (error) {
    if (error instanceof AppError) discoveredByIssuer.set(settings.issuer, { failure: error, at: Date.now() })
    throw error
  }
}

async function ask(settings: OpenIdSettings): Promise<ProviderMetadata> {
  const { issuer, name } = settings
  const answer = await askProvider(settings, `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
  if (answer.status !== 200) throw unusableProviderError(name, `its description has the status ${answer.status}`)
  const { data: metadata } = Metadata.safeParse(parseAnswerJson(answer))
  if (!metadata) throw unusableProviderError(name, 'its description is not one of an OpenID provider')
  // Otherwise one provider could answer for another.
  if (metadata.issuer !== issuer)
    throw unusableProviderError(
      name,
      `it calls itself ${metadata.issuer.slice(0, 200)}, and the setting OPENID_ISSUER is ${issuer}`,
    )
  const { authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint } = metadata
  const addresses = [authorization_endpoint, token_endpoint, jwks_uri, userinfo_endpoint ?? jwks_uri]
  if (!addresses.every(address => isAsSecureAs(issuer, address)))
    throw unusableProviderError(name, 'an address in its description is not https')
  return metadata
}

/** Tells whether an address has TLS, or needs none because the issuer itself is on the own machine. */
const isAsSecureAs = (issuer: string, address: string): boolean =>
  URL.canParse(address) &&
  isSecureAddress(new URL(address)) &&
  (new URL(address).protocol === 'https:' || new URL(issuer).protocol === 'http:')
