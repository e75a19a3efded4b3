import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fetchWorker, newTeam, type Team } from '../support/api.ts'
import { type Connected, newConnectedTeam, newNumber } from '../support/provider.ts'

const BYTES = Uint8Array.from({ length: 3_000 }, (_, nth) => nth % 256)
const base64 = btoa(String.fromCharCode(...BYTES))
let ids = 80_000

/** A team to which a customer has sent a file, as the provider has it. */
async function start(file: object = {}, content: object = {}) {
  const { team, whatsapp } = await newConnectedTeam()
  const id = String(++ids)
  await whatsapp.control('PUT', '/files', { id, mimeType: 'image/jpeg', base64, ...file })
  const message = await arrived(team, whatsapp, { type: 'image', content: { id, mime_type: 'image/jpeg', ...content } })
  return { team, whatsapp, message, download: () => get(team, message.id) }
}

async function arrived(team: Team, whatsapp: Connected, inbound: object) {
  const from = newNumber()
  await whatsapp.control('POST', '/inbound', { from, ...inbound })
  await whatsapp.flush()
  return (await team.call('GET', `/v1/ext/message?phoneNumber=${from}`)).data[0]
}

const get = (team: Pick<Team, 'token'>, id: string) =>
  fetchWorker(`/v1/ext/message/${id}/media`, { headers: { authorization: `Bearer ${team.token}` } })

const catchError = async (response: Response) => {
  const { _errors, _meta } = (await response.json()) as { _errors: string[]; _meta: { errors: { code: string }[] } }
  return [response.status, _meta.errors[0]?.code, _errors[0]]
}

describe('the file of a received message', () => {
  it('is returned as the provider has it, for download and not for display', async () => {
    const { message, download } = await start()
    expect(message.attachments).toMatchObject([{ path: `/v1/ext/message/${message.id}/media` }])
    const response = await download()
    expect(response.status).toBe(200)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(BYTES)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''image-\d+$/),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
    })
    expect(JSON.stringify([...response.headers])).not.toContain('token-')
  })

  it('has the name that the customer gave it, and no malformed type', async () => {
    const { download } = await start({ mimeType: 'text/html\r\nx: y' }, { filename: '../Bill "1".html' })
    const { headers, body } = await download()
    await body?.cancel()
    expect(headers.get('content-type')).toBe('application/octet-stream')
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''__Bill%20_1_.html")
  })

  it('exists only for a message with a file, and only for its team', async () => {
    const { team, whatsapp, message } = await start()
    const text = await arrived(team, whatsapp, { text: 'Hello' })
    const sent = (await whatsapp.send(newNumber())).data
    for (const id of [text.id, sent.id, crypto.randomUUID(), 'x']) expect((await get(team, id)).status).toBe(404)
    expect((await get(await newTeam(), message.id)).status).toBe(404)
    expect((await get({ token: 'none' }, message.id)).status).toBe(401)
  })

  it('is a named error if the provider does not have it any more, or refuses it', async () => {
    const gone = await start({ status: 404 })
    expect(await catchError(await gone.download())).toEqual([
      502,
      'provider_refused',
      expect.stringContaining('no longer'),
    ])
    const { team, whatsapp } = gone
    const unknown = await arrived(team, whatsapp, { type: 'audio', content: { id: '999999999' } })
    expect((await catchError(await get(team, unknown.id))).slice(0, 2)).toEqual([502, 'provider_refused'])
    await whatsapp.control('PUT', `/accounts/${whatsapp.account}`, { accessToken: 'another' })
    expect(await catchError(await gone.download())).toEqual([502, 'provider_refused', expect.stringContaining('(190)')])
  })

  it.each([
    ['an error', { status: 500 }],
    ['a redirect', { status: 302 }],
    ['an address that is not the provider’s', { url: 'https://fbsbx.com.example/file' }],
    ['an address without TLS', { url: 'http://lookaside.fbsbx.com/file' }],
    ['no address', { url: 'file' }],
    ['more than a file may have', { fileSize: 100 * 1024 * 1024 + 1 }],
  ])('is not returned where the provider names %s', async (_, file) => {
    const { download } = await start(file)
    expect((await catchError(await download())).slice(0, 2)).toEqual([502, 'provider_unavailable'])
  })

  it('breaks off where it is larger than the provider said', async () => {
    const { download } = await start({ more: 101 * 1024 * 1024 })
    const response = await download()
    const read = async () => {
      let bytes = 0
      for await (const piece of response.body ?? []) bytes += (piece as Uint8Array).length
      return bytes
    }
    await expect(read()).rejects.toThrow()
  })

  it('is not waited for beyond a time limit', async () => {
    const { team, message } = await start({ hangMs: 3_000 })
    const bindings = { ...env, PROVIDER_TUNING: { timeoutMs: 200 } } as unknown as Env
    const headers = { authorization: `Bearer ${team.token}` }
    const response = await fetchWorker(`/v1/ext/message/${message.id}/media`, { headers }, bindings)
    expect((await catchError(response)).slice(0, 2)).toEqual([504, 'provider_timeout'])
  })
})
