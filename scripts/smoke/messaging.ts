import { LOCAL_ACCOUNT } from '../../test/whatsapp/defaults.ts'
import { type Check, expectStatus, must, SkippedCheck, until, type Visit } from './visit.ts'

const PLUGINS = '/v1/ext/plugin/whatsapp'
const MESSAGE_MS_MAX = 30_000

const digits = (length: number) => Array.from({ length }, () => 1 + Math.floor(Math.random() * 9)).join('')

/** A plugin that is deleted at the end. Its account exists only where the provider is the emulated one. */
async function newPlugin({ call, name, cleanUp }: Visit, account: object = {}) {
  const phoneNumbers = [{ id: digits(15), displayNumber: `1556${digits(7)}` }]
  const secrets = { accessToken: name, appSecret: name, verifyToken: name }
  const body = { name, businessAccountId: digits(15), ...secrets, phoneNumbers, ...account }
  const made = await call('POST', PLUGINS, { body })
  if (made.status === 403) throw new SkippedCheck('the token may not make plugins')
  const { data } = await expectStatus(Promise.resolve(made), 201)
  cleanUp(() => expectStatus(call('DELETE', `${PLUGINS}/${data.id}`), 200))
  return { webhookPath: data.webhookPath as string, path: `${PLUGINS}/${data.id}` }
}

export const messagingChecks: Check[] = [
  {
    name: 'media uploaded, downloaded, a part of it',
    async run(visit) {
      const { path } = await newPlugin(visit)
      const text = `%PDF-1.4 ${visit.name}`
      const form = new FormData()
      form.set('file', new Blob([text], { type: 'application/pdf' }), 'smoke.pdf')
      const { data } = await expectStatus(visit.call('POST', `${path}/upload-public-media`, { raw: form }), 200)
      const file = data.publicMediaUrl
      must((await expectStatus(visit.call('GET', file, { token: null }), 200)).text === text, 'it is another file')
      const part = await expectStatus(visit.call('GET', file, { token: null, headers: { range: 'bytes=0-4' } }), 206)
      must(part.text === '%PDF-', `the part is ${part.text}`)
    },
  },
  {
    name: "a webhook's handshake needs its token, its events a signature",
    async run(visit) {
      const { webhookPath: address } = await newPlugin(visit)
      const shake = (token: string) =>
        visit.call('GET', `${address}?hub.mode=subscribe&hub.challenge=42&hub.verify_token=${token}`, { token: null })
      must((await expectStatus(shake(visit.name), 200)).text === '42', 'the challenge is not returned')
      await expectStatus(shake('wrong'), 403)
      await expectStatus(visit.call('POST', address, { token: null, body: {} }), 401)
    },
  },
  {
    name: 'messages',
    async run(visit) {
      const { call } = visit
      if (!visit.emulated) return readTemplates(visit)
      const { id: businessAccountId, ...account } = LOCAL_ACCOUNT
      const { path } = await newPlugin(visit, { businessAccountId, ...account })
      await expectStatus(call('POST', `${path}/sync-templates`), 200)
      const body = { whatsappPhoneNumberId: account.phoneNumbers[0]?.id, templateName: 'hello_world' }
      const sent = await expectStatus(
        call('POST', `${path}/phoneNumber/9194${digits(8)}/send-template-message`, { body }),
        200,
        201,
      )
      const message = `/v1/ext/message/${sent.data.id}`
      const isSent = async () =>
        /^(SENT|DELIVERED|READ)$/.test((await expectStatus(call('GET', message), 200)).data.deliveryStatus)
      await until(isSent, MESSAGE_MS_MAX, 'the message was not sent')
    },
  },
]

/** Reads the templates, and sends nothing to a real person. */
async function readTemplates({ call }: Visit): Promise<void> {
  const { data } = await expectStatus(call('GET', '/v1/ext/plugin'), 200)
  const own = data.filter(({ name }: { name: string }) => !name.startsWith('smoke-'))
  if (own.length === 0) throw new SkippedCheck('no plugin')
  for (const { id } of own) await expectStatus(call('GET', `${PLUGINS}/${id}/templates`), 200)
}
