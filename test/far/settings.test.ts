import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { toHome } from '../../src/home.ts'
import { OPERATOR_TOKEN } from '../support/operator.ts'
import { signBody } from '../support/provider.ts'
import { type FarTeam, far, type Place } from './far.ts'
import { connectSender } from './sender.ts'

const [FIRST_KEY, SECOND_KEY] = ['the first key, thirty-two bytes!', 'the second key, thirty-two byte!'].map(btoa)
const BY_OPERATOR = { authorization: `Bearer ${OPERATOR_TOKEN}` }
const PUBLIC = 'https://api.example.com'

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))
afterEach(() => void vi.restoreAllMocks())

const deploy = (place: Place, vars: Record<string, string | undefined>) => place.set(vars as Partial<Env>)
const loadSecrets = async (team: FarTeam) =>
  (await team.call('GET', '/v1/health?deep=true', undefined, BY_OPERATOR)).data.checks.secrets.status

it('the key of secrets is changed without a pause: the previous one decrypts until nothing needs it', async () => {
  const place = far({}, { SECRETS_KEY: FIRST_KEY } as Partial<Env>)
  const team = await place.newTeam()
  const line = await connectSender(team)
  expect((await line.send('4915520000001')).status).toBe(200)
  deploy(place, { SECRETS_KEY: SECOND_KEY, SECRETS_KEY_PREVIOUS: FIRST_KEY })
  expect((await line.send('4915520000002')).status).toBe(200)
  // A plugin that is changed gets the present key; then the one before can go.
  expect((await team.call('PUT', line.base, { name: 'Other' })).status).toBe(200)
  deploy(place, { SECRETS_KEY: SECOND_KEY, SECRETS_KEY_PREVIOUS: undefined })
  expect((await line.send('4915520000003')).status).toBe(200)
  expect((await line.received()).accepted).toBe(3)
})

it('a key that was removed too early is named by the deep health check, and comes back without a loss', async () => {
  const place = far({}, { SECRETS_KEY: FIRST_KEY, OPERATOR_TOKEN } as Partial<Env>)
  const team = await place.newTeam()
  const line = await connectSender(team)
  deploy(place, { SECRETS_KEY: SECOND_KEY, SECRETS_KEY_PREVIOUS: undefined })
  expect(await loadSecrets(team)).toBe('failing')
  expect((await line.send('4915520000004')).status).toBe(500)
  deploy(place, { SECRETS_KEY: SECOND_KEY, SECRETS_KEY_PREVIOUS: FIRST_KEY })
  expect((await line.send('4915520000004')).status).toBe(200)
  expect((await line.received()).received).toBe(1)
})

it('an installation that moves to its own domain returns addresses there, and the earlier ones still work', async () => {
  const place = far()
  const team = await place.newTeam()
  const line = await connectSender(team)
  const before = (await team.call('GET', line.base)).data.webhookUrl as string
  deploy(place, { PUBLIC_ORIGIN: PUBLIC })
  expect((await team.call('GET', line.base)).data.webhookUrl).toBe(
    `${PUBLIC}/webhooks/whatsapp/${toHome(team.no)}/${line.id}`,
  )
  const missing = await team.call('GET', '/v1/ext/nothing')
  expect(missing.meta.errors[0].docs).toBe(`${PUBLIC}/docs/errors#not_found`)
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [] })
  const headers = { 'x-hub-signature-256': await signBody(line.appSecret, body) }
  const { pathname } = new URL(before)
  expect((await place.run(() => place.fetch(pathname, { method: 'POST', body, headers }))).status).toBe(200)
})
