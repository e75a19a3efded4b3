import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, JOBS, leadProcedure, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { connectPlugin } from '../support/provider.ts'

const LEAD = '/v1/ext/procedure/lead/process'
const MUST_BE_TIME = '"nextActionAt": must be epoch milliseconds, or ISO 8601 with an offset'
const NO_TIMESTAMP = 'is not an ISO 8601 timestamp with an offset (2026-01-31T09:30:00Z)'

describe('a fault in a value', () => {
  it.each([
    ['tomorrow', `"nextActionAt": "tomorrow" ${NO_TIMESTAMP}`],
    ['2026-11-21', '"nextActionAt": "2026-11-21" lacks an offset from UTC (2026-11-21T00:00:00Z)'],
    ['2026-99-99T10:00Z', '"nextActionAt": "2026-99-99T10:00Z" is not a date that exists'],
    ['12 apples', `"nextActionAt": "12 apples" ${NO_TIMESTAMP}`],
    ['1795255200', `${MUST_BE_TIME} (1795255200000)`],
    ['1970-01-02T00:00:00Z', MUST_BE_TIME],
    ['', `${MUST_BE_TIME} (null)`],
    [true, MUST_BE_TIME],
  ])('is described in words, not as a pattern: a time %j', async (nextActionAt, sentence) => {
    const team = await newLeadTeam()
    const { errors } = await team.call('POST', LEAD, { data: { lead_id: 'A' }, nextActionAt })
    expect(errors).toEqual([sentence])
  })

  it('is described in the same words in the entry of a job', async () => {
    const team = await newLeadTeam()
    const job = await bulk(team, 'PATCH', [{ lead_id: 'A', update: { nextActionAt: 1795255200 } }])
    await waitForJob(team, job.data.id)
    const { data } = await team.call('GET', `${JOBS}/${job.data.id}/entries`)
    expect(data[0].completionMessage).toContain(`${MUST_BE_TIME} (1795255200000)`)
  })

  it('is described in words where a message is sent and a user is made', async () => {
    const team = await newTeam()
    const { base, phone } = await connectPlugin(team)
    const message = { whatsappPhoneNumberId: phone.id, templateName: 'any', locationLatitude: 'north' }
    const sent = await team.call('POST', `${base}/phoneNumber/919448300007/send-template-message`, message)
    expect(sent.errors).toEqual(['"locationLatitude": must be a number of degrees'])
    const user = await team.call('POST', '/v1/ext/user', {
      username: 'a b',
      role: 'agent',
      email: 'a',
      timezone: 'IST',
    })
    expect(user.errors).toEqual([
      '"username": must be 1 to 320 characters without spaces',
      '"email": must be an e-mail address',
      '"timezone": must be an offset such as +0530',
    ])
  })
})

describe('a name or address that does not exist', () => {
  it('is answered with the procedure of the team that was probably meant', async () => {
    const team = await newLeadTeam()
    for (const path of ['/v1/ext/procedure/leads', '/v1/ext/procedure/leads/process']) {
      const { status, errors } = await team.call('GET', path)
      expect([status, errors], path).toEqual([404, ['procedure leads not found (did you mean "lead"?)']])
    }
    const { meta } = await team.call('GET', '/v1/ext/procedure/leads')
    expect(meta.errors[0].hint).toBe('did you mean "lead"?')
    const other = await newTeam()
    expect((await other.call('GET', '/v1/ext/procedure/leads')).errors).toEqual(['procedure leads not found'])
  })

  it('is answered with the address without a slash at its end', async () => {
    const team = await newTeam()
    for (const path of ['/v1/ext/users/', '/v1/ext/procedure/lead/process//']) {
      const { status, meta } = await team.call('GET', path)
      const meant = path.replace(/\/+$/, '')
      expect([status, meta.errors[0].hint]).toEqual([404, `did you mean "${meant}", without the slash at its end?`])
    }
    expect((await team.call('GET', '/v1/nowhere/')).meta.errors[0].hint).toBeUndefined()
  })

  it('is called a parameter in a query, and a body a body', async () => {
    const team = await newLeadTeam()
    const { errors } = await team.call('GET', '/v1/ext/procedure/lead/process?stat=NEW')
    expect(errors).toEqual(['unknown parameter "stat" (did you mean "state"?)'])
    const empty = await team.call('PUT', `/v1/ext/plugin/whatsapp/${crypto.randomUUID()}`, {})
    expect(empty.errors).toEqual(['the body: at least one field is required, such as "name" or "status"'])
    expect((await team.call('POST', '/v1/ext/user', [])).errors).toEqual(['the body must be an object'])
  })
})

