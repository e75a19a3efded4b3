import { fetchProvider, type Provider } from '../../plugin/provider.ts'
import type { MessageDraft } from '../ledger/claim.ts'
import { type ProviderResult, toFailedResult, toProviderResult } from './provider-result.ts'

/** A request to the provider. */
export interface ProviderCall {
  path: string
  body: string
  token: string
}

type AddressedMessage = Pick<MessageDraft, 'graphVersion' | 'sender' | 'request'>

/** Our id goes with a message, and comes back with everything that the provider tells of it. */
export const buildProviderCall = ({ graphVersion, sender, request }: AddressedMessage, id: string, token: string) => ({
  path: `/${graphVersion}/${sender}/messages`,
  body: JSON.stringify({ ...request, biz_opaque_callback_data: id }),
  token,
})

/** Asks the provider to send a message, once. */
export const callProvider = (provider: Provider, { path, body, token }: ProviderCall): Promise<ProviderResult> =>
  fetchProvider(provider, path, token, { method: 'POST', body }).then(toProviderResult, toFailedResult)
