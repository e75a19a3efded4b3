import { type Check, expectStatus, must, SkippedCheck, until } from './visit.ts'

const KEYS = '/v1/ext/api-key'
const USERS = '/v1/ext/users'
const REVOKED_MS_MAX = 30_000

export const accessChecks: Check[] = [
  {
    name: 'health',
    async run({ call }) {
      await expectStatus(call('GET', '/v1/health', { token: null }), 200)
    },
  },
  {
    name: 'deep health',
    async run({ call }) {
      const token = process.env.OPERATOR_TOKEN
      if (token === undefined) throw new SkippedCheck('set OPERATOR_TOKEN: it is for the operator')
      const { status, data } = await expectStatus(call('GET', '/v1/health?deep=true', { token }), 200, 503)
      const failing = Object.entries<{ status: string; reason?: string }>(data.checks).filter(
        ([, check]) => check.status !== 'ok',
      )
      must(status === 200, failing.map(([name, { reason }]) => `${name}: ${reason}`).join('; '))
    },
  },
  {
    name: 'configuration of the team',
    async run({ call }) {
      const { data } = await expectStatus(call('GET', '/v1/ext/config'), 200)
      must(data.team.id !== undefined, 'it has no team')
    },
  },
  {
    name: 'an unknown token, and none, is a 401',
    async run({ call }) {
      await expectStatus(call('GET', USERS, { token: `cw_${'0'.repeat(40)}` }), 401)
      await expectStatus(call('GET', USERS, { token: null }), 401)
    },
  },
  {
    name: 'API key made, used, rotated, revoked, refused within 30 s',
    waits: true,
    async run({ call, name, cleanUp }) {
      const made = await call('POST', KEYS, { body: { name, role: 'viewer' } })
      if (made.status === 403) throw new SkippedCheck('the token may not make keys')
      const old = (await expectStatus(Promise.resolve(made), 201)).data
      cleanUp(() => expectStatus(call('DELETE', `${KEYS}/${old.id}`), 200))
      await expectStatus(call('GET', USERS, { token: old.token }), 200)
      await expectStatus(call('POST', USERS.replace('users', 'user'), { token: old.token, body: {} }), 403)
      const next = (await expectStatus(call('POST', `${KEYS}/${old.id}/rotate`, { body: {} }), 200, 201)).data
      cleanUp(() => expectStatus(call('DELETE', `${KEYS}/${next.id}`), 200))
      await expectStatus(call('GET', USERS, { token: next.token }), 200)
      await expectStatus(call('DELETE', `${KEYS}/${next.id}`), 200)
      const isRefused = async ({ token }: { token: string }) => (await call('GET', USERS, { token })).status === 401
      // These run one after the other: too many refusals in ten seconds, and the address is limited.
      for (const key of [old, next])
        await until(() => isRefused(key), REVOKED_MS_MAX, 'a key that was replaced or revoked still works')
    },
  },
]
