import { env } from 'cloudflare:workers'
import { ORIGIN } from '../support/origin.ts'
import type { FarReply, FarTeam } from './far.ts'

const digits = (length: number) => Array.from({ length }, () => 1 + Math.floor(Math.random() * 9)).join('')

/** A number at the emulated provider that this team alone sends from. Its webhooks are held. */
export async function connectSender(team: FarTeam, { settings = {}, plugin = {}, numbers = 1 } = {}) {
  const account = digits(15)
  const phones = Array.from({ length: numbers }, () => ({ id: digits(15), displayNumber: `1556${digits(7)}` }))
  const secrets = { accessToken: `token-${account}`, appSecret: `secret-${account}`, verifyToken: `verify-${account}` }
  const control = async (method: string, path: string, body?: unknown) => {
    const url = `http://whatsapp/control${path}${path.includes('?') ? '&' : '?'}account=${account}`
    const response = await (env.WHATSAPP as Fetcher).fetch(url, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: the test says what it expects of it
    return (await response.json()) as any
  }
  const made = await team.call('POST', '/v1/ext/plugin/whatsapp', {
    name: 'Far line',
    businessAccountId: account,
    ...secrets,
    phoneNumbers: phones,
    ...plugin,
  })
  if (made.status !== 201) throw new Error(`the plugin of a test was refused: ${made.errors.join('; ')}`)
  const base = `/v1/ext/plugin/whatsapp/${made.data.id}`
  const callbackUrl = `${ORIGIN}${made.data.webhookPath}`
  await control('PUT', `/accounts/${account}`, { ...secrets, callbackUrl, phoneNumbers: phones })
  const quiet = { webhooks: { hold: true }, delays: { sent: 0, delivered: 1, read: 2 } }
  await control('PUT', '/settings', { ...quiet, ...settings })
  await team.call('POST', `${base}/sync-templates`)
  const [phone] = phones
  return {
    id: made.data.id as string,
    base,
    phones,
    appSecret: secrets.appSecret,
    control,
    /** An entry of a bulk job. */
    entry: (phoneNumber: string, from = phone) => ({
      apiType: 'TEMPLATE_MESSAGE',
      apiData: { pluginId: made.data.id, whatsappPhoneNumberId: from?.id, templateName: 'hello_world', phoneNumber },
    }),
    send: (to: string, headers: Record<string, string> = {}): Promise<FarReply> => {
      const body = { whatsappPhoneNumberId: phone?.id, templateName: 'hello_world' }
      return team.call('POST', `${base}/phoneNumber/${to}/send-template-message`, body, headers)
    },
    received: (query = '') => control('GET', `/received?${query}`),
  }
}
