import { fetchProvider, type Provider } from '../../plugin/provider.ts'
import type { MessageDraft } from '../ledger/claim.ts'
import { type ProviderResult, providerResultOf, resultOfNoResponse } from './provider-result.ts'

/** Asks the provider to send a message, once. Our id goes with it, and comes back with everything that it tells of it. */
export function callProvider(
  provider: Provider,
  { draft, id, token }: { draft: Pick<MessageDraft, 'graphVersion' | 'sender' | 'request'>; id: string; token: string },
): Promise<ProviderResult> {
  const path = `/${draft.graphVersion}/${draft.sender}/messages`
  const body = JSON.stringify({ ...draft.request, biz_opaque_callback_data: id })
  return fetchProvider(provider, path, token, { method: 'POST', body }).then(providerResultOf, resultOfNoResponse)
}
