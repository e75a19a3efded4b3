import { describe, expect, it } from 'vitest'
import { newTeam, type Reply } from '../support/api.ts'
import { loadDueEvents, switchOnFeed } from '../support/due.ts'
import { bulk, listEntries } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'

const STATES = [
  { shortId: 'NEW' },
  { shortId: 'BUSY' },
  { shortId: 'WON', status: 'COMPLETED', startsHere: false },
  { shortId: 'LOST', status: 'CANCELLED', startsHere: false },
]
const paths = (reply: Reply): string[] => reply.meta.errors.map((each: { path: string }) => each.path)
const setUp = async (changes: Record<string, unknown> = {}) => {
  const team = await newTeam()
  return { team, ...(await newProcedure(team, { states: STATES, ...changes })) }
}
const shown = ({ data: { status, state, completedAt } }: Reply) => ({ status, state, isTimed: completedAt > 0 })

describe('a state with a status', () => {
  it('gives it to a process that is moved there by a single update, and OPEN to one that leaves', async () => {
    const { create, update, fetch } = await setUp()
    const { id } = (await create({})).data
    expect(shown(await update(id, { state: 'WON' }))).toEqual({ status: 'COMPLETED', state: 'WON', isTimed: true })
    expect(shown(await update(id, { state: 'LOST' }))).toEqual({ status: 'CANCELLED', state: 'LOST', isTimed: false })
    expect(shown(await update(id, { state: 'BUSY' }))).toEqual({ status: 'OPEN', state: 'BUSY', isTimed: false })
    expect(shown(await fetch(id))).toEqual({ status: 'OPEN', state: 'BUSY', isTimed: false })
  })

  it('gives way to the status of the request', async () => {
    const { create, update } = await setUp()
    const { id } = (await create({})).data
    expect(shown(await update(id, { state: 'WON', status: 'OPEN' }))).toMatchObject({ status: 'OPEN', state: 'WON' })
    expect(shown(await update(id, { state: 'NEW', status: 'CANCELLED' }))).toMatchObject({ status: 'CANCELLED' })
  })

  it('leaves a status alone that was set by itself, where neither state has one', async () => {
    const { create, update } = await setUp()
    const { id } = (await create({ status: 'CANCELLED' })).data
    expect(shown(await update(id, { state: 'BUSY' }))).toMatchObject({ status: 'CANCELLED', state: 'BUSY' })
    expect(shown(await update(id, { state: 'BUSY', data: { score: 1 } }))).toMatchObject({ status: 'CANCELLED' })
  })

  it('applies to a creation, an upsert and a revert, too', async () => {
    const states = STATES.map(({ startsHere: _, ...state }) => state)
    const { team, create, upsert, fetch, path } = await setUp({ states })
    expect(shown(await create({ state: 'WON' }))).toEqual({ status: 'COMPLETED', state: 'WON', isTimed: true })
    const made = await upsert({ data: { lead_id: 'L-1' }, state: 'LOST' })
    expect(shown(made)).toMatchObject({ status: 'CANCELLED', state: 'LOST' })
    expect(shown(await upsert({ data: { lead_id: 'L-1' }, state: 'BUSY' }))).toMatchObject({ status: 'OPEN' })
    expect(shown(await upsert({ data: { lead_id: 'L-1' }, state: 'WON' }))).toMatchObject({ status: 'COMPLETED' })
    const back = await team.call('PUT', `${path}/${made.data.id}/revert`, { version: 2 })
    expect(shown(back)).toMatchObject({ status: 'OPEN', state: 'BUSY' })
    // A version from before the definition said it has another status in this state: that one comes back.
    await team.call('PUT', `${path}/${made.data.id}`, { state: 'WON', status: 'OPEN' })
    await team.call('PUT', `${path}/${made.data.id}`, { state: 'NEW' })
    expect(shown(await team.call('PUT', `${path}/${made.data.id}/revert`, { version: 5 }))).toMatchObject({
      status: 'OPEN',
      state: 'WON',
    })
    expect((await fetch(made.data.id)).data.completedAt).toBe(0)
  })

  it('applies to the entries of jobs, each on the result of those before it', async () => {
    const team = await newTeam()
    const { create, fetch } = await newProcedure(team, { states: STATES })
    const [one, other, third] = [
      (await create({ data: { lead_id: 'L-1' } })).data.id,
      (await create({ data: { lead_id: 'L-2' } })).data.id,
      (await create({ data: { lead_id: 'L-3' } })).data.id,
    ]
    await bulk(team, 'PATCH', {
      processes: [
        { id: one, state: 'WON' },
        { id: other, state: 'WON' },
        { id: other, state: 'BUSY' },
        { id: third, state: 'LOST', data: { score: 3 } },
      ],
    })
    expect(shown(await fetch(one))).toEqual({ status: 'COMPLETED', state: 'WON', isTimed: true })
    expect(shown(await fetch(other))).toEqual({ status: 'OPEN', state: 'BUSY', isTimed: false })
    expect(shown(await fetch(third))).toMatchObject({ status: 'CANCELLED', state: 'LOST' })
    await bulk(team, 'PATCH', { where: {}, all: true, update: { state: 'NEW' } })
    for (const id of [one, other, third])
      expect(shown(await fetch(id))).toEqual({ status: 'OPEN', state: 'NEW', isTimed: false })
  })

  it('is in the history, as the changed fields', async () => {
    const { team, create, update, path } = await setUp()
    const { id } = (await create({})).data
    await update(id, { state: 'WON' })
    await update(id, { state: 'BUSY' })
    await update(id, { state: 'NEW' })
    const changes = (await team.call('GET', `${path}/${id}/history`)).data.map(
      (each: { changes: unknown }) => each.changes,
    )
    expect(changes.slice(0, 3)).toEqual([
      [{ field: 'state', from: 'BUSY', to: 'NEW' }],
      [
        { field: 'status', from: 'COMPLETED', to: 'OPEN' },
        { field: 'state', from: 'WON', to: 'BUSY' },
      ],
      [
        { field: 'status', from: 'OPEN', to: 'COMPLETED' },
        { field: 'state', from: 'NEW', to: 'WON' },
      ],
    ])
    expect((await team.call('GET', `${path}/${id}?asOf=2`)).data).toMatchObject({ status: 'COMPLETED', state: 'WON' })
    expect((await team.call('GET', `${path}/${id}?asOf=3`)).data).toMatchObject({ status: 'OPEN', state: 'BUSY' })
  })

  it('notifies of a next action that is past when its process is opened again', async () => {
    const team = await newTeam()
    await switchOnFeed(team)
    const { create, update } = await newProcedure(team, { states: STATES })
    const { id } = (await create({})).data
    await update(id, { state: 'WON', nextActionAt: Date.now() - 1_000 })
    await update(id, { state: 'NEW' })
    expect(await loadDueEvents(team)).toMatchObject([{ id }])
  })
})

