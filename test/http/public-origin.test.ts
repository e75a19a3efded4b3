import { describe, expect, it, vi } from 'vitest'
import { ORIGIN, type Team } from '../support/api.ts'
import { requestWith } from '../support/broken-bindings.ts'
import { newConnectedTeam } from '../support/provider.ts'

const PUBLIC = 'https://api.example.com'

const getHeaders = ({ token }: Team) => ({ authorization: `Bearer ${token}` })
const set = (origin: string) => ({ PUBLIC_ORIGIN: origin }) as unknown as Partial<Env>

const read = async (path: string, origin = '') => {
  const { app } = await import('../../src/app.ts')
  const { env } = await import('cloudflare:workers')
  const response = await app.fetch(new Request(`${ORIGIN}${path}`), { ...env, ...set(origin) })
  return { text: await response.text(), etag: response.headers.get('etag') }
}

describe('the addresses that an installation returns', () => {
  it.each([
    ['begin with PUBLIC_ORIGIN, whatever address the request came to', PUBLIC, PUBLIC],
    ["begin with the request's origin where PUBLIC_ORIGIN is not set", '', ORIGIN],
  ])('%s', async (_, setting, origin) => {
    const { team, whatsapp } = await newConnectedTeam()
    const file = new File([new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3])], 'photo.jpg', { type: 'image/jpeg' })
    const body = new FormData()
    body.set('file', file)
    const form = { method: 'POST', headers: getHeaders(team), body }
    const uploaded = await requestWith(set(setting), `${whatsapp.base}/upload-public-media`, form)
    expect(uploaded.data.publicMediaUrl).toMatch(new RegExp(`^${origin}/media/`))

    const get = { headers: getHeaders(team) }
    const webhookUrl = `${origin}${whatsapp.webhookPath}`
    expect((await requestWith(set(setting), whatsapp.base, get)).data.webhookUrl).toBe(webhookUrl)
    expect((await requestWith(set(setting), '/v1/ext/plugin', get)).data[0].webhookUrl).toBe(webhookUrl)
    expect((await requestWith(set(setting), '/v1/ext/config', get)).data.plugins[0].webhookUrl).toBe(webhookUrl)

    const missing = await requestWith(set(setting), '/v1/ext/nothing', get)
    expect(missing.meta.errors[0].docs).toBe(`${origin}/docs/errors#not_found`)
  })

  it('are those of the servers and samples in the documents for programs', async () => {
    for (const [setting, origin] of [
      [PUBLIC, PUBLIC],
      ['', ORIGIN],
    ] as const) {
      const openApi = await read('/openapi.json', setting)
      expect(JSON.parse(openApi.text).servers[0].url).toBe(origin)
      expect(openApi.text).toContain(`curl -s ${origin}/v1/ext/me`)
      const postman = await read('/postman.json', setting)
      expect(JSON.parse(postman.text).variable[0]).toMatchObject({ key: 'baseUrl', value: origin })
      for (const { text } of [openApi, postman]) expect(text).not.toContain('https://caseworker.example')
    }
    expect((await read('/openapi.json')).etag).not.toBe((await read('/openapi.json', PUBLIC)).etag)
  })

  it.each([
    'api.example.com',
    'https://api.example.com/',
    'https://api.example.com/v1',
    'ftp://api.example.com',
    'http://api.example.com',
  ])('cannot begin with %s', async wrong => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { status, meta } = await requestWith(set(wrong), '/v1/health', {})
    expect(status).toBe(500)
    expect(meta.errors.map((each: { message: string }) => each.message)).toEqual([
      expect.stringContaining('PUBLIC_ORIGIN must be an origin such as https://api.example.com'),
    ])
    vi.restoreAllMocks()
  })
})
