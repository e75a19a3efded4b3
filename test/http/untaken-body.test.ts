import { describe, expect, it } from 'vitest'
import { routes } from '../../src/app.ts'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'

/** Nobody but a provider sends what its own route reads as it came. */
const READS_ITSELF = ['receiveWebhook']
const UNTAKEN = routes.filter(
  ({ method, body, bodyAs, permission, id }) =>
    method !== 'get' && !body && !bodyAs && permission !== null && !READS_ITSELF.includes(id),
)
const HINT = 'this request takes no body'

const send = (team: Team, path: string, body: string, { method = 'POST', ...headers }: Record<string, string> = {}) =>
  team.call(method, path, body, headers)

it('there are routes without a body', () => {
  expect(UNTAKEN.map(({ id }) => id)).toEqual(expect.arrayContaining(['undoJob', 'eraseRecord', 'resendMessage']))
})

it.each(UNTAKEN)('$id refuses a body that says something', async ({ method, path }) => {
  const team = await newTeam()
  const address = path.replace(':phoneNumber', '4915112345678').replaceAll(/:\w+/g, crypto.randomUUID())
  const reply = await send(team, address, '{"zzUnknown": true, "other": 1}', { method: method.toUpperCase() })
  expect(reply.status).toBe(400)
  expect(reply.meta.errors).toMatchObject([
    { code: 'invalid_request', path: '/body/zzUnknown', message: 'unknown field "zzUnknown"' },
    { code: 'invalid_request', path: '/body/other' },
  ])
  expect(reply.meta.errors[0].hint).toContain(HINT)
  for (const other of ['{broken', '"text"', 'a=b', '[{"id": 1}]', '7']) {
    const refused = await send(team, address, other, { method: method.toUpperCase(), 'content-type': 'text/plain' })
    expect([refused.status, refused.meta.errors], other).toMatchObject([400, [{ path: '/body', message: HINT }]])
  }
})

describe('an undo', () => {
  it('is not done where its body asks for something else', async () => {
    const team = await newLeadTeam()
    const made = await team.call('POST', LEADS, { data: { city: 'Pune' } })
    const job = await bulk(team, 'PATCH', { processes: [{ id: made.data.id, update: { data: { city: 'Goa' } } }] })
    const undo = `${JOBS}/${job.data.id}/undo`
    const reply = await send(team, undo, '{"dryRun": true}')
    expect([reply.status, reply.errors]).toEqual([
      400,
      [
        `unknown field "dryRun" (${HINT}; an undo has no dry run: it leaves what somebody has changed since, lists that, and can be undone itself)`,
      ],
    ])
    expect((await team.call('GET', `${LEADS}/${made.data.id}`)).data.data.city).toBe('Goa')
    expect((await send(team, undo, '{}', { 'idempotency-key': 'once' })).status).toBe(202)
  })
})

it('what is a parameter of the query is told so, and nothing is erased or deleted', async () => {
  const team = await newLeadTeam()
  const made = await team.call('POST', LEADS, { record: { data: { phone: '4915112345678' } } })
  const record = `/v1/ext/record/${made.data.record.id}`
  const erasure = await send(team, record, '{"everywhere": true}', { method: 'DELETE' })
  expect(erasure.errors).toEqual([
    'unknown field "everywhere" (this request takes no body; "everywhere" is a parameter of the address)',
  ])
  const purge = await send(team, `${LEADS}/${made.data.id}`, '{"purge": true}', { method: 'DELETE' })
  expect(purge.meta.errors).toMatchObject([{ path: '/body/purge' }])
  expect((await team.call('GET', record)).status).toBe(200)
  expect((await team.call('GET', `${LEADS}/${made.data.id}`)).status).toBe(200)
})

it.each(['', ' \r\n', '{}', ' { } ', 'null', '[]'])('a body that says nothing, as %j, is taken', async body => {
  const team = await newLeadTeam()
  const remove = async (headers: Record<string, string>) => {
    const made = await team.call('POST', LEADS, {})
    const path = `${LEADS}/${made.data.id}`
    const deleted = await send(team, path, body, { method: 'DELETE', ...headers })
    return [deleted.status, (await send(team, `${path}/restore`, body, headers)).status]
  }
  expect(await remove({ 'content-type': 'application/json' })).toEqual([200, 200])
  expect(await remove({ 'content-type': 'application/x-www-form-urlencoded' })).toEqual([200, 200])
  expect(await remove({ 'idempotency-key': 'k' })).toEqual([200, 200])
})

it('a large body is refused before it is read, also with an idempotency key', async () => {
  const team = await newTeam()
  const large = `{"x": "${'x'.repeat(1024 * 1024)}"}`
  for (const headers of [{}, { 'idempotency-key': 'k' }, { method: 'DELETE' }]) {
    const path = 'method' in headers ? `${LEADS}/x` : `${JOBS}/${crypto.randomUUID()}/cancel`
    expect((await send(team, path, large, headers)).status).toBe(413)
  }
})
