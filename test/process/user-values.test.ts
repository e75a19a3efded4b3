import { beforeAll, describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS, leadProcedure, listEntries, waitForJob } from '../support/jobs.ts'

const HINT = "a user's id, username or e-mail address"

let team: Team
let counter = 0
let meera: { id: string; references: string[] }
let stranger: string

async function addUser(of: Team) {
  const username = `meera${++counter}`
  const email = `Meera.${counter}.${of.no}@example.com`
  const { data } = await of.call('POST', '/v1/ext/user', { username, email, role: 'agent' })
  return { id: data.id as string, references: [data.id, data.id.toUpperCase(), username, email.toLowerCase()] }
}

beforeAll(async () => {
  const other = await newTeam()
  team = await newTeam()
  stranger = (await addUser(other)).id
  meera = await addUser(team)
  await leadProcedure(team, {
    attributes: [
      { shortId: 'lead_id', type: 'string' },
      { shortId: 'owner', type: 'user', indexed: true },
      { shortId: 'reviewer', type: 'user' },
    ],
    strict: true,
  })
})

type Write = (leadId: string, data: object) => Promise<unknown>

const job = async (leadId: string, method: 'POST' | 'PATCH', item: object) => {
  if (method === 'PATCH') await team.call('POST', LEADS, { data: { lead_id: leadId } })
  const { data } = await bulk(team, method, [item])
  const [entry] = await listEntries(team, data.id)
  return { status: entry.completionStatus, errors: entry.completionResult?.errors ?? [] }
}

/** The ways to give a process an attribute. */
const WAYS: Record<string, Write> = {
  'a create': (lead_id, data) => team.call('POST', LEADS, { data: { lead_id, ...data } }),
  'a create-or-update': (lead_id, data) => team.call('PUT', LEADS, { data: { lead_id, ...data } }),
  'an update': async (lead_id, data) => {
    const { data: made } = await team.call('POST', LEADS, { data: { lead_id } })
    return team.call('PUT', `${LEADS}/${made.id}`, { data })
  },
  'a bulk create': (lead_id, data) => job(lead_id, 'POST', { data: { lead_id, ...data } }),
  'a bulk update': (lead_id, data) => job(lead_id, 'PATCH', { lead_id, update: { data } }),
  'an update of all that match': async (lead_id, data) => {
    await team.call('POST', LEADS, { data: { lead_id } })
    const reply = await team.call('PATCH', LEADS, { where: { lead_id }, update: { data } })
    return reply.status === 202 ? waitForJob(team, reply.data.id) : reply
  },
}

const keysFound = async (where: object): Promise<string[]> =>
  (await team.call('POST', `${LEADS}/list`, { where })).data.map(
    (each: { data: { lead_id: string } }) => each.data.lead_id,
  )

describe.each(Object.entries(WAYS))('an attribute of the type user, given by %s', (_, write) => {
  it('accepts each name of a user, keeps the id, and is found by each', async () => {
    for (const reference of meera.references) {
      const leadId = `USER-${++counter}`
      await write(leadId, { owner: reference, reviewer: reference })
      const { data } = await team.call('GET', `${LEADS}/lead_id/${leadId}`)
      expect(data.data).toEqual({ lead_id: leadId, owner: meera.id, reviewer: meera.id })
      for (const side of [...meera.references, meera.references, { '=': reference }])
        expect(await keysFound({ lead_id: leadId, owner: side, reviewer: side })).toEqual([leadId])
      expect(await keysFound({ lead_id: leadId, owner: { '!=': reference } })).toEqual([])
    }
  })

  it.each(['nobody', 'someone of another team', ''])('refuses %j', async name => {
    const reference = name === 'someone of another team' ? stranger : name
    const leadId = `USER-${++counter}`
    await write(leadId, { owner: reference })
    const { data } = await team.call('GET', `${LEADS}/lead_id/${leadId}`)
    expect(data.data?.owner).toBeUndefined()
  })
})

it('somebody who is no user of the team is refused with the message of an assignee, in data and in filters', async () => {
  const message = (path: string, name: string) => ({ message: `no user "${name}"`, hint: HINT, path })
  const both = { data: { owner: stranger, reviewer: 'nobody' }, assignedTo: 'ghost' }
  expect((await team.call('POST', LEADS, both)).meta.errors).toMatchObject([
    message('/body/assignedTo', 'ghost'),
    message('/body/data/owner', stranger),
    message('/body/data/reviewer', 'nobody'),
  ])
  const where = { owner: stranger, or: [{ reviewer: ['nobody', meera.id] }] }
  expect((await team.call('POST', `${LEADS}/list`, { where })).meta.errors).toMatchObject([
    message('/body/where/owner', stranger),
    message('/body/where/or/0/reviewer/0', 'nobody'),
  ])
  const update = { where: { lead_id: 'none' }, update: both }
  expect((await team.call('PATCH', LEADS, update)).meta.errors).toMatchObject([
    message('/body/update/assignedTo', 'ghost'),
    message('/body/update/data/owner', stranger),
    message('/body/update/data/reviewer', 'nobody'),
  ])
  const { data } = await bulk(team, 'POST', [{ data: { owner: 'nobody' } }, { data: { owner: meera.id } }])
  const entries = await listEntries(team, data.id)
  expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual(['INVALID', 'SUCCESS'])
  expect(entries[0].completionMessage).toBe(`no user "nobody" (${HINT})`)
})

it('the users of a whole step are looked up at once', async () => {
  const items = (owner: string) =>
    Array.from({ length: 50 }, () => ({ data: { owner, reviewer: owner }, assignedTo: owner }))
  const { data, meta } = await bulk(team, 'POST', items(meera.references[2] ?? ''))
  expect([data.completionStatus, meta.bjEntryCompletionStatusVsCount.SUCCESS]).toEqual(['SUCCESS', 50])
})

it('a primary key cannot be a user', async () => {
  const { status, meta } = await team.call('PUT', '/v1/ext/procedure/by-user', {
    name: 'By user',
    states: [{ shortId: 'NEW' }, { shortId: 'DONE' }],
    startState: 'NEW',
    completedState: 'DONE',
    attributes: [{ shortId: 'owner', type: 'user' }],
    primaryKey: 'owner',
  })
  expect([status, meta.errors[0].path]).toEqual([400, '/body/primaryKey'])
})
