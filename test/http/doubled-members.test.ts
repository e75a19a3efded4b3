import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, request, type Team } from '../support/api.ts'
import { LEADS, leadProcedure, listEntries, waitForJob } from '../support/jobs.ts'

describe('a member that is there twice in a JSON body', () => {
  let team: Team
  beforeAll(async () => {
    team = await newTeam()
    await leadProcedure(team)
    await team.call('POST', LEADS, { data: { lead_id: 'A', score: 1 } })
  })

  const send = (method: string, path: string, body: string, type = 'application/json') =>
    request(method, path, { headers: { authorization: `Bearer ${team.token}`, 'content-type': type }, body })

  const count = async () => (await team.call('GET', `${LEADS}/count`)).data.count

  it.each([
    ['POST', LEADS, '{"data":{"lead_id":"B"},"data":{"lead_id":"C"}}', '"data" is there twice', '/body/data'],
    ['POST', LEADS, '{"data":{"lead_id":"B","lead_id":"C"}}', '"lead_id" is there twice', '/body/data/lead_id'],
    [
      'POST',
      LEADS,
      '{"data":{"lead_id":"B", "\\u006cead_id" : "C"}}',
      '"lead_id" is there twice',
      '/body/data/lead_id',
    ],
    ['PUT', `${LEADS}/lead_id/A`, '{"data":{"score":1,"score":2}}', '"score" is there twice', '/body/data/score'],
    [
      'PUT',
      `${LEADS}/lead_id/A`,
      '{"data":{"extra":[{"a":1},{"a":"\\"a\\":","b":{"a":1},"a":2}]}}',
      '"a" is there twice',
      '/body/data/extra/1/a',
    ],
    ['POST', `${LEADS}/list`, '{"where":{"score":1,"score":2}}', '"score" is there twice', '/body/where/score'],
    [
      'PATCH',
      LEADS,
      '{"where":{"score":1},"where":{"score":2},"update":{"data":{"score":3}}}',
      '"where" is there twice',
      '/body/where',
    ],
    [
      'PATCH',
      LEADS,
      '{"where":{"score":1,"score":2},"update":{"data":{"score":3}}}',
      '"score" is there twice',
      '/body/where/score',
    ],
    [
      'POST',
      `${LEADS}/bulk-create`,
      '[{"data":{"lead_id":"B"}},{"data":{"lead_id":"C","lead_id":"D"}}]',
      '"lead_id" is there twice',
      '/body/data/lead_id',
    ],
  ])('is refused by %s %s %s', async (method, path, body, message, at) => {
    const before = await count()
    const reply = await send(method, path, body)
    expect([reply.status, reply.errors.length]).toEqual([400, 1])
    expect(reply.errors[0]).toContain(message)
    expect(JSON.stringify(reply.meta.errors)).toContain(at)
    expect(reply.meta.errors[0].code).toBe('invalid_request')
    expect(await count()).toBe(before)
  })

  it('makes a line of NDJSON invalid, and no other', async () => {
    const body = '{"data":{"lead_id":"N1"}}\n{"data":{"lead_id":"N2","lead_id":"N3"}}\n'
    const { data } = await send('POST', `${LEADS}/bulk-create`, body, 'application/x-ndjson')
    await waitForJob(team, data.id)
    const entries = await listEntries(team, data.id)
    expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual(['SUCCESS', 'INVALID'])
    expect(entries[1].completionMessage).toContain('line 2: "lead_id" is there twice (/data/lead_id)')
  })

  it.each([
    '{"data":{"lead_id":"X1","extra":{"lead_id":1,"a":[{"b":1},{"b":2}]}},"state":"NEW"}',
    String.raw`{"data":{"lead_id":"X2","extra":{"a":"\":1,\"a\":2","\"a\"":":","\\":"\\"}}}`,
    '{"data":{"lead_id":"X3","extra":{"__proto__":1,"constructor":2}}}',
  ])('is not seen where there is none: %s', async body => {
    expect((await send('POST', LEADS, body)).status).toBe(201)
  })
})