describe('a suggested correction', () => {
  it.each<[string, string, unknown, string, string | undefined]>([
    ['POST', LEAD, { lead_id: 'Q1' }, '/body/lead_id', 'attributes stand in "data"'],
    ['POST', LEAD, { createdAt: 5 }, '/body/createdAt', '"createdAt" is given by the API'],
    ['PUT', `${LEAD}/${crypto.randomUUID()}`, { score: 3 }, '/body/score', 'attributes stand in "data"'],
    ['POST', LEAD, { stat: 'NEW' }, '/body/stat', 'did you mean "state"?'],
    ['POST', LEAD, { assignedTo: '' }, '/body/assignedTo', 'null'],
    ['POST', LEAD, { nextActionAt: '' }, '/body/nextActionAt', 'null'],
    ['POST', LEAD, { data: { score: '' } }, '/body/data/score', 'null'],
    ['POST', LEAD, { data: { needed: '' } }, '/body/data/needed', undefined],
    ['POST', LEAD, { data: { interests: 'loan' } }, '/body/data/interests', '["loan"]'],
    ['POST', LEAD, { data: { interests: { a: 1 } } }, '/body/data/interests', undefined],
    ['POST', `${LEAD}/list`, { filter: {} }, '/body/filter', 'did you mean "where"?'],
    ['POST', `${LEAD}/list`, { page_size: 5 }, '/body/page_size', 'did you mean "limit"?'],
    [
      'POST',
      `${LEAD}/list`,
      { columns: [] },
      '/body/columns',
      'known fields: where, search, sort, skip, limit, cursor, fields',
    ],
    [
      'POST',
      '/v1/ext/user',
      { name: 'Asha', username: 'asha', role: 'agent' },
      '/body/name',
      expect.stringMatching(/^known fields: .*firstName, lastName/) as string,
    ],
    ['GET', `${LEAD}?page=2`, undefined, '/query/page', 'did you mean "skip"?'],
    [
      'GET',
      `${LEAD}?city=Pune`,
      undefined,
      '/query/city',
      'known parameters: skip, limit, cursor, status, state, assignedTo, format, all, checkpoints, fields; to filter by attributes, send a `where` to POST …/list',
    ],
  ])('helps with the forms that other tools send: %s %s %j', async (method, path, body, at, hint) => {
    const team = await newTeam()
    const attributes = [
      { shortId: 'lead_id', type: 'string' },
      { shortId: 'score', type: 'integer' },
      { shortId: 'interests', type: 'multiString' },
      { shortId: 'needed', type: 'integer', required: true },
    ]
    await leadProcedure(team, { attributes })
    const { status, meta } = await team.call(method, path, body)
    const fault = meta.errors.find((each: { path: string }) => each.path === at)
    expect([status, fault?.hint]).toEqual([400, hint])
  })

  it('names the address that was probably meant', async () => {
    const team = await newTeam()
    const id = crypto.randomUUID()
    const meant = {
      '/v1/ext/procedures/lead/process': LEAD,
      '/ext/procedure/lead/process': LEAD,
      '/v1/procedure/lead/process': LEAD,
      '/procedure/lead/process': LEAD,
      [`/v1/ext/backgroundjob/${id}/entrys`]: `/v1/ext/background-job/${id}/entries`,
      '/v1/ext/user': null,
      '/v1/nothing/like/it/at/all': undefined,
    }
    for (const [path, address] of Object.entries(meant)) {
      const { status, meta } = await team.call('GET', path)
      if (address === null) expect(status).toBe(405)
      else
        expect([path, status, meta.errors[0].hint]).toEqual([
          path,
          404,
          address === undefined ? undefined : `did you mean "${address}"?`,
        ])
    }
  })
})

describe('a time', () => {
  it('may be ISO 8601 with an offset wherever it may be a number', async () => {
    const team = await newLeadTeam()
    const [iso, ms] = ['2026-12-01T10:00:00+05:30', Date.parse('2026-12-01T10:00:00+05:30')]
    const made = await team.call('POST', LEAD, { data: { lead_id: 'A' }, nextActionAt: iso })
    expect([made.status, made.data.nextActionAt]).toEqual([201, ms])
    const changed = await team.call('PUT', `${LEAD}/lead_id/A`, { nextActionAt: '2026-12-01T10:00Z' })
    expect(changed.data.nextActionAt).toBe(Date.parse('2026-12-01T10:00Z'))
    await bulk(team, 'PATCH', [{ lead_id: 'A', nextActionAt: iso }])
    expect((await team.call('GET', `${LEAD}/lead_id/A`)).data.nextActionAt).toBe(ms)
    const later = { startAt: '2999-01-01T00:00:00Z', entries: [] }
    expect(
      (await team.call('POST', JOBS, later)).meta.errors?.some((each: { path: string }) =>
        each.path.includes('startAt'),
      ),
    ).not.toBe(true)
  })
})
