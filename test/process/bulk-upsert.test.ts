import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { type Call, type FaultInjection, Harness, type HarnessVars } from '../support/harness.ts'
import { bulk, JOBS, LEADS, leadProcedure, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'
import { newNumber } from '../support/provider.ts'

interface ShownEntry {
  completionStatus: string
  completionMessage: string
  completionResult: { id?: string; primaryKey?: string; created?: boolean; code?: string; errors?: { path: string }[] }
  validationStatus: string
  primaryKey: string | null
  data: { apiType: string; apiData: Record<string, unknown> }
}

async function setUp(more: object = {}, vars: HarnessVars = {}, injection: FaultInjection = {}) {
  const team = await newLeadTeam(more)
  const harness = new Harness(vars, injection)
  /** Runs a job in the harness, and returns its entries. */
  const run = async (processes: unknown[]): Promise<ShownEntry[]> => {
    const { status, body } = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, { processes })
    expect(status, body._errors[0]).toBe(202)
    await harness.settle(team)
    return listEntries(team, body._data.id, '?limit=100')
  }
  const fetch = async (key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data
  return { team, harness, run, fetch }
}

const upsert = async (team: Team, items: unknown): Promise<ShownEntry[]> =>
  listEntries(team, (await bulk(team, 'UPSERT', items)).data.id, '?limit=100')

const statuses = (entries: ShownEntry[]) => entries.map(({ completionStatus }) => completionStatus)
const getCreated = (entries: ShownEntry[]) => entries.map(({ completionResult }) => completionResult.created)
const isInsert = ({ kind, trigger, sql }: Call) =>
  kind === 'database' && trigger === 'message' && /INSERT INTO "?process"? /.test(sql)

describe('a job that creates or updates', () => {
  it('creates where the primary key is new and updates where it exists, and says which it did', async () => {
    const { team, fetch } = await setUp()
    const { data: before } = await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Goa', score: 1 } })
    const entries = await upsert(team, [
      { data: { lead_id: 'A', score: 2 }, state: 'IN_PROGRESS' },
      { lead_id: 'B', data: { city: 'Pune' }, nextActionAt: 4_102_444_800_000 },
      { lead_id: 'C', data: { lead_id: 'C', city: 'Lima' } },
    ])
    expect(statuses(entries)).toEqual(['SUCCESS', 'SUCCESS', 'SUCCESS'])
    expect(getCreated(entries)).toEqual([false, true, true])
    expect(entries[0]?.completionResult).toEqual({ created: false, id: before.id, primaryKey: 'A' })
    expect(entries[0]?.data).toMatchObject({
      apiType: 'PROCESS_UPSERT',
      apiData: { processUpsert: { data: { lead_id: 'A', score: 2 }, state: 'IN_PROGRESS' } },
    })
    expect(await fetch('A')).toMatchObject({
      id: before.id,
      data: { lead_id: 'A', city: 'Goa', score: 2 },
      state: 'IN_PROGRESS',
    })
    expect(await fetch('B')).toMatchObject({
      id: entries[1]?.completionResult.id,
      data: { lead_id: 'B', city: 'Pune' },
      state: 'NEW',
      status: 'OPEN',
      nextActionAt: 4_102_444_800_000,
    })
    expect((await fetch('C')).data).toEqual({ lead_id: 'C', city: 'Lima' })
  })

  it('accepts a bare list and an object with "processes"', async () => {
    const { team } = await setUp()
    expect(getCreated(await upsert(team, [{ lead_id: 'A' }]))).toEqual([true])
    expect(getCreated(await upsert(team, { processes: [{ lead_id: 'A' }] }))).toEqual([false])
  })

  it('changes nothing of a process when it is sent again', async () => {
    const { team, fetch } = await setUp()
    const items = [{ data: { lead_id: 'A', score: 1 }, state: 'IN_PROGRESS' }, { data: { lead_id: 'B', city: 'Goa' } }]
    await upsert(team, items)
    const before = [await fetch('A'), await fetch('B')]
    expect(getCreated(await upsert(team, items))).toEqual([false, false])
    const after = [await fetch('A'), await fetch('B')]
    expect(after.map(each => ({ ...each, updatedAt: 0 }))).toEqual(before.map(each => ({ ...each, updatedAt: 0 })))
  })

  it('creates anew where the process is in the trash: its key is free', async () => {
    const { team, fetch } = await setUp()
    const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Goa' } })
    await team.call('DELETE', `${LEADS}/${data.id}`)
    expect(getCreated(await upsert(team, [{ lead_id: 'A', data: { score: 3 } }]))).toEqual([true])
    const made = await fetch('A')
    expect(made.id).not.toBe(data.id)
    expect(made.data).toEqual({ lead_id: 'A', score: 3 })
  })
})

describe('entries with one primary key in a job', () => {
  it.each([
    ['in one step', {}],
    ['in steps of two entries', { JOB_TUNING: { chunkEntries: 2 } }],
  ])('are done in their order, %s: the first creates, the others update', async (_, vars) => {
    const { run, fetch, team } = await setUp({}, vars)
    const entries = await run([
      { lead_id: 'A', data: { city: 'Goa', score: 1 } },
      { lead_id: 'B', data: { score: 1 } },
      { lead_id: 'A', data: { score: 2 }, state: 'IN_PROGRESS' },
      { lead_id: 'A', data: { score: null, note: 'third' } },
      { lead_id: 'B', data: { score: 2 } },
    ])
    expect(getCreated(entries)).toEqual([true, true, false, false, false])
    expect(await fetch('A')).toMatchObject({ data: { lead_id: 'A', city: 'Goa', note: 'third' }, state: 'IN_PROGRESS' })
    expect((await fetch('B')).data.score).toBe(2)
    const { data: history } = await team.call('GET', `${LEADS}/${entries[0]?.completionResult.id}/history`)
    expect(history.map((each: { version: number; changes: { field: string }[] }) => each.version)).toEqual([3, 2, 1])
    expect(history[1].changes.map(({ field }: { field: string }) => field).sort()).toEqual(['data.score', 'state'])
  })

  it('see the result of those before them: an invalid one creates nothing, the next one does', async () => {
    const { run, fetch } = await setUp()
    const entries = await run([
      { lead_id: 'A', data: { score: 'many' } },
      { lead_id: 'A', data: { score: 1 }, state: 'LOST' },
      { lead_id: 'A', data: { score: 2 }, state: 'NEW' },
      { lead_id: 'A', data: { score: 3 } },
    ])
    expect(statuses(entries)).toEqual(['INVALID', 'SUCCESS', 'ERROR', 'SUCCESS'])
    expect(entries[2]?.completionResult).toMatchObject({ code: 'transition_not_allowed', primaryKey: 'A' })
    expect(await fetch('A')).toMatchObject({ state: 'LOST', data: { score: 3 } })
  })

  it('have the customers that they name, one after the other', async () => {
    const { run, fetch } = await setUp()
    const phone = newNumber()
    const entries = await run([
      { lead_id: 'A', record: { data: { phone, name: 'Asha' } } },
      { lead_id: 'A', record: { data: { nickname: 'Ash' } } },
      { lead_id: 'B', record: { data: { phone, city: 'Pune' } } },
      { lead_id: 'B', record: null },
      { lead_id: 'C', data: { score: 1 } },
      { lead_id: 'C', record: { data: { phone } } },
    ])
    expect(statuses(entries)).toEqual(entries.map(() => 'SUCCESS'))
    const [first, second, third] = [await fetch('A'), await fetch('B'), await fetch('C')]
    expect(first.record.data).toEqual({ phone, name: 'Asha', nickname: 'Ash', city: 'Pune' })
    expect(second.record).toBeNull()
    expect(third.record.id).toBe(first.record.id)
  })
})

describe('the phone attribute of a procedure', () => {
  it('gives a new process its customer, and leaves that of an existing one, as the single route', async () => {
    const attributes = [attribute('lead_id', 'string'), attribute('tel', 'phone')]
    const { team, run, fetch } = await setUp({ attributes, phoneAttribute: 'tel' })
    const [phone, other] = [newNumber(), newNumber()]
    await run([
      { lead_id: 'A', data: { tel: phone } },
      { lead_id: 'A', data: { tel: other } },
    ])
    await team.call('PUT', LEADS, { data: { lead_id: 'B', tel: phone } })
    await team.call('PUT', LEADS, { data: { lead_id: 'B', tel: other } })
    const [first, second] = [await fetch('A'), await fetch('B')]
    expect(first.record.data.phone).toBe(phone)
    expect(second.record.id).toBe(first.record.id)
    expect([first.data.tel, second.data.tel]).toEqual([other, other])
  })
})

describe('an upsert that cannot be done', () => {
  it('is refused whole for a procedure without a primary key, which the message names', async () => {
    const { team } = await setUp({ primaryKey: null })
    const reply = await team.call('POST', `${LEADS}/bulk-upsert`, [{ data: { city: 'Goa' } }])
    expect([reply.status, reply.meta.errors[0].code]).toEqual([400, 'invalid_request'])
    expect(reply.errors[0]).toMatch(/lead has no primary key/)
    expect((await team.call('GET', JOBS)).data).toEqual([])
  })

  it('is an INVALID entry without the key, with a malformed key, or with a malformed item', async () => {
    const { team } = await setUp()
    const entries = await upsert(team, [
      { data: { city: 'Goa' } },
      { data: { lead_id: null } },
      { lead_id: '', data: {} },
      { lead_id: { odd: 1 } },
      { lead_id: 'A', data: { lead_id: 'B' } },
      'text',
      { lead_id: 'C', stat: 'NEW' },
      { lead_id: 'D', state: 'NOWHERE' },
      {},
      { lead_id: 'E' },
    ])
    expect(statuses(entries)).toEqual([...Array.from({ length: 9 }, () => 'INVALID'), 'SUCCESS'])
    expect(entries.every(each => each.completionStatus === 'SUCCESS' || each.validationStatus === 'ERROR')).toBe(true)
    for (const nth of [0, 1, 2, 3, 8])
      expect(
        entries[nth]?.completionResult.errors?.map(({ path }) => path),
        String(nth),
      ).toEqual(['/body/data/lead_id'])
    expect((await team.call('GET', `${LEADS}/count`)).data.count).toBe(1)
  })

  it('is INVALID in a new process only: for missing attributes, and a state in which none starts', async () => {
    const { team } = await setUp({
      states: [{ shortId: 'NEW' }, { shortId: 'WON', startsHere: false, status: 'COMPLETED' }],
      attributes: [attribute('lead_id', 'string'), attribute('city', 'string', { required: true })],
    })
    await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Goa' } })
    const entries = await upsert(team, [
      { lead_id: 'A', state: 'WON' },
      { lead_id: 'B', state: 'WON' },
      { lead_id: 'C', data: { city: 'Pune' } },
      { lead_id: 'C', state: 'WON' },
      { lead_id: 'C', data: { city: null } },
    ])
    expect(statuses(entries)).toEqual(['SUCCESS', 'INVALID', 'SUCCESS', 'SUCCESS', 'INVALID'])
    expect(entries[1]?.completionResult.errors?.map(({ path }) => path).sort()).toEqual([
      '/body/data/city',
      '/body/state',
    ])
    expect(entries[1]?.primaryKey).toBe('B')
  })

  it('is INVALID where it names an unknown user or customer', async () => {
    const { team } = await setUp()
    const id = '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'
    const entries = await upsert(team, [
      { lead_id: 'A', assignedTo: 'nobody' },
      { lead_id: 'B', record: { id } },
      { lead_id: 'C', assignedTo: team.admin },
    ])
    expect(statuses(entries)).toEqual(['INVALID', 'INVALID', 'SUCCESS'])
    expect(entries.slice(0, 2).map(each => each.completionResult.errors?.[0]?.path)).toEqual([
      '/body/assignedTo',
      '/body/record/id',
    ])
  })

  it('is refused without the permission to write', async () => {
    const { team } = await setUp()
    const viewer = await team.as('viewer')
    expect((await viewer.call('POST', `${LEADS}/bulk-upsert`, [{ lead_id: 'A' }])).status).toBe(403)
  })

  it('is warned of where an attribute is not declared', async () => {
    const { team } = await setUp()
    const { meta } = await team.call('POST', `${LEADS}/bulk-upsert`, [{ lead_id: 'A', data: { cty: 'Goa' } }])
    expect(meta.warnings).toMatchObject([{ code: 'undeclared_attribute', hint: expect.stringContaining('city') }])
  })
})

describe('a concurrent writer', () => {
  it('creates the same process: the entry updates it then', async () => {
    const teams: Team[] = []
    let isDone = false
    const before = async (call: Call) => {
      if (isDone || !isInsert(call)) return
      isDone = true
      await teams[0]?.call('POST', LEADS, { data: { lead_id: 'A', city: 'Goa' } })
    }
    const { team, run, fetch } = await setUp({}, {}, { before })
    teams.push(team)
    const entries = await run([
      { lead_id: 'A', data: { score: 1 } },
      { lead_id: 'B', data: { score: 1 } },
    ])
    expect(isDone).toBe(true)
    expect(getCreated(entries)).toEqual([false, true])
    expect((await fetch('A')).data).toEqual({ lead_id: 'A', city: 'Goa', score: 1 })
  })

  it('deletes the process: the entry creates it then', async () => {
    const teams: Team[] = []
    let isDone = false
    const before = async ({ kind, trigger, sql }: Call) => {
      if (isDone || kind !== 'database' || trigger !== 'message' || !/UPDATE "?process"? /.test(sql)) return
      isDone = true
      await teams[0]?.call('DELETE', `${LEADS}/lead_id/A`)
    }
    const { team, run, fetch } = await setUp({}, {}, { before })
    teams.push(team)
    await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Goa' } })
    const entries = await run([{ lead_id: 'A', data: { score: 1 } }])
    expect(isDone).toBe(true)
    expect(getCreated(entries)).toEqual([true])
    expect((await fetch('A')).data).toEqual({ lead_id: 'A', score: 1 })
  })

  it('gives the procedure another primary key: entries without it are INVALID, the job ends', async () => {
    const { team, harness } = await setUp()
    const items = [{ lead_id: 'A', data: { city: 'Goa' } }, { lead_id: 'B' }]
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, items)
    await leadProcedure(team, { primaryKey: 'city' })
    await harness.settle(team)
    expect(statuses(await listEntries(team, body._data.id))).toEqual(['SUCCESS', 'INVALID'])
    const without = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, [{ city: 'Pune' }])
    await team.call('DELETE', `${LEADS}/city/Goa`)
    await leadProcedure(team, { primaryKey: null })
    await harness.settle(team)
    const [entry] = await listEntries(team, without.body._data.id)
    expect([entry.completionStatus, entry.completionMessage]).toEqual([
      'INVALID',
      expect.stringContaining('has no primary key'),
    ])
  })

  it('is a second job with the same keys: one of them creates each, and nothing is lost', async () => {
    const { team, fetch } = await setUp()
    const items = (name: string) =>
      Array.from({ length: 60 }, (_, nth) => ({ lead_id: `K${nth}`, data: { [name]: nth } }))
    const jobs = await Promise.all(['a', 'b', 'c'].map(name => team.call('POST', `${LEADS}/bulk-upsert`, items(name))))
    const entries: ShownEntry[][] = []
    for (const { data } of jobs) {
      await waitForJob(team, data.id)
      entries.push(await listEntries(team, data.id, '?limit=100'))
    }
    for (let nth = 0; nth < 60; nth++) {
      expect(entries.filter(of => of[nth]?.completionResult.created)).toHaveLength(1)
      expect((await fetch(`K${nth}`)).data).toEqual({ lead_id: `K${nth}`, a: nth, b: nth, c: nth })
    }
  })
})

