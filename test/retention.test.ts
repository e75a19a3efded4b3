import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS } from '../src/time-units.ts'
import { fetchWorker, newTeam, request } from './support/api.ts'
import { Harness } from './support/harness.ts'
import { JOBS, listEntries } from './support/jobs.ts'
import { newProcedure } from './support/procedures.ts'
import { newConnectedTeam, newNumber } from './support/provider.ts'

const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

const addDays = (days: number) => Date.now() + days * DAY_MS

// Each test has a future of its own: the walk of another one must not rest in it.
beforeEach(() =>
  env.DB.prepare('DELETE FROM maintenance_position')
    .run()
    .then(() => undefined),
)
afterEach(() => void vi.useRealTimers())

describe('maintenance after a retention period', () => {
  it('removes messages, and no younger ones', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const { data } = await whatsapp.send(newNumber())
    const harness = new Harness()
    await harness.runCron(addDays(364))
    expect((await team.call('GET', `/v1/ext/message/${data.id}`)).status).toBe(200)
    await harness.runCron(addDays(366))
    expect((await team.call('GET', `/v1/ext/message/${data.id}`)).status).toBe(404)
  })

  it('removes processes from the trash, by the time of their deletion, however old they are', async () => {
    const team = await newTeam()
    const { create, path } = await newProcedure(team)
    const [first, second] = [(await create({})).data.id, (await create({})).data.id]
    for (const id of [first, second]) await team.call('DELETE', `${path}/${id}`)
    const later = 'UPDATE process_trash SET deleted_at = deleted_at + ?2 WHERE id = ?1'
    await env.DB.prepare(later)
      .bind(second, 60 * DAY_MS)
      .run()
    const harness = new Harness()
    const left = async () => {
      const sql = 'SELECT id FROM process_trash WHERE team = ? ORDER BY rid'
      return (await env.DB.prepare(sql).bind(team.no).all<{ id: string }>()).results.map(({ id }) => id)
    }
    await harness.runCron(addDays(89))
    expect(await left()).toEqual([first, second])
    await harness.runCron(addDays(92))
    expect(await left()).toEqual([second])
    expect((await team.call('POST', `${path}/${first}/restore`)).status).toBe(404)
    expect((await team.call('POST', `${path}/${second}/restore`)).status).toBe(200)
  })

  it('removes events, but not the last one, by which the next is numbered', async () => {
    const team = await newTeam()
    const { create, update } = await newProcedure(team)
    const { data } = await create({})
    for (let nth = 0; nth < 4; nth++) await update(data.id, { data: { score: nth } })
    const age = 'UPDATE event SET at = at - ?1 WHERE team = ?2 AND sequence <= ?3'
    const agedBy = (days: number, upTo: number) =>
      env.DB.prepare(age)
        .bind(days * DAY_MS, team.no, upTo)
        .run()
    const left = async () => {
      const sql = 'SELECT sequence FROM event WHERE team = ? ORDER BY sequence'
      return (await env.DB.prepare(sql).bind(team.no).all<{ sequence: number }>()).results.map(each => each.sequence)
    }
    await agedBy(60, 2)
    // None of them is moved to R2.
    const harness = new Harness({ HISTORY_RECENT_DAYS: '3650' })
    await harness.runCron(addDays(300))
    expect(await left()).toEqual([1, 2, 3, 4, 5])
    await harness.runCron(addDays(310))
    expect(await left()).toEqual([3, 4, 5])
    await harness.runCron(addDays(400))
    expect(await left()).toEqual([5])
    await update(data.id, { data: { score: 9 } })
    expect(await left()).toEqual([5, 6])
  })

  it('scans the trash in steps once a day, and not more often', async () => {
    const team = await newTeam()
    const { create, path } = await newProcedure(team)
    const { data } = await create({})
    await team.call('DELETE', `${path}/${data.id}`)
    await env.DB.prepare(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9000)
      INSERT INTO process_trash (rid, id, proc, team, deleted_at, row)
      SELECT rid + i, '', proc, team, deleted_at, row FROM process_trash, n WHERE id = ?`)
      .bind(data.id)
      .run()
    const harness = new Harness()
    await harness.runCron(addDays(200))
    const count = 'SELECT count(*) AS n FROM process_trash WHERE team = ?'
    expect(await env.DB.prepare(count).bind(team.no).first()).toEqual({ n: 0 })
    harness.rows.read = 0
    await harness.runCron(addDays(200) + 60_000)
    expect(harness.rows.read).toBeLessThan(100)
  })

  it('removes uploaded files, also those that nothing refers to', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const form = new FormData()
    form.set('file', new File([PNG], 'a.png'))
    const headers = { authorization: `Bearer ${team.token}` }
    const { data } = await request('POST', `${whatsapp.base}/upload-public-media`, { body: form, headers })
    await env.MEDIA.put('something else', 'stray')
    const { pathname } = new URL(data.publicMediaUrl)
    const harness = new Harness()
    await harness.runCron(addDays(364))
    expect((await fetchWorker(pathname)).status).toBe(200)
    await harness.runCron(addDays(367))
    expect((await fetchWorker(pathname)).status).toBe(404)
    expect((await env.MEDIA.list()).objects).toEqual([])
  })
})

describe('no message is sent twice because an old one was removed', () => {
  it('in a job that has not ended: its messages stay', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const harness = new Harness()
    vi.useFakeTimers({ toFake: ['Date'] })
    await whatsapp.faults({ to, times: 1, fault: { kind: 'error', code: 131056 } })
    const { id } = (await harness.request(team, 'POST', JOBS, { entries: [whatsapp.entry(to)] })).body._data
    await harness.deliver()
    const attempts = async () => {
      const { results } = await env.DB.prepare('SELECT attempt FROM message WHERE phone = ? ORDER BY attempt')
        .bind(to)
        .all<{ attempt: number }>()
      return results.map(({ attempt }) => attempt)
    }
    expect(await attempts()).toEqual([1])
    await harness.runCron(addDays(400))
    expect(await attempts()).toEqual([1])
    vi.setSystemTime(Date.now() + 60_000)
    await harness.settle(team)
    expect((await listEntries(team, id))[0].completionStatus).toBe('SUCCESS')
    expect(await attempts()).toEqual([1, 2])
  })

  it('by a retry: an entry that nobody knows to be sent or unsent is refused', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const to = newNumber()
    const harness = new Harness({ JOB_RETENTION_DAYS: '3650' })
    await whatsapp.faults({ to, times: 1, fault: { kind: 'drop', accepted: true } })
    const { id } = (await harness.request(team, 'POST', JOBS, { entries: [whatsapp.entry(to)] })).body._data
    await harness.settle(team)
    expect((await listEntries(team, id))[0].completionStatus).toBe('ERROR')
    vi.useFakeTimers({ toFake: ['Date'], now: addDays(366) })
    await harness.runCron()
    const retry = (await harness.request(team, 'POST', `${JOBS}/${id}/retry`)).body._data
    await harness.settle(team)
    const [entry] = await listEntries(team, retry.id)
    expect(entry).toMatchObject({ completionStatus: 'ERROR', completionResult: { code: 'conflict' } })
    expect(entry.completionMessage).toContain('whether it was sent is not known')
    expect(await whatsapp.received(`to=${to}`)).toMatchObject({ received: 1 })
  })
})
