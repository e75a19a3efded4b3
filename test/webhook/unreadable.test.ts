import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { newTeam, request, type Team } from '../support/api.ts'
import { exportLines, operateJson } from '../support/operator.ts'
import { connectPlugin } from '../support/provider.ts'

// A team that was imported, or restored, beside another SECRETS_KEY.

const OTHER_KEY = btoa('another key of thirty-two bytes!')
const OTHER = { ...env, SECRETS_KEY: OTHER_KEY } as unknown as Env

const SECRETS = { accessToken: 'token', appSecret: 'secret', verifyToken: 'verify' }
const WEBHOOK = '/v1/ext/webhook'

let team: Team
beforeEach(async () => {
  team = await newTeam()
})

const elsewhere = (method: string, path: string, body?: object) =>
  request(
    method,
    path,
    {
      headers: { authorization: `Bearer ${team.token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    },
    OTHER,
  )

it('a webhook with an unreadable secret says so, and what to do; a new secret repairs it', async () => {
  const { data } = await team.call('POST', WEBHOOK, { url: 'https://www.example.com/hook' })
  const path = `${WEBHOOK}/${data.id}`
  expect(data.isSecretReadable).toBe(true)
  expect((await elsewhere('GET', path)).data.isSecretReadable).toBe(false)
  expect((await elsewhere('GET', WEBHOOK)).data).toMatchObject([{ isSecretReadable: false }])
  for (const [method, to, body] of [
    ['PUT', path, { description: 'x' }],
    ['POST', `${path}/test`, undefined],
    ['POST', `${path}/rotate-secret`, {}],
  ] as const) {
    const refused = await elsewhere(method, to, body)
    expect([to, refused.status]).toEqual([to, 409])
    expect(JSON.stringify(refused.meta)).toContain('rotate-secret')
  }
  const rotated = await elsewhere('POST', `${path}/rotate-secret`, { overlapSeconds: 0 })
  expect([rotated.status, rotated.data.isSecretReadable]).toEqual([200, true])
  expect((await elsewhere('PUT', path, { description: 'x' })).status).toBe(200)
})

it('a plugin with unreadable secrets says so, and what to do; sending all of them repairs it', async () => {
  const { base } = await connectPlugin(team)
  expect((await team.call('GET', base)).data.areSecretsReadable).toBe(true)
  expect((await elsewhere('GET', base)).data.areSecretsReadable).toBe(false)
  expect((await elsewhere('GET', '/v1/ext/plugin')).data).toMatchObject([{ areSecretsReadable: false }])
  for (const [method, path, body] of [
    ['PUT', base, { name: 'x' }],
    ['PUT', base, { name: 'x', accessToken: 'new' }],
    ['POST', `${base}/sync-templates`, undefined],
  ] as const) {
    const refused = await elsewhere(method, path, body)
    expect([path, refused.status]).toEqual([path, 409])
    expect(JSON.stringify(refused.meta)).toContain('accessToken')
  }
  const mended = await elsewhere('PUT', base, SECRETS)
  expect([mended.status, mended.data.areSecretsReadable]).toEqual([200, true])
})

it('an export has the secrets right behind the team, so that an import is refused in its first part or not at all', async () => {
  await connectPlugin(team)
  await team.call('POST', WEBHOOK, { url: 'https://www.example.com/order' })
  const tables = (await exportLines(team.id)).map(line => (JSON.parse(line) as { table: string }).table)
  const order = [...new Set(tables)]
  expect(order.slice(0, 3)).toEqual(['team', 'plugin', 'webhook'])
})

it('an import of secrets of another key is refused before it writes, and says what to do', async () => {
  const { data } = await team.call('POST', WEBHOOK, { url: 'https://www.example.com/hook' })
  const lines = await exportLines(team.id)
  const ofWebhook = lines.filter(line => line.startsWith('{"table":"webhook"'))
  await env.DB.prepare('DELETE FROM webhook WHERE id = ?').bind(data.id).run()
  const send = (bindings: object) =>
    operateJson('POST', `/rows?team=${team.no}`, [...ofWebhook, ...lines].join('\n'), bindings as Partial<Env>)
  const refused = await send({ SECRETS_KEY: OTHER_KEY })
  expect(refused.status).toBe(409)
  expect(refused.errors[0]).toContain('another SECRETS_KEY')
  expect((await team.call('GET', WEBHOOK)).data).toEqual([])
  // The key of the installation that it comes from is known here, too.
  expect((await send({ SECRETS_KEY: OTHER_KEY, SECRETS_KEY_PREVIOUS: env.SECRETS_KEY })).status).toBe(200)
  expect((await team.call('GET', WEBHOOK)).data).toMatchObject([{ id: data.id }])
})
