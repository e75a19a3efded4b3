import { expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'

it('a caller can ask for its own identity, whatever its role', async () => {
  const team = await newTeam()
  const admin = await team.call('GET', '/v1/ext/me')
  expect(admin).toMatchObject({
    status: 200,
    data: {
      team: { id: expect.any(String), shortId: expect.any(String), name: expect.any(String) },
      user: { id: expect.any(String), username: expect.any(String) },
      role: { shortId: 'admin', name: 'Admin' },
      limits: {
        callsPerMinute: 120_000,
        listLimit: 100,
        bulkEntries: 100_000,
        bulkBytes: 33_554_432,
        bulkLines: 1_000_000,
        bulkLinesBytes: 100_000_000,
      },
    },
  })
  const made = await team.call('POST', '/v1/ext/api-key', { name: 'Wall', role: 'viewer', expiresAt: 4102444800000 })
  const viewer = await team.call('GET', '/v1/ext/me', undefined, { authorization: `Bearer ${made.data.token}` })
  expect(viewer.data).toMatchObject({
    team: admin.data.team,
    user: admin.data.user,
    key: {
      id: made.data.id,
      name: 'Wall',
      prefix: made.data.prefix,
      lastFour: made.data.lastFour,
      expiresAt: 4102444800000,
    },
    role: { shortId: 'viewer' },
    limits: { callsPerMinute: 12_000 },
  })
  expect(viewer.data.permissions).not.toContain('process:write')
  expect(admin.data.permissions).toContain('process:write')
})
