import { describe, expect, it } from 'vitest'
import { newTeam, type Reply, type Team } from '../support/api.ts'
import { switchOnFeed } from '../support/due.ts'
import { newProcedure } from '../support/procedures.ts'

const STATES = [
  { shortId: 'NEW', next: ['BUSY', 'LOST'] },
  { shortId: 'BUSY', next: ['NEW'] },
  { shortId: 'LOST', next: [], status: 'CANCELLED' },
  { shortId: 'WON' },
]
/** A process that somebody has put into a state from which no move leads back. */
async function lost(more: Record<string, unknown> = {}) {
  const team = await newTeam()
  await switchOnFeed(team)
  const processes = await newProcedure(team, { states: STATES, ...more })
  const { id } = (await processes.create({ data: { city: 'Pune' } })).data
  await processes.update(id, { state: 'LOST', data: { city: 'Oslo' } })
  const revert = (body: unknown, as: Team = team) => as.call('PUT', `${processes.path}/${id}/revert`, body)
  const history = async () => (await team.call('GET', `${processes.path}/${id}/history`)).data
  return { team, ...processes, id, revert, history }
}
const shown = ({ data }: Reply) => ({ status: data.status, state: data.state, data: data.data })

describe('a revert with force', () => {
  it('skips the allowed transitions, and the history and the event say so', async () => {
    const { team, revert, history } = await lost()
    const plain = await revert({ version: 1 })
    expect([plain.status, plain.meta.errors[0].code]).toEqual([409, 'transition_not_allowed'])
    const forced = await revert({ version: 1, force: true })
    expect([forced.status, shown(forced)]).toEqual([200, { status: 'OPEN', state: 'NEW', data: { city: 'Pune' } }])
    const [newest, before] = await history()
    expect(newest).toMatchObject({ version: 3, type: 'process.updated', forced: true })
    expect(newest.changes).toEqual([
      { field: 'status', from: 'CANCELLED', to: 'OPEN' },
      { field: 'state', from: 'LOST', to: 'NEW' },
      { field: 'data.city', from: 'Oslo', to: 'Pune' },
    ])
    expect(before).not.toHaveProperty('forced')
    const { data: events } = await team.call('GET', '/v1/ext/event?after=0&type=process.updated')
    expect(events.map((each: { data: { forced?: boolean } }) => each.data.forced)).toEqual([undefined, true])
  })

  it('is a plain revert where the transitions allow it', async () => {
    const { id, update, revert, history } = await lost({
      states: [{ shortId: 'NEW' }, { shortId: 'LOST' }, { shortId: 'WON' }],
    })
    expect((await revert({ version: 1, force: true })).data.state).toBe('NEW')
    await update(id, { data: { score: 3 } })
    expect((await revert({ version: 1, force: true })).data.data).toEqual({ city: 'Pune' })
    for (const entry of await history()) expect(entry).not.toHaveProperty('forced')
  })

  it('is for admins and managers: without the permission it is refused, and changes nothing', async () => {
    const { team, id, revert, fetch } = await lost()
    for (const role of ['agent', 'viewer']) {
      const refused = await revert({ version: 1, force: true }, await team.as(role))
      expect([refused.status, refused.meta.errors[0].code]).toEqual([403, 'permission_denied'])
      if (role === 'agent')
        expect(refused.meta.errors[0]).toMatchObject({ permission: 'process:override', path: '/body/force' })
    }
    expect((await fetch(id)).data.state).toBe('LOST')
    // `force: false` asks for nothing, so everybody may say it who may revert.
    expect((await revert({ version: 1, force: false }, await team.as('agent'))).status).toBe(409)
    expect((await revert({ version: 1, force: true }, await team.as('manager'))).data.state).toBe('NEW')
  })

  it('leaves every other obstacle in the way', async () => {
    const { id, revert, fetch, define, team, path } = await lost()
    expect((await revert({ version: 1, force: 'yes' })).status).toBe(400)
    const stale = await team.call('PUT', `${path}/${id}/revert`, { version: 1, force: true }, { 'if-match': '"1-0"' })
    expect(stale.status).toBe(412)
    await define({ states: STATES.slice(1).map(({ next: _, ...each }) => each), startState: 'BUSY' })
    const gone = await revert({ version: 1, force: true })
    expect([gone.status, gone.errors[0]]).toEqual([400, expect.stringContaining('there is no state "NEW"')])
    expect((await fetch(id)).data.state).toBe('LOST')
  })
})
