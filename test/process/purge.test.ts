import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { type Call, Harness } from '../support/harness.ts'
import { LEADS, leadProcedure } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import { attribute } from '../support/procedures.ts'
import { tablesWith } from '../support/tables-with.ts'

const JOBS = '/v1/ext/background-job'

async function start() {
  const team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('name', 'string', { indexed: true, searchable: true }),
    attribute('tags', 'multiStringEnum', { indexed: true, values: ['Rarely', 'Often'] }),
    attribute('address', 'string'),
  ]
  await leadProcedure(team, { attributes })
  const purge = (id: string, headers: Record<string, string> = {}) =>
    team.call('DELETE', `${LEADS}/${id}?purge=true`, undefined, headers)
  return { team, purge }
}

/** Words that stand nowhere else. */
const word = (text: string) => `${text}${crypto.randomUUID().slice(0, 8)}`

async function changed(team: Team, changes: number) {
  const [name, address, former] = [word('Erika'), word('Hauptstr'), word('Nebenstr')]
  const made = (
    await team.call('POST', LEADS, { data: { lead_id: word('L'), name, tags: ['Often'], address: former } })
  ).data
  await team.call('PUT', `${LEADS}/${made.id}`, { data: { address }, state: 'IN_PROGRESS' })
  for (let nth = 0; nth < changes; nth++)
    await team.call('PUT', `${LEADS}/${made.id}`, { data: { name: `${name} ${nth}` } })
  return { id: made.id as string, key: made.data.lead_id as string, values: [name, address, former] }
}

async function settled(team: Team, harness: Harness, id: string): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const { status } = await team.call('DELETE', `${LEADS}/${id}?purge=true`)
    if (status === 404) return
    expect(status).toBe(202)
    await harness.runCron()
  }
  throw new Error('the purge never ends')
}