describe('a state in which no process starts', () => {
  const message = 'a process cannot be created in the state "WON"; it can be created in NEW or BUSY'

  it('is refused by name, with those in which one can start', async () => {
    const { create, upsert } = await setUp()
    const refused = await create({ state: 'WON' })
    expect([refused.status, refused.errors, paths(refused)]).toEqual([400, [message], ['/body/state']])
    const byStatus = await create({ status: 'COMPLETED' })
    expect([byStatus.status, byStatus.errors, paths(byStatus)]).toEqual([400, [message], ['/body/status']])
    const byUpsert = await upsert({ data: { lead_id: 'L-1' }, state: 'WON' })
    expect([byUpsert.status, paths(byUpsert)]).toEqual([400, ['/body/state']])
    const withOthers = await create({ state: 'WON', bogus: 1 })
    expect(paths(withOthers)).toEqual(['/body/bogus', '/body/state'])
  })

  it('is no obstacle to an update, or to an upsert that updates', async () => {
    const { upsert } = await setUp()
    await upsert({ data: { lead_id: 'L-1' } })
    expect(shown(await upsert({ data: { lead_id: 'L-1' }, state: 'WON' }))).toMatchObject({ status: 'COMPLETED' })
  })

  it('makes an entry of a bulk creation INVALID', async () => {
    const team = await newTeam()
    await newProcedure(team, { states: STATES })
    const { data } = await bulk(team, 'POST', { processes: [{ state: 'WON' }, { state: 'BUSY' }] })
    const [first, second] = await listEntries(team, data.id)
    expect([first.completionStatus, first.completionMessage]).toEqual(['INVALID', message])
    expect(second.completionStatus).toBe('SUCCESS')
  })
})

describe('a definition whose states have statuses', () => {
  it('is returned as it was sent', async () => {
    const { team } = await setUp()
    const { data } = await team.call('GET', '/v1/ext/procedure/lead')
    expect(data.states.slice(1)).toEqual([
      { shortId: 'BUSY', name: 'BUSY' },
      { shortId: 'WON', name: 'WON', status: 'COMPLETED', startsHere: false },
      { shortId: 'LOST', name: 'LOST', status: 'CANCELLED', startsHere: false },
    ])
    const { data: config } = await team.call('GET', '/v1/ext/config')
    expect(config.procedures[0].states).toEqual(data.states)
  })

  it('is refused where its parts do not agree', async () => {
    const { define } = await setUp()
    const start = await define({ states: STATES, startState: 'LOST' })
    expect([start.status, paths(start)]).toEqual([400, ['/body/startState']])
    const cancelled = await define({ states: STATES, completedState: 'LOST' })
    expect([cancelled.status, paths(cancelled)]).toEqual([400, ['/body/completedState']])
    const other = await define({ states: STATES, completedState: 'BUSY' })
    expect([other.status, paths(other)]).toEqual([400, ['/body/completedState']])
    expect(other.errors[0]).toContain('WON')
    const open = await define({
      states: [{ shortId: 'NEW', status: 'OPEN' }],
      startState: 'NEW',
      completedState: 'NEW',
    })
    expect([open.status, paths(open)]).toEqual([400, ['/body/states/0/status']])
  })

  it('shows in a dry run which states change', async () => {
    const { team, define } = await setUp({ states: [{ shortId: 'NEW' }, { shortId: 'WON' }] })
    const next = { states: [{ shortId: 'NEW' }, { shortId: 'WON', status: 'COMPLETED', startsHere: false }] }
    const body = (await define(next)).data
    expect(body.states[1]).toMatchObject({ status: 'COMPLETED' })
    const dry = await team.call('PUT', '/v1/ext/procedure/lead?dryRun=true', {
      name: 'Lead',
      states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
      startState: 'NEW',
      completedState: 'WON',
      attributes: body.attributes.map(({ indexReady: _, ...each }: Record<string, unknown>) => each),
      primaryKey: 'lead_id',
    })
    expect(dry.data.changes).toEqual([
      {
        subject: 'state',
        shortId: 'WON',
        change: 'changed',
        fields: [
          { field: 'status', from: 'COMPLETED', to: null },
          { field: 'startsHere', from: false, to: null },
        ],
      },
    ])
  })
})
