import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, ended, JOBS, leadProcedure } from '../support/jobs.ts'
import { connected } from '../support/provider.ts'

const LEAD = '/v1/ext/procedure/lead/process'
const MUST_BE_MS = '"nextActionAt": must be epoch milliseconds'

describe('what is wrong with a value', () => {
  it.each([
    ['tomorrow', MUST_BE_MS],
    ['2026-11-21T10:00:00Z', `${MUST_BE_MS} (1795255200000)`],
    ['2026-11-21', `${MUST_BE_MS} (1795219200000)`],
    ['2026-99-99', MUST_BE_MS],
    ['12 apples', MUST_BE_MS],
    ['', MUST_BE_MS],
    [true, MUST_BE_MS],
  ])('is said in words, not as a pattern: a time %j', async (nextActionAt, sentence) => {
    const team = await newTeam()
    await leadProcedure(team)
    const { errors } = await team.call('POST', LEAD, { data: { lead_id: 'A' }, nextActionAt })
    expect(errors).toEqual([sentence])
  })

  it('is said in the same words in the entry of a job', async () => {
    const team = await newTeam()
    await leadProcedure(team)
    const job = await bulk(team, 'PATCH', [{ lead_id: 'A', update: { nextActionAt: '2026-11-21T10:00:00Z' } }])
    await ended(team, job.data.id)
    const { data } = await team.call('GET', `${JOBS}/${job.data.id}/entries`)
    expect(data[0].completionMessage).toContain(`${MUST_BE_MS} (1795255200000)`)
  })

  it('is said in words where a message is sent and a user is made', async () => {
    const team = await newTeam()
    const { base, phone } = await connected(team)
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

describe('what is not there', () => {
  it('is told with what was probably meant: a procedure of the team', async () => {
    const team = await newTeam()
    await leadProcedure(team)
    for (const path of ['/v1/ext/procedure/leads', '/v1/ext/procedure/leads/process']) {
      const { status, errors } = await team.call('GET', path)
      expect([status, errors], path).toEqual([404, ['procedure leads not found (did you mean "lead"?)']])
    }
    const { meta } = await team.call('GET', '/v1/ext/procedure/leads')
    expect(meta.errors[0].hint).toBe('did you mean "lead"?')
    const other = await newTeam()
    expect((await other.call('GET', '/v1/ext/procedure/leads')).errors).toEqual(['procedure leads not found'])
  })

  it('is told with what was probably meant: the address without a slash at its end', async () => {
    const team = await newTeam()
    for (const path of ['/v1/ext/users/', '/v1/ext/procedure/lead/process//']) {
      const { status, meta } = await team.call('GET', path)
      const meant = path.replace(/\/+$/, '')
      expect([status, meta.errors[0].hint]).toEqual([404, `did you mean "${meant}", without the slash at its end?`])
    }
    expect((await team.call('GET', '/v1/nowhere/')).meta.errors[0].hint).toBeUndefined()
  })

  it('is called a parameter in a query, and a body is called a body', async () => {
    const team = await newTeam()
    await leadProcedure(team)
    const { errors } = await team.call('GET', '/v1/ext/procedure/lead/process?stat=NEW')
    expect(errors).toEqual(['unknown parameter "stat" (did you mean "state"?)'])
    const empty = await team.call('PUT', `/v1/ext/plugin/whatsapp/${crypto.randomUUID()}`, {})
    expect(empty.errors).toEqual(['the body: at least one field is required, such as "name" or "status"'])
    expect((await team.call('POST', '/v1/ext/user', [])).errors).toEqual(['the body must be an object'])
  })
})
