import { env, exports } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { fetchWorker, ORIGIN, request, type Team } from '../support/api.ts'
import { databaseThrough, requestWith } from '../support/broken-bindings.ts'
import { newConnectedTeam, newNumber } from '../support/provider.ts'

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 254, 1]
const PDF = [...new TextEncoder().encode('%PDF-1.7\n')]
const MP4 = [0, 0, 0, 24, ...new TextEncoder().encode('ftypisom')]
const MIB = 1024 * 1024

const getForm = (part: Blob | string | null, more: Record<string, string> = {}): FormData => {
  const form = new FormData()
  if (part instanceof Blob) form.set('file', part, 'picture "one".png')
  else if (part !== null) form.set('file', part)
  for (const [name, text] of Object.entries(more)) form.set(name, text)
  return form
}

const upload = (
  team: Team,
  base: string,
  part: Blob | string | null,
  more: Record<string, string> = {},
  headers = {},
) =>
  request('POST', `${base}/upload-public-media`, {
    body: getForm(part, more),
    headers: { authorization: `Bearer ${team.token}`, ...headers },
  })

const file = (bytes: number[], size = bytes.length, type = '') => {
  const content = new Uint8Array(size)
  content.set(bytes)
  return new File([content], 'a', { type })
}

describe('public media', () => {
  it('are stored byte by byte, and can be read by anyone with the address', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const reply = await upload(team, whatsapp.base, file(PNG), { filename: 'über/uns.png' })
    expect(reply.status).toBe(200)
    const url = new URL(reply.data.publicMediaUrl)
    expect(url.href).toMatch(new RegExp(`^${ORIGIN}/media/${team.id}/\\d{4}-\\d\\d-\\d\\d/[0-9a-f-]{36}\\.png$`))
    const response = await exports.default.fetch(url.href)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-disposition': "inline; filename*=UTF-8''%C3%BCber_uns.png",
    })
    expect([...new Uint8Array(await response.arrayBuffer())]).toEqual(PNG)
    expect(
      (
        await whatsapp.send(newNumber(), {
          templateName: 'image_offer',
          imageUrl: url.href,
          mapping: [{ schemaPropertyName: '1', schemaPropertyValue: 'Mark' }],
        })
      ).status,
    ).toBe(200)
  })

  it('are not sent again to a client that has them, and are looked for nowhere else', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await upload(team, whatsapp.base, file(PNG))
    const { pathname } = new URL(data.publicMediaUrl)
    const first = await fetchWorker(pathname)
    const etag = first.headers.get('etag') ?? ''
    const again = await fetchWorker(pathname, { headers: { 'if-none-match': etag } })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
    for (const name of ['cache-control', 'content-security-policy', 'x-content-type-options'])
      expect(again.headers.get(name), name).toBe(first.headers.get(name))
    expect((await fetchWorker(pathname, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    for (const path of ['/media/a/b/c', `/media/${'x'.repeat(500)}/${'y'.repeat(500)}/${'z'.repeat(500)}.png`])
      expect((await request('GET', path)).status).toBe(404)
  })

  it.each([
    [PNG, 'png'],
    [[0xff, 0xd8, 0xff, 0xe0], 'jpg'],
    [PDF, 'pdf'],
    [MP4, 'mp4'],
    [[0, 0, 0, 32, ...new TextEncoder().encode('ftypmp42')], 'mp4'],
  ])('%# are recognised by their first bytes, whatever their name', async (bytes, extension) => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await upload(team, whatsapp.base, file(bytes, bytes.length, 'text/html'))
    expect(data.publicMediaUrl.endsWith(`.${extension}`)).toBe(true)
  })

  it('are refused if they are of another type, too large, or no file at all', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const html = file([...new TextEncoder().encode('<script>alert(1)</script>')], 30, 'image/png')
    expect((await upload(team, whatsapp.base, html)).status).toBe(415)
    expect((await upload(team, whatsapp.base, file([]))).status).toBe(415)
    for (const brand of ['heic', 'mif1', 'avif', 'qt  ', 'M4A ']) {
      const bytes = [0, 0, 0, 24, ...new TextEncoder().encode(`ftyp${brand}`)]
      expect((await upload(team, whatsapp.base, file(bytes, 30, 'video/mp4'))).status, brand).toBe(415)
    }
    expect((await upload(team, whatsapp.base, file(PNG, 5 * MIB))).status).toBe(200)
    expect((await upload(team, whatsapp.base, file(PNG, 5 * MIB + 1))).status).toBe(413)
    expect((await upload(team, whatsapp.base, file(PDF, 21 * MIB))).status).toBe(413)
    expect((await upload(team, whatsapp.base, 'text')).status).toBe(400)
    expect((await upload(team, whatsapp.base, null)).status).toBe(400)
    const json = await team.call('POST', `${whatsapp.base}/upload-public-media`, {})
    expect(json.status).toBe(415)
    expect((await upload(team, `/v1/ext/plugin/whatsapp/${crypto.randomUUID()}`, file(PNG))).status).toBe(404)
    const viewer = await team.as('viewer')
    expect((await upload(viewer, whatsapp.base, file(PNG))).status).toBe(403)
  })

  it('are stored once for an idempotency key', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%PDF-1.7\u00e9\r\n--b--\r\n'
    const send = (body: string) =>
      request('POST', `${whatsapp.base}/upload-public-media`, {
        body,
        headers: {
          authorization: `Bearer ${team.token}`,
          'content-type': 'multipart/form-data; boundary=b',
          'idempotency-key': team.id,
        },
      })
    const first = await send(form)
    expect(first.status).toBe(200)
    expect((await send(form)).data).toEqual(first.data)
    expect((await send(form.replace('1.7', '1.6'))).status).toBe(422)
    const { objects } = await env.MEDIA.list({ prefix: `${team.id}/` })
    expect(objects.map(({ key }) => `${ORIGIN}/media/${key}`)).toEqual([first.data.publicMediaUrl])
    expect((await fetchWorker(new URL(first.data.publicMediaUrl).pathname)).status).toBe(200)
  })

  it('are stored where the response of the database to the key was lost', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const DB = databaseThrough(async call => {
      const results = await call()
      if ([results].flat().some(each => (each as D1Result).meta.changes > 0)) throw new Error('Network connection lost')
      return results
    })
    const reply = await requestWith({ DB }, `${whatsapp.base}/upload-public-media`, {
      method: 'POST',
      body: getForm(file(PNG)),
      headers: { authorization: `Bearer ${team.token}`, 'idempotency-key': team.id },
    })
    expect(reply.status).toBe(200)
    expect((await fetchWorker(new URL(reply.data.publicMediaUrl).pathname)).status).toBe(200)
  })

  it('are returned in part where a range is requested', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await upload(team, whatsapp.base, file(PNG))
    const { pathname } = new URL(data.publicMediaUrl)
    const whole = await fetchWorker(pathname)
    expect(whole.headers.get('accept-ranges')).toBe('bytes')
    const etag = whole.headers.get('etag') ?? ''
    const cases: [string, Record<string, string>, number, number[], string | null][] = [
      ['bytes=0-3', {}, 206, PNG.slice(0, 4), 'bytes 0-3/12'],
      ['bytes=4-', {}, 206, PNG.slice(4), 'bytes 4-11/12'],
      ['bytes=-2', {}, 206, PNG.slice(-2), 'bytes 10-11/12'],
      ['bytes=10-99', {}, 206, PNG.slice(10), 'bytes 10-11/12'],
      ['bytes=0-3', { 'if-range': etag }, 206, PNG.slice(0, 4), 'bytes 0-3/12'],
      ['bytes=0-3', { 'if-range': '"other"' }, 200, PNG, null],
      ['bytes=12-', {}, 200, PNG, null],
      ['bytes=0-1,4-5', {}, 200, PNG, null],
      ['bytes=-', {}, 200, PNG, null],
    ]
    for (const [range, more, status, bytes, contentRange] of cases) {
      const reply = await fetchWorker(pathname, { headers: { range, ...more } })
      const { headers } = reply
      expect([range, reply.status, headers.get('content-range')]).toEqual([range, status, contentRange])
      expect([...new Uint8Array(await reply.arrayBuffer())]).toEqual(bytes)
      expect([headers.get('content-type'), headers.get('etag')]).toEqual(['image/png', etag])
    }
    const same = await fetchWorker(pathname, { headers: { range: 'bytes=0-3', 'if-none-match': etag } })
    expect([same.status, await same.text()]).toEqual([304, ''])
  })

  it('are stored byte by byte also with many megabytes, under the name that follows them', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const video = new Uint8Array(16 * MIB)
    for (let at = 0; at < video.length; at++) video[at] = at % 251 === 0 ? 13 : at % 256
    video.set(MP4)
    const { data, status } = await upload(team, whatsapp.base, new File([video], 'a.mp4'), { filename: 'Ufer.mp4' })
    expect(status).toBe(200)
    const got = await fetchWorker(new URL(data.publicMediaUrl).pathname)
    expect(got.headers.get('content-disposition')).toBe("inline; filename*=UTF-8''Ufer.mp4")
    expect(got.headers.get('content-type')).toBe('video/mp4')
    const bytes = new Uint8Array(await got.arrayBuffer())
    expect(bytes.length).toBe(video.length)
    expect(bytes.every((byte, at) => byte === video[at])).toBe(true)
    expect((await upload(team, whatsapp.base, file(MP4, 16 * MIB + 1))).status).toBe(413)
    expect((await env.MEDIA.list({ prefix: `${team.id}/` })).objects).toHaveLength(1)
  })

  it('are not stored if the form around them breaks off, or is none', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n%PDF-1.7'
    const send = (body: string, contentType = 'multipart/form-data; boundary=b') =>
      request('POST', `${whatsapp.base}/upload-public-media`, {
        body,
        headers: { authorization: `Bearer ${team.token}`, 'content-type': contentType },
      })
    for (const broken of ['', 'x', '--b', '--b--x', head, `${head}\r\n--`, `${head}${'x'.repeat(6 * MIB)}\r\n--b\r\n`])
      expect([broken.slice(-20), (await send(broken)).status]).toEqual([broken.slice(-20), 400])
    expect((await send(`${head}\r\n--b--`, 'multipart/form-data; charset=utf-8')).status).toBe(400)
    expect((await env.MEDIA.list({ prefix: `${team.id}/` })).objects).toEqual([])
    // A preamble, another part, a delimiter within the file that is none, and something after the end.
    const odd = `preamble\r\n--b\r\ncontent-disposition: form-data; name=other\r\n\r\n1\r\n${head}\r\n--a\r\n--b--\r\nmore`
    const { status, data } = await send(odd)
    expect(status).toBe(200)
    expect(await (await fetchWorker(new URL(data.publicMediaUrl).pathname)).text()).toBe('%PDF-1.7\r\n--a')
  })

  it('are a 404 if nobody uploaded them', async () => {
    expect((await request('GET', `/media/${crypto.randomUUID()}/2026-01-01/x.png`)).status).toBe(404)
  })
})
