import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { getCipher, readKeyId } from '../../src/plugin/secret/cipher.ts'
import { MINUTE_MS } from '../../src/time-units.ts'
import { newTeam, request, type Team } from '../support/api.ts'
import { type FaultInjection, Harness } from '../support/harness.ts'
import { connectPlugin } from '../support/provider.ts'

// A change of SECRETS_KEY: what is stored is encrypted under the new key by the cron, without anybody's help.

const WEBHOOK = '/v1/ext/webhook'
const NEW_KEY = btoa('a new key of thirty-two bytes !!')
const CHANGED = { SECRETS_KEY: NEW_KEY, SECRETS_KEY_PREVIOUS: env.SECRETS_KEY ?? '' }
const STORED = `SELECT id, 'accessToken' AS name, access_token AS stored, version, updated_at FROM plugin WHERE team = ?1
  UNION ALL SELECT id, 'appSecret', app_secret, version, updated_at FROM plugin WHERE team = ?1
  UNION ALL SELECT id, 'verifyToken', verify_token, version, updated_at FROM plugin WHERE team = ?1
  UNION ALL SELECT id, 'secret', secret, version, updated_at FROM webhook WHERE team = ?1
  UNION ALL SELECT id, 'previousSecret', previous_secret, version, updated_at FROM webhook
    WHERE team = ?1 AND previous_secret IS NOT NULL`

let team: Team
beforeEach(async () => {
  // Each test begins with nothing under another key.
  await env.DB.batch([env.DB.prepare('DELETE FROM plugin'), env.DB.prepare('DELETE FROM webhook')])
  team = await newTeam()
})
afterEach(() => void vi.restoreAllMocks())

interface StoredSecret {
  id: string
  name: string
  stored: string
  version: number
  updated_at: number
}
const listStored = async (): Promise<StoredSecret[]> =>
  (await env.DB.prepare(STORED).bind(team.no).all<StoredSecret>()).results
const listKeys = async () => [...new Set((await listStored()).map(({ stored }) => readKeyId(stored)))]
const [OLD_ID, NEW_ID] = [(await getCipher(env).keyIds())[0], (await getCipher(CHANGED).keyIds())[0]]

/** The secrets themselves, and what a caller sees of the rows, where these keys are set. */
const readSecrets = async (keys: Partial<Env>) =>
  Promise.all(
    (await listStored()).map(async ({ stored, ...row }) => ({
      ...row,
      secret: await getCipher(keys).decrypt(stored, `${row.id}/${row.name}`),
    })),
  )
/** The cron of the next minute. */
let now = Date.now()
const minute = (injection: FaultInjection = {}, vars: Record<string, string> = CHANGED) => {
  now += MINUTE_MS
  return new Harness(vars, injection).runCron(now)
}
const newWebhook = async () =>
  (await team.call('POST', WEBHOOK, { url: 'https://www.example.com/hook' })).data.id as string

it('everything that is stored is under the new key after a minute, and is the same secret', async () => {
  const { base } = await connectPlugin(team)
  const id = await newWebhook()
  await newWebhook()
  await team.call('POST', `${WEBHOOK}/${id}/rotate-secret`, { overlapSeconds: 3600 })
  const before = await readSecrets(env)
  expect(before).toHaveLength(6)
  await minute()
  expect(await listKeys()).toEqual([NEW_ID])
  expect(await readSecrets({ SECRETS_KEY: NEW_KEY })).toEqual(before)
  const headers = { authorization: `Bearer ${team.token}` }
  const bindings = { ...env, SECRETS_KEY: NEW_KEY } as unknown as Env
  expect((await request('GET', base, { headers }, bindings)).data.areSecretsReadable).toBe(true)
})

it('without a key before it, or with the same one twice, nothing is read or written', async () => {
  await newWebhook()
  const before = await listStored()
  for (const vars of [{ SECRETS_KEY: NEW_KEY }, { SECRETS_KEY_PREVIOUS: env.SECRETS_KEY ?? '' }]) {
    await minute({}, vars)
    expect(await listStored()).toEqual(before)
  }
})

it('what can not be decrypted keeps nothing else from it, over several pages', async () => {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  const id = await newWebhook()
  const other = 'INSERT INTO webhook (no, id, team, url, secret, created_at, updated_at)'
  await env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 250)
    ${other} SELECT i, 'damaged ' || i, 0, '', (SELECT secret FROM webhook WHERE id = ?), 0, 0 FROM n`)
    .bind(id)
    .run()
  await minute()
  expect(await listKeys()).toEqual([NEW_ID])
  const left = await env.DB.prepare("SELECT count(*) AS n FROM webhook WHERE team = 0 AND secret LIKE ? || '.%'")
    .bind(OLD_ID ?? '')
    .first<number>('n')
  expect(left).toBe(250)
  expect(error.mock.calls.join()).toContain('"notEncryptedAgain":"damaged 1/secret"')
})

it('a secret that is rotated meanwhile stays the one that it was rotated to, and follows a minute later', async () => {
  const id = await newWebhook()
  let rotated: string | undefined
  const before: FaultInjection['before'] = async ({ sql }) => {
    if (rotated !== undefined || !/UPDATE "?webhook"? SET/.test(sql)) return
    rotated = ''
    rotated = (await team.call('POST', `${WEBHOOK}/${id}/rotate-secret`, { overlapSeconds: 0 })).data.secret as string
  }
  await minute({ before })
  expect(rotated).toMatch(/^whsec_/)
  expect(await listKeys()).toEqual([OLD_ID])
  await minute()
  expect(await readSecrets({ SECRETS_KEY: NEW_KEY })).toMatchObject([{ name: 'secret', secret: rotated }])
})

it('a version of the code that does not know the new key yet writes under the old one, and what it wrote follows', async () => {
  await minute()
  await newWebhook()
  expect(await listKeys()).toEqual([OLD_ID])
  await minute()
  expect(await listKeys()).toEqual([NEW_ID])
})
