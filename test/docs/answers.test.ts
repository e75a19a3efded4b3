import { expect, it } from 'vitest'
import { answered, operations } from '../support/document.ts'
import { newTeam } from '../support/world.ts'

const LEAD = {
  name: 'Lead',
  states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
  startState: 'NEW',
  completedState: 'WON',
  attributes: [
    { shortId: 'lead_id', type: 'string', required: true },
    { shortId: 'score', type: 'integer', indexed: true },
    { shortId: 'source', type: 'stringEnum', values: ['web', 'shop'] },
  ],
  primaryKey: 'lead_id',
}

it('every documented success is what a real call answers', { timeout: 60_000 }, async () => {
  const team = await newTeam()
  const base = '/v1/ext/procedure/lead'
  await team.call('GET', '/v1/health')
  await team.call('PUT', base, LEAD)
  await team.call('PUT', base, LEAD)
  await team.call('GET', base)
  await team.call('GET', '/v1/ext/procedure')
  const body = { data: { lead_id: 'A-1', score: 7 }, record: { data: { phone_number: '919448300007' } } }
  const { data, headers } = await team.call('POST', `${base}/process`, body, { 'idempotency-key': 'one' })
  const again = await team.call('POST', `${base}/process`, body, { 'idempotency-key': 'one' })
  expect(again.headers.get('idempotency-replayed')).toBe('true')
  await team.call('PUT', `${base}/process`, { data: { lead_id: 'A-2' } })
  await team.call('PUT', `${base}/process`, { data: { lead_id: 'A-2', score: null } })
  const tag = headers.get('etag') ?? ''
  for (const address of [`${base}/process/${data.id}`, `${base}/process/lead_id/A-1`]) {
    await team.call('GET', address)
    await team.call('GET', address, undefined, { 'if-none-match': tag })
    const { headers } = await team.call('PUT', address, { data: { score: 7 } })
    await team.call('DELETE', address, undefined, { 'if-match': headers.get('etag') ?? '' })
    const { status } = await team.call('POST', `${base}/process/${data.id}/restore`)
    expect(status).toBe(200)
    await team.call('GET', address, undefined, { 'if-none-match': '*' })
  }
  await team.call('POST', `${base}/process/list`, { where: { score: { '>=': 1 } } })
  await team.call('GET', `${base}/process?limit=1&status=OPEN`)
  const user = await team.call('POST', '/v1/ext/user', { username: 'asha', role: 'agent', email: 'a@acme.example' })
  await team.call('PUT', `/v1/ext/user/${user.data.id}`, { firstName: 'Asha' })
  for (const version of ['v1', 'v2']) {
    await team.call('GET', `/${version}/ext/users`)
    await team.call('GET', `/${version}/ext/user/${user.data.id}`)
  }
  await team.call('GET', '/v1/ext/config')
  const key = await team.call('POST', '/v1/ext/api-key', { name: 'One', role: 'viewer' })
  await team.call('GET', '/v1/ext/api-key')
  const rotated = await team.call('POST', `/v1/ext/api-key/${key.data.id}/rotate`, {})
  await team.call('DELETE', `/v1/ext/api-key/${rotated.data.id}`)

  const successes = operations.flatMap(({ operation }) =>
    Object.keys(operation.responses)
      .filter(status => Number(status) < 400)
      .map(status => `${operation.operationId} ${status}`),
  )
  expect(successes.filter(each => !answered.has(each))).toEqual([])
})
