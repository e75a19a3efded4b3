import { LOCAL_ACCOUNT } from '../../test/whatsapp/defaults.ts'
import type { ApiResource, Caller, Place } from './caller.ts'
import { TEMPLATES } from './templates.ts'

interface Account {
  name: string
  id: string
  phoneNumbers: readonly { id: string; displayNumber: string; messagesPerSecond?: number }[]
}

export const EXAMPLES: Account = { name: 'WhatsApp of the demo team', ...LOCAL_ACCOUNT }
/** The account whose second number is slow, so that a job with it takes a while. */
export const SOLAR = {
  name: 'Solar sales and service',
  id: '100000000000002',
  phoneNumbers: [
    { id: '200000000000002', displayNumber: '15550000002' },
    { id: '200000000000022', displayNumber: '15550000022', messagesPerSecond: 1 },
  ],
} as const satisfies Account
/** The account whose access token expires while it is in use. */
export const OLD = {
  name: 'Old sales number',
  id: '100000000000003',
  phoneNumbers: [{ id: '200000000000003', displayNumber: '15550000003' }],
} as const satisfies Account

const { accessToken, appSecret, verifyToken } = LOCAL_ACCOUNT

interface ConnectedPlugin extends ApiResource {
  webhookPath: string
}

/** A plugin that uses the emulated provider: its id. */
export async function connectAccount(caller: Caller, { url }: Place, account: Account): Promise<string> {
  const { name, id, phoneNumbers } = account
  const secrets = { accessToken, appSecret, verifyToken }
  const known = (await caller.call<ConnectedPlugin[]>('GET', '/v1/ext/plugin')).find(plugin => plugin.name === name)
  const body = { name, businessAccountId: id, phoneNumbers, ...secrets }
  const plugin = known ?? (await caller.call<ConnectedPlugin>('POST', '/v1/ext/plugin/whatsapp', body))
  const callbackUrl = `${url}${plugin.webhookPath}`
  const numbers = phoneNumbers.map(({ id: number, displayNumber }) => ({ id: number, displayNumber }))
  const isExamples = account === EXAMPLES
  await caller.control('PUT', `/accounts/${id}`, {
    ...(isExamples ? {} : secrets),
    phoneNumbers: numbers,
    callbackUrl,
  })
  if (account === SOLAR)
    for (const template of TEMPLATES) await caller.control('POST', `/templates?account=${id}`, template)
  await caller.call('POST', `/v1/ext/plugin/whatsapp/${plugin.id}/sync-templates`)
  return plugin.id
}

/** The provider accepts its token no more: the next message stops the plugin. */
export const expireToken = ({ control }: Caller, { id }: Account): Promise<void> =>
  control('PUT', `/accounts/${id}`, { accessToken: 'another-access-token' })
