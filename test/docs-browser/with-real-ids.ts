import { EXAMPLE_SENDER, findSender } from '../support/check-server.ts'
import type { StartedTeam } from '../support/started.ts'

/** A command of the document, whose ids are made up, with those in their place that are there for the operation's thing. */
export async function withRealIds(running: StartedTeam, operationId: string, command: string): Promise<string> {
  const { url, token } = running
  const call = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const init = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(url + path, { method, headers, ...init })
    return (
      (await response.json()) as {
        _data: { id: string; publicMediaUrl: string; webhookPath?: string }[] & { id: string; record?: { id: string } }
      }
    )._data
  }
  const last = async (path: string) => (await call('GET', path)).at(-1)?.id ?? ''
  const first = async (path: string) => (await call('GET', path)).at(0)?.id ?? ''
  const leads = '/v1/ext/procedure/lead/process'
  const process = async () => {
    if (operationId !== 'restoreProcess') return (await call('GET', `${leads}/lead_id/LEAD-000002`)).id
    const { id } = await call('POST', leads, { data: { lead_id: `LEAD-${Date.now()}` } })
    await call('DELETE', `${leads}/${id}`)
    return id
  }
  const record = async () => {
    const { record } = await call('POST', leads, { data: { lead_id: `LEAD-${Date.now()}` }, record: { data: {} } })
    return record?.id ?? ''
  }
  const webhook = async () =>
    (await first('/v1/ext/webhook')) ||
    (await call('POST', '/v1/ext/webhook', { url: 'https://www.example.com/webhooks' })).id
  const view = async () => (await call('POST', '/v1/ext/saved-view', { name: 'Open', procedure: 'lead' })).id
  const found: Record<string, () => Promise<string | undefined>> = {
    [EXAMPLE_SENDER]: () => findSender(running),
    '0k7Q': async () => (await call('GET', '/v1/ext/plugin')).at(0)?.webhookPath?.split('/')[3],
    '01935c1e-5a00-7011-8a9b-7c8d9eafb0c1': async () => (/SavedView/.test(operationId) ? view() : ''),
    '01935c1e-5a00-7012-8a9b-7c8d9eafb0c1': async () => (/Request$/.test(operationId) ? first('/v1/ext/request') : ''),
    '01935c1e-5a00-7010-8a9b-7c8d9eafb0c1': async () => (/Webhook|Secret/.test(operationId) ? webhook() : ''),
    '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d': async () => (/Record/.test(operationId) ? record() : ''),
    '01935c1e-5a00-7a3c-9d1e-6f2b8c4d0e1f': process,
    '01935c1e-5a00-7001-8f00-2b7d1c9e4a55': () => last('/v1/ext/users'),
    '01935c1e-5a00-7002-a1b2-c3d4e5f60718': () => first('/v1/ext/api-key'),
    '01935c1e-5a00-7008-8a9b-7c8d9eafb0c1': () => first('/v1/ext/background-job?completionStatus=SUCCESS'),
    '01935c1e-5a00-700a-8a9b-7c8d9eafb0c1': () =>
      operationId === 'deletePlugin' ? last('/v1/ext/plugin') : first('/v1/ext/plugin'),
    '01935c1e-5a00-700c-8a9b-7c8d9eafb0c1': () => first('/v1/ext/message?phoneNumber=919448300007'),
  }
  let text = command
  for (const [example, find] of Object.entries(found))
    if (text.includes(example)) text = text.replaceAll(example, (await find()) ?? '')
  return text
}
