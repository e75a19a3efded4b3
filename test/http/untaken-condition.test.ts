import { expect, it } from 'vitest'
import { routes } from '../../src/app.ts'
import { changesNothing } from '../../src/http/route.ts'
import { newTeam } from '../support/api.ts'
import { LEADS, newLeadTeam } from '../support/jobs.ts'

const CHANGING = routes.filter(spec => spec.permission !== null && !changesNothing(spec))
const CONDITIONS = { 'if-match': '"1-0"', 'if-none-match': '*' }

it('a condition that a route does not look at is refused by every route that changes something', async () => {
  const team = await newTeam()
  const taking: string[] = []
  for (const { id, method, path, takesIfMatch } of CHANGING) {
    const address = path.replace(':phoneNumber', '4915112345678').replaceAll(/:\w+/g, crypto.randomUUID())
    const reply = await team.call(method.toUpperCase(), address, {}, CONDITIONS)
    const paths = reply.meta.errors.map(({ path: place }: { path?: string }) => place)
    expect([id, reply.status, paths.includes('/header/if-none-match')]).toEqual([id, 400, true])
    expect([id, paths.includes('/header/if-match')]).toEqual([id, !takesIfMatch])
    if (takesIfMatch) taking.push(id)
  }
  expect(taking).toEqual(expect.arrayContaining(['putProcedure', 'updateRecord', 'deleteProcessById']))
})

it('nothing is changed where a condition is not taken; `*` of what is there, and a list by POST, are', async () => {
  const team = await newLeadTeam()
  const made = await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Pune' } })
  const put = (headers: Record<string, string>) =>
    team.call('PUT', LEADS, { data: { lead_id: 'A', city: 'Goa' } }, headers)
  const refused = await put({ 'if-match': made.headers.get('etag') ?? '' })
  expect([refused.status, refused.errors]).toEqual([400, ['this request takes no if-match']])
  const onlyNew = await put({ 'if-none-match': '*' })
  expect([onlyNew.status, onlyNew.errors]).toEqual([400, ['this request takes no if-none-match']])
  expect((await team.call('GET', `${LEADS}/${made.data.id}`)).data.data.city).toBe('Pune')
  expect((await put({ 'if-match': '*' })).status).toBe(200)
  expect((await team.call('POST', `${LEADS}/list`, {}, { 'if-none-match': '"1"' })).status).toBe(200)
})