describe('a job that is scheduled by hand, and a retry', () => {
  it('accept entries that create or update, and refuse malformed ones', async () => {
    const { team, fetch } = await setUp()
    const entry = (processUpsert: unknown) => ({
      apiType: 'PROCESS_UPSERT',
      apiData: { procedureId: 'lead', processUpsert },
    })
    const { data } = await team.call('POST', JOBS, {
      entries: [
        entry({ data: { lead_id: 'A', score: 1 } }),
        entry({ data: { lead_id: 'A', score: 2 } }),
        entry({ data: { score: 2 } }),
        entry({ state: 7 }),
      ],
    })
    await waitForJob(team, data.id)
    const entries = await listEntries(team, data.id)
    expect(statuses(entries)).toEqual(['SUCCESS', 'SUCCESS', 'INVALID', 'INVALID'])
    expect(getCreated(entries).slice(0, 2)).toEqual([true, false])
    expect((await fetch('A')).data.score).toBe(2)
  })

  it('run the failed ones once more', async () => {
    const { team, fetch } = await setUp()
    await team.call('POST', LEADS, { data: { lead_id: 'A' }, state: 'LOST' })
    const job = await bulk(team, 'UPSERT', [{ lead_id: 'A', state: 'IN_PROGRESS' }, { lead_id: 'B' }])
    expect(statuses(await listEntries(team, job.data.id))).toEqual(['ERROR', 'SUCCESS'])
    await team.call('DELETE', `${LEADS}/lead_id/A`)
    const retried = await team.call('POST', `${JOBS}/${job.data.id}/retry`)
    await waitForJob(team, retried.data.id)
    const entries = await listEntries(team, retried.data.id)
    expect(getCreated(entries)).toEqual([true])
    expect((await fetch('A')).state).toBe('IN_PROGRESS')
  })
})