describe('a process that is purged', () => {
  it.each([
    ['live', 2],
    ['live, with more events than two transactions take', 110],
    ['from the trash', 2],
  ])(
    'is gone with all its values, %s; its events keep their numbers, and others their values',
    async (how, changes) => {
      const { team, purge } = await start()
      const process = await changed(team, changes)
      const other = await changed(team, 1)
      if (how === 'from the trash') await team.call('DELETE', `${LEADS}/${process.id}`)
      const before = await loadLoggedEvents(team)
      const purged = await purge(process.id)
      expect([purged.status, purged.data.id]).toEqual([202, process.id])
      expect(purged.data.isComplete).toBe(changes < 50)
      await settled(team, new Harness(), process.id)
      for (const text of [...process.values, process.key]) expect([text, await tablesWith(text)]).toEqual([text, []])
      for (const text of other.values)
        expect((await tablesWith(text)).sort()).toEqual(expect.arrayContaining(['event']))
      const after = await loadLoggedEvents(team)
      const numbers = (events: typeof after) => events.map(({ sequence, type, at }) => ({ sequence, type, at }))
      expect(numbers(after).slice(0, before.length)).toEqual(numbers(before))
      expect(after.length).toBe(before.length + (how === 'from the trash' ? 0 : 1))
      for (const path of ['', '/history', '?asOf=1'])
        expect((await team.call('GET', `${LEADS}/${process.id}${path}`)).status).toBe(404)
      expect((await team.call('POST', `${LEADS}/${process.id}/restore`)).status).toBe(404)
      expect((await team.call('GET', `${LEADS}/${other.id}/history`)).data).toHaveLength(3)
      const values = await env.DB.prepare('SELECT count(*) AS n FROM process_value WHERE team = ?')
        .bind(team.no)
        .first<{ n: number }>()
      expect(values?.n).toBe(1)
      const found = await team.call('POST', `${LEADS}/list`, { search: process.values[0] })
      expect([found.errors, found.data]).toEqual([[], []])
      expect((await team.call('POST', LEADS, { data: { lead_id: process.key } })).status).toBe(201)
    },
  )

  it('is in the feed as a process that was, without values', async () => {
    const { team, purge } = await start()
    expect((await team.call('PUT', '/v1/ext/event-feed', { enabled: true })).errors).toEqual([])
    const process = await changed(team, 1)
    await purge(process.id)
    const feed = await team.call('GET', '/v1/ext/event?after=0')
    expect(feed.errors).toEqual([])
    expect(feed.data.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3, 4])
    for (const text of process.values) expect(JSON.stringify(feed.data)).not.toContain(text)
  })

  it('is in no entry and no result of a job', async () => {
    const { team } = await start()
    const harness = new Harness()
    const [name, other] = [word('Erika'), word('Otto')]
    const processes = [name, other].map(each => ({ data: { lead_id: word('L'), name: each } }))
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await harness.settle(team)
    const { data } = await team.call('POST', `${LEADS}/list`, { where: { name } })
    expect(await tablesWith(name)).toContain('job_chunk')
    await settled(team, harness, data[0].id)
    expect(await tablesWith(name)).toEqual([])
    expect(await tablesWith(other)).toContain('job_chunk')
    expect((await team.call('GET', `${JOBS}/${body._data.id}`)).meta.bjEntryCompletionStatusVsCount).toMatchObject({
      SUCCESS: 2,
    })
  })

  it('is in no result of a job that was under way meanwhile', async () => {
    const { team } = await start()
    const process = await changed(team, 0)
    const other = new Harness()
    let isPurged = false
    const harness = new Harness(
      {},
      {
        before: async ({ trigger, sql }) => {
          if (isPurged || trigger !== 'message' || !sql.includes('INTO "job_outcome"')) return
          isPurged = true
          await settled(team, other, process.id)
        },
      },
    )
    const value = word('Seestr')
    const item = { id: process.id, update: { data: { address: value } } }
    const { body } = await harness.request(team, 'PATCH', LEADS, { processes: [item] })
    await harness.settle(team)
    expect(isPurged).toBe(true)
    for (const text of [...process.values, value]) expect([text, await tablesWith(text)]).toEqual([text, []])
    const [entry] = (await team.call('GET', `${JOBS}/${body._data.id}/entries`)).data
    expect(entry.completionStatus).not.toBe('SUCCESS')
    expect(JSON.stringify(entry)).not.toContain(process.key)
  })

  it('is purged by admins only, as they have seen it, and of their own team', async () => {
    const { team, purge } = await start()
    const process = await changed(team, 1)
    for (const role of ['manager', 'agent', 'viewer']) {
      const refused = await (await team.as(role)).call('DELETE', `${LEADS}/${process.id}?purge=true`)
      expect([role, refused.status]).toEqual([role, 403])
    }
    const manager = await team.as('manager')
    const refused = await manager.call('DELETE', `${LEADS}/${process.id}?purge=true`)
    expect(refused.meta.errors[0]).toMatchObject({ permission: 'process:purge', path: '/query/purge' })
    expect((await purge(process.id, { 'if-match': '"1-0"' })).status).toBe(412)
    const trashed = await changed(team, 1)
    await team.call('DELETE', `${LEADS}/${trashed.id}`)
    // The process that was seen is not there any more: somebody else has deleted it.
    expect((await purge(trashed.id, { 'if-match': '"3-0"' })).status).toBe(404)
    expect((await team.call('POST', `${LEADS}/${trashed.id}/restore`)).status).toBe(200)
    expect((await (await start()).purge(process.id)).status).toBe(404)
    expect((await purge(crypto.randomUUID())).status).toBe(404)
    const byKey = await team.call('DELETE', `${LEADS}/lead_id/${process.key}?purge=true`)
    expect([byKey.status, byKey.errors[0]]).toEqual([400, expect.stringContaining('purge')])
    expect((await team.call('GET', `${LEADS}/${process.id}`)).status).toBe(200)
  })

  it('is purged also where it becomes what its caller names only after the first look', async () => {
    const { team } = await start()
    const process = await changed(team, 0)
    const path = `${LEADS}/${process.id}`
    let [isRefused, isChanged] = [false, false]
    const before = async ({ sql }: Call) => {
      if (isRefused && !isChanged) {
        isChanged = true
        await team.call('PUT', path, { data: { address: word('Gasse') } })
      }
      isRefused ||= sql.includes('there is no such process')
    }
    const harness = new Harness({}, { before })
    const reply = await harness.request(team, 'DELETE', `${path}?purge=true`, undefined, { 'if-match': '"3-0"' })
    expect(isChanged).toBe(true)
    expect([200, 202]).toContain(reply.status)
    expect((await team.call('GET', path)).status).toBe(404)
  })
})
