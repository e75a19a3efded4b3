import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Reply, Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import {
  bulk,
  JOBS,
  LEADS,
  leadProcedure,
  listEntries,
  newLeadTeam,
  rowEntriesBy,
  waitForJob,
} from '../support/jobs.ts'

const COUNTS = { INVALID: 0, NOT_STARTED: 0, IN_PROGRESS: 0, SUCCESS: 0, ERROR: 0, CANCELLED: 0 }

const counts = ({ meta }: Reply) => meta.bjEntryCompletionStatusVsCount
const loadRetries = async (team: Team, id: string) => (await team.call('GET', `${JOBS}/${id}`)).meta.retries
const loadLead = async (team: Team, key: string) => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data

async function retry(team: Team, id: string, body?: object): Promise<Reply> {
  const reply = await team.call('POST', `${JOBS}/${id}/retry`, body)
  expect(reply.errors).toEqual([])
  expect(reply.status).toBe(202)
  return waitForJob(team, reply.data.id)
}

async function loadGroups(team: Team, id: string): Promise<Record<string, string>> {
  const { data } = await team.call('GET', `${JOBS}/${id}/errors`)
  return Object.fromEntries(data.map(({ code, path, group }: Record<string, string>) => [path ?? code, group]))
}

/** Two with a wrong score, three of processes that do not exist, one fine. */
async function failed(): Promise<{ team: Team; id: string; groups: Record<string, string> }> {
  const team = await newLeadTeam()
  await bulk(
    team,
    'POST',
    ['A', 'B', 'C'].map(lead_id => ({ lead_id, data: { city: 'Pune' } })),
  )
  const job = await bulk(team, 'PATCH', {
    processes: [
      { lead_id: 'A', update: { data: { score: 'high', city: 'Lima' } } },
      { lead_id: 'X1', update: { data: { score: 1 } } },
      { lead_id: 'B', update: { data: { score: 'low', city: 'Accra' } } },
      { lead_id: 'X2', update: { data: { score: 2 } } },
      { lead_id: 'C', update: { data: { score: 3 } } },
      { lead_id: 'X3', update: { data: { score: 3 } } },
    ],
  })
  expect(counts(job)).toEqual({ ...COUNTS, SUCCESS: 1, ERROR: 3, INVALID: 2 })
  return { team, id: job.data.id, groups: await loadGroups(team, job.data.id) }
}

/** A job that was cancelled after its first entries: 14 of them succeeded, 6 have failed, and 25 were not run. */
async function cancelled(items: object[] = createItems(45), path = `${LEADS}/bulk-create`, query = '') {
  const team = await newLeadTeam()
  const harness = new Harness({
    JOB_TUNING: { chunkEntries: 10, sliceChunks: 2, ...rowEntriesBy(turn++) },
  })
  await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  const accepted = await harness.request(team, path === LEADS ? 'PATCH' : 'POST', `${path}${query}`, items)
  await harness.deliver()
  const id: string = accepted.body._data.id
  expect((await team.call('POST', `${JOBS}/${id}/cancel`)).status).toBe(200)
  await harness.settle(team)
  return { team, harness, id }
}
let turn = 0
const createItems = (count: number) =>
  Array.from({ length: count }, (_, nth) => ({ data: { ...(nth % 3 === 2 ? { lead_id: 'A' } : {}), score: nth } }))

describe('a retry of what a cancelled job has not run', () => {
  it('runs each of these entries once, and no other one', async () => {
    const { team, harness, id } = await cancelled()
    const before = await team.call('GET', `${JOBS}/${id}`)
    expect(counts(before)).toEqual({ ...COUNTS, SUCCESS: 14, ERROR: 6, CANCELLED: 25 })
    const accepted = await harness.request(team, 'POST', `${JOBS}/${id}/retry`, { statuses: ['CANCELLED'] })
    expect([accepted.status, accepted.body._data.retryOf]).toEqual([202, id])
    await harness.settle(team)
    const rest = await team.call('GET', `${JOBS}/${accepted.body._data.id}`)
    expect(counts(rest)).toEqual({ ...COUNTS, SUCCESS: 16, ERROR: 9 })
    const found = await team.call('GET', `${LEADS}?limit=100`)
    const scores = found.data.map(({ data }: { data: { score?: number } }) => data.score ?? -1)
    expect(scores.toSorted((one: number, other: number) => one - other)).toEqual([
      -1,
      ...createItems(45).flatMap(({ data }) => ('lead_id' in data ? [] : [data.score])),
    ])
    expect((await loadRetries(team, id)).bjEntryCompletionStatusVsCount).toEqual({ ...COUNTS, SUCCESS: 30, ERROR: 15 })
  })

  it('is made by one request: another one names it, also where both come at once', async () => {
    const { team, id } = await cancelled()
    const ask = (statuses: string[]) => team.call('POST', `${JOBS}/${id}/retry`, { statuses })
    const replies = await Promise.all([ask(['CANCELLED']), ask(['CANCELLED'])])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 409])
    const [made] = replies.flatMap(({ status, data }) => (status === 202 ? [data.id] : []))
    const again = await ask(['CANCELLED'])
    expect([again.status, again.errors]).toEqual([
      409,
      [`what background job ${id} has not run is retried by background job ${made}`],
    ])
    await waitForJob(team, made)
    expect((await team.call('GET', `${JOBS}/${made}`)).meta.continuedBy).toBeUndefined()
    expect((await ask(['ERROR'])).status).toBe(202)
    expect((await team.call('GET', `${JOBS}/${id}`)).meta.continuedBy).toBe(made)
  })

  it('can be cancelled, and its own rest retried', async () => {
    const { team, harness, id } = await cancelled()
    const second = await harness.request(team, 'POST', `${JOBS}/${id}/retry`, { statuses: ['CANCELLED'] })
    const retried: string = second.body._data.id
    await team.call('POST', `${JOBS}/${retried}/cancel`)
    await harness.settle(team)
    const last = await retry(team, retried, { statuses: ['CANCELLED'] })
    expect(counts(last)).toEqual({ ...COUNTS, SUCCESS: 16, ERROR: 9 })
    expect((await loadRetries(team, id)).bjEntryCompletionStatusVsCount).toEqual({ ...COUNTS, SUCCESS: 30, ERROR: 15 })
  })

  it('takes back the rest of an undo', async () => {
    const team = await newLeadTeam()
    const harness = new Harness({ JOB_TUNING: { chunkEntries: 10, sliceChunks: 2 } })
    const made = await harness.request(team, 'POST', `${LEADS}/bulk-create`, Array(45).fill({ data: { city: 'Goa' } }))
    await harness.settle(team)
    const undo = await harness.request(team, 'POST', `${JOBS}/${made.body._data.id}/undo`)
    await harness.deliver()
    await team.call('POST', `${JOBS}/${undo.body._data.id}/cancel`)
    await harness.settle(team)
    const countLeads = async () => (await team.call('GET', `${LEADS}?limit=100`)).data.length
    const left = await countLeads()
    expect([left > 0, left < 45]).toEqual([true, true])
    const rest = await retry(team, undo.body._data.id, { statuses: ['CANCELLED'] })
    expect([counts(rest), rest.data.undoOf, await countLeads()]).toEqual([
      { ...COUNTS, SUCCESS: left },
      made.body._data.id,
      0,
    ])
  })

  it('is refused of a dry run, and of a job that has not found all of its entries', async () => {
    const planned = await cancelled(createItems(45), `${LEADS}/bulk-create`, '?dryRun=true')
    const ofPlan = await planned.team.call('POST', `${JOBS}/${planned.id}/retry`, { statuses: ['CANCELLED'] })
    expect([ofPlan.status, ofPlan.errors]).toEqual([409, [expect.stringContaining('is a dry run that was cancelled')]])
    const { team, id } = await cancelled()
    await env.DB.prepare('UPDATE background_job SET cancelled_because = ? WHERE id = ?').bind('too many', id).run()
    const inPart = await team.call('POST', `${JOBS}/${id}/retry`, { statuses: ['CANCELLED'] })
    expect([inPart.status, inPart.errors]).toEqual([
      409,
      [expect.stringContaining('was cancelled before all of its entries were found')],
    ])
  })

  it('is what a retry of failures points to, where there are none', async () => {
    const { team, harness, id } = await cancelled(Array(45).fill({ data: { city: 'Goa' } }))
    const reply = await harness.request(team, 'POST', `${JOBS}/${id}/retry`)
    expect([reply.status, reply.body._errors]).toEqual([
      409,
      [
        expect.stringMatching(
          /has no entry with ERROR to retry \(there are: \d+ entries with CANCELLED by "statuses": \["CANCELLED"\]\)/,
        ),
      ],
    ])
  })

  it('is not pointed to where it would be refused; INVALID entries are', async () => {
    const ask = (team: Team, id: string) => team.call('POST', `${JOBS}/${id}/retry`)
    const planned = await cancelled(Array(45).fill({ data: { city: 'Goa' } }), `${LEADS}/bulk-create`, '?dryRun=true')
    expect((await ask(planned.team, planned.id)).meta.errors[0].hint).toBe('there is nothing to retry')
    const team = await newLeadTeam()
    const bad = await bulk(team, 'POST', [{ data: { score: 'high' } }, { lead_id: 'ok' }])
    expect((await ask(team, bad.data.id)).errors).toEqual([
      `background job ${bad.data.id} has no entry with ERROR to retry (there are: 1 entry with INVALID by "statuses": ["INVALID"])`,
    ])
  })
})

describe('a retry with an update', () => {
  it('merges it into the entries of a group, which are checked again, and into no others', async () => {
    const { team, id, groups } = await failed()
    const job = await retry(team, id, { group: groups['/body/data/score'], update: { data: { score: 7 } } })
    expect(counts(job)).toEqual({ ...COUNTS, SUCCESS: 2 })
    expect(job.data).toMatchObject({ retryOf: id, total: 2 })
    expect((await loadLead(team, 'A')).data).toMatchObject({ score: 7, city: 'Lima' })
    expect((await loadLead(team, 'B')).data).toMatchObject({ score: 7, city: 'Accra' })
    expect((await loadLead(team, 'C')).data.score).toBe(3)
    expect((await listEntries(team, job.data.id))[0].data.apiData.processUpdate).toEqual({
      data: { score: 7, city: 'Lima' },
    })
  })

  it('removes a member of the entry by null, and replaces the other fields', async () => {
    const { team, id, groups } = await failed()
    const job = await retry(team, id, {
      group: groups['/body/data/score'],
      update: { data: { score: null }, state: 'IN_PROGRESS' },
    })
    expect(counts(job)).toEqual({ ...COUNTS, SUCCESS: 2 })
    const lead = await loadLead(team, 'A')
    expect([lead.state, lead.data.city, lead.data.score]).toEqual(['IN_PROGRESS', 'Lima', undefined])
  })

  it('leaves what is still wrong INVALID, and may be retried again', async () => {
    const { team, id, groups } = await failed()
    const { body, ...still } = { group: groups['/body/data/score'], body: null }
    expect(body).toBeNull()
    const job = await retry(team, id, { ...still, update: { data: { city: 'Cusco' } } })
    expect(counts(job)).toEqual({ ...COUNTS, INVALID: 2 })
    const last = await retry(team, job.data.id, { statuses: ['INVALID'], update: { data: { score: 1 } } })
    expect(counts(last)).toEqual({ ...COUNTS, SUCCESS: 2 })
    expect((await loadLead(team, 'B')).data).toMatchObject({ score: 1, city: 'Cusco' })
    expect(await loadRetries(team, id)).toEqual({
      jobs: 2,
      entries: 2,
      newest: last.data.id,
      succeeded: 2,
      undoFirst: [last.data.id],
      bjEntryCompletionStatusVsCount: { ...COUNTS, SUCCESS: 3, ERROR: 3 },
    })
  })

  it('changes the bodies of entries that create, or create or update', async () => {
    const team = await newLeadTeam()
    for (const path of ['bulk-create', 'bulk-upsert']) {
      const items = [{ lead_id: path, data: { score: 'high' }, nextActionAt: 'whenever' }]
      const accepted = await team.call('POST', `${LEADS}/${path}`, items)
      const first = await waitForJob(team, accepted.data.id)
      expect(counts(first)).toEqual({ ...COUNTS, INVALID: 1 })
      const half = await retry(team, accepted.data.id, { statuses: ['INVALID'], update: { data: { score: 4 } } })
      expect(counts(half)).toEqual({ ...COUNTS, INVALID: 1 })
      expect(Object.keys(await loadGroups(team, half.data.id))).toEqual(['/body/nextActionAt'])
      const job = await retry(team, half.data.id, { statuses: ['INVALID'], update: { nextActionAt: null } })
      expect(counts(job)).toEqual({ ...COUNTS, SUCCESS: 1 })
      expect((await loadLead(team, path)).data).toMatchObject({ score: 4 })
    }
  })

  it('is refused by name like one of a bulk update, before anything is accepted', async () => {
    const { team, id, groups } = await failed()
    const jobs = async () => (await team.call('GET', `${JOBS}?retryOf=${id}`)).data
    for (const [body, path] of [
      [{ update: { data: { score: 'none' } } }, '/body/update/data/score'],
      [{ update: { state: 'NOWHERE' } }, '/body/update/state'],
      [{ update: { assignedTo: 'nobody-at-all' } }, '/body/update/assignedTo'],
      [{ update: { record: { id: crypto.randomUUID() } } }, '/body/update/record/id'],
      [{ update: { colour: 'red' } }, '/body/update/colour'],
      [{ update: { isDeleted: true } }, '/body/update/isDeleted'],
      [{ update: 'all' }, '/body/update'],
      [{ group: 'no such group' }, '/body/group'],
      [{ group: groups['/body/data/score'], statuses: ['ERROR'] }, '/body/group'],
      [{ statuses: [] }, '/body/statuses'],
      [{ statuses: ['SUCCESS'] }, '/body/statuses/0'],
      [{ entries: [1] }, '/body/entries'],
    ] as const) {
      const reply = await team.call('POST', `${JOBS}/${id}/retry`, body)
      expect([JSON.stringify(body), reply.status]).toEqual([JSON.stringify(body), 400])
      expect(reply.meta.errors.map((each: { path: string }) => each.path)).toContain(path)
    }
    expect(await jobs()).toEqual([])
  })

  it('sets the primary key of one entry alone: several would become one process', async () => {
    const team = await newLeadTeam()
    const job = await bulk(team, 'POST', [
      { data: { score: 'high', city: 'A' } },
      { data: { score: 'low', city: 'B' } },
      { data: { isHot: 'maybe', city: 'C' } },
    ])
    const update = { data: { lead_id: 'ONE', score: 1, isHot: null } }
    const body = { statuses: ['INVALID'], update }
    const { status, meta } = await team.call('POST', `${JOBS}/${job.data.id}/retry`, body)
    expect([status, meta.errors[0]]).toMatchObject([400, { path: '/body/update/data/lead_id' }])
    const groups = await loadGroups(team, job.data.id)
    const one = await retry(team, job.data.id, { group: groups['/body/data/isHot'], update })
    expect(counts(one)).toEqual({ ...COUNTS, SUCCESS: 1 })
    expect((await loadLead(team, 'ONE')).data.city).toBe('C')
  })

  it('is refused where there is nothing to merge it into', async () => {
    const team = await newLeadTeam()
    const job = await bulk(team, 'PATCH', { processes: [{ lead_id: 'X', isDeleted: true }] })
    const reply = await team.call('POST', `${JOBS}/${job.data.id}/retry`, { update: { data: { score: 1 } } })
    expect([reply.status, reply.meta.errors[0].path]).toEqual([400, '/body/update'])
    expect(reply.errors[0]).toContain('PROCESS_DELETE')
    expect(counts(await retry(team, job.data.id, {}))).toEqual({ ...COUNTS, ERROR: 1 })
  })
})

describe('a retry of INVALID entries', () => {
  it('checks them by the definition in force', async () => {
    const { team, id } = await failed()
    await leadProcedure(team, {
      attributes: ['lead_id', 'city', 'score'].map(shortId => ({ shortId, type: 'string' })),
    })
    const job = await retry(team, id, { statuses: ['INVALID'] })
    expect(counts(job)).toEqual({ ...COUNTS, SUCCESS: 2 })
    expect((await loadLead(team, 'A')).data).toMatchObject({ score: 'high' })
    expect(await loadRetries(team, id)).toMatchObject({
      entries: 2,
      bjEntryCompletionStatusVsCount: { ...COUNTS, SUCCESS: 3, ERROR: 3 },
    })
  })

  it('never makes something else of an item that could not be parsed', async () => {
    const team = await newLeadTeam()
    await bulk(team, 'POST', [{ lead_id: 'A', data: { city: 'Pune' } }])
    const lead = await loadLead(team, 'A')
    const items = [
      'no item',
      { lead_id: 'A', isDeleted: true, data: { city: 'Lima' } },
      { lead_id: 'A', isDeleted: 'no', data: { city: 'Lima' } },
      { lead_id: 'A', update: { data: { city: 'Lima' } }, city: 'Accra' },
      { lead_id: 'A', id: 'B', update: { data: { city: 'Lima' } } },
      { lead_id: 'A', id: 'B', isDeleted: false },
      { update: { data: { city: 'Lima' } } },
      { lead_id: 'A', update: 'Lima' },
      { lead_id: 'A', update: { city: 'Lima' } },
    ]
    const job = await bulk(team, 'PATCH', { processes: items })
    expect(counts(job)).toEqual({ ...COUNTS, INVALID: items.length })
    const again = await retry(team, job.data.id, { statuses: ['INVALID'] })
    expect(counts(again)).toEqual({ ...COUNTS, INVALID: items.length })
    const messages = async (id: string) =>
      (await listEntries(team, id)).map((each: { validationMessage: string }) => each.validationMessage)
    expect(await messages(again.data.id)).toEqual(await messages(job.data.id))
    expect(await loadLead(team, 'A')).toEqual(lead)
    const twice = await bulk(team, 'POST', [{ lead_id: 'C', data: { lead_id: 'D' } }])
    expect(counts(await retry(team, twice.data.id, { statuses: ['INVALID'] }))).toEqual({ ...COUNTS, INVALID: 1 })
  })
})

it('an item that was not stored stays INVALID: the update alone makes no process', async () => {
  const team = await newLeadTeam()
  const nested = JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`)
  for (const path of ['bulk-create', 'bulk-upsert']) {
    const accepted = await team.call('POST', `${LEADS}/${path}`, ['no item', { data: { nested } }])
    const body = { statuses: ['INVALID'], update: { data: { lead_id: 'Z', city: 'Lima' } } }
    const job = await retry(team, (await waitForJob(team, accepted.data.id)).data.id, body)
    expect(counts(job)).toEqual({ ...COUNTS, INVALID: 2 })
    const messages = (entries: { validationMessage: string }[]) => entries.map(each => each.validationMessage)
    expect(messages(await listEntries(team, job.data.id))).toEqual(messages(await listEntries(team, accepted.data.id)))
  }
  expect((await team.call('GET', `${LEADS}/lead_id/Z`)).status).toBe(404)
})

describe('several retries of one job', () => {
  it('leave out what another one has, and count each entry with its newest try', async () => {
    const { team, id, groups } = await failed()
    const update = { data: { score: 7 } }
    const refused = async (of: string, by: string, body?: object) => {
      const { status, meta } = await team.call('POST', `${JOBS}/${of}/retry`, body)
      expect([status, meta.errors[0]]).toMatchObject([
        409,
        { message: expect.stringContaining(`are retried by background job ${by}`), backgroundJob: by },
      ])
    }
    const scores = await retry(team, id, { group: groups['/body/data/score'], update })
    expect(await loadRetries(team, id)).toMatchObject({
      jobs: 1,
      entries: 2,
      bjEntryCompletionStatusVsCount: { ...COUNTS, SUCCESS: 3, ERROR: 3 },
    })
    await refused(id, scores.data.id, { group: groups['/body/data/score'], update })
    await refused(id, scores.data.id, { statuses: ['INVALID'] })
    // All failed again in these: nothing of them is done, and they may be retried from either job.
    const inVain = await retry(team, id)
    await retry(team, id)
    expect(await loadRetries(team, id)).toMatchObject({ jobs: 3, entries: 5, succeeded: 2 })
    await bulk(team, 'POST', [{ lead_id: 'X1' }, { lead_id: 'X2' }])
    const rest = await retry(team, id, { statuses: ['ERROR', 'INVALID'], update })
    expect(rest.data.total).toBe(3)
    expect(await loadRetries(team, id)).toEqual({
      jobs: 4,
      entries: 5,
      newest: rest.data.id,
      succeeded: 4,
      undoFirst: [rest.data.id, scores.data.id],
      bjEntryCompletionStatusVsCount: { ...COUNTS, SUCCESS: 5, ERROR: 1 },
    })
    await refused(id, rest.data.id)
    await refused(inVain.data.id, rest.data.id)
    await bulk(team, 'POST', [{ lead_id: 'X3' }])
    expect((await retry(team, rest.data.id)).data.total).toBe(1)
    expect(await loadRetries(team, id)).toMatchObject({
      jobs: 5,
      entries: 5,
      succeeded: 5,
      bjEntryCompletionStatusVsCount: { ...COUNTS, SUCCESS: 6 },
    })
  })

  it('create no entry twice, whatever is retried, in whatever order, and several at once', async () => {
    const team = await newLeadTeam()
    let seed = 7
    const choose = <T>(list: readonly T[]): T => {
      seed = (seed * 48_271) % 2_147_483_647
      return list[seed % list.length] as T
    }
    const items = Array.from({ length: 12 }, (_, nth) => ({
      ...(nth % 2 === 0 ? { state: 'NOWHERE' } : {}),
      data: { city: `City ${nth}`, ...(nth % 3 === 2 ? {} : { score: 'high' }) },
    }))
    const first = (await bulk(team, 'POST', items)).data.id
    const jobs: string[] = [first]
    const updates = [{}, { update: { data: { score: 1 } } }, { update: { state: 'NEW' } }]
    const which = [{ statuses: ['INVALID'] }, { statuses: ['ERROR', 'INVALID'] }, {}]
    for (let step = 0; step < 14; step++) {
      const asked = [choose(jobs), choose(jobs)].map(async id => {
        const groups = Object.values(await loadGroups(team, id)).map(group => ({ group }))
        return team.call('POST', `${JOBS}/${id}/retry`, { ...choose([...which, ...groups]), ...choose(updates) })
      })
      for (const { status, data } of await Promise.all(asked)) {
        expect([202, 409]).toContain(status)
        if (status === 202) jobs.push((await waitForJob(team, data.id)).data.id)
      }
    }
    const { data } = await team.call('GET', `${LEADS}?limit=100`)
    const cities = data.map((lead: { data: { city: string } }) => lead.data.city)
    expect(cities.length).toBeGreaterThan(2)
    expect(new Set(cities).size).toBe(cities.length)
    const told = await loadRetries(team, first)
    const before = (await team.call('GET', `${JOBS}/${first}`)).meta.bjEntryCompletionStatusVsCount.SUCCESS
    expect(told.succeeded + before).toBe(cities.length)
    expect(told.succeeded).toBeLessThanOrEqual(told.entries)
    const counted = told.bjEntryCompletionStatusVsCount
    if (counted) expect(counted.SUCCESS).toBe(cities.length)
  })

  it('are one where two are asked for at once', async () => {
    const { team, id } = await failed()
    const harness = new Harness()
    const ask = () => harness.request(team, 'POST', `${JOBS}/${id}/retry`)
    const replies = await Promise.all([ask(), ask()])
    expect(replies.map(({ status }) => status).toSorted()).toEqual([202, 409])
  })

  it('are one where the request was repeated under its key, also with a body', async () => {
    const { team, id, groups } = await failed()
    const headers = { 'idempotency-key': 'again' }
    const body = { group: groups.not_found }
    const [one, two] = [
      await team.call('POST', `${JOBS}/${id}/retry`, body, headers),
      await team.call('POST', `${JOBS}/${id}/retry`, body, headers),
    ]
    expect([one.status, two.status, two.data.id]).toEqual([202, 202, one.data.id])
    expect((await team.call('POST', `${JOBS}/${id}/retry`, {}, headers)).status).toBe(422)
  })
})

describe('the undo of a job that was retried', () => {
  it('leaves what the retries have done, and the job names them, the newest first', async () => {
    const { team, id, groups } = await failed()
    const corrected = await retry(team, id, { group: groups['/body/data/score'], update: { data: { score: 7 } } })
    const inVain = await retry(team, id)
    expect(counts(inVain)).toEqual({ ...COUNTS, ERROR: 3 })
    await bulk(team, 'POST', [{ lead_id: 'X1' }])
    const last = await retry(team, inVain.data.id)
    const undone = await team.call('POST', `${JOBS}/${id}/undo`)
    await waitForJob(team, undone.data.id)
    expect((await loadLead(team, 'C')).data.score).toBeUndefined()
    expect([(await loadLead(team, 'A')).data.score, (await loadLead(team, 'X1')).data.score]).toEqual([7, 1])
    expect(await loadRetries(team, id)).toMatchObject({
      jobs: 3,
      succeeded: 3,
      undoFirst: [last.data.id, corrected.data.id],
    })
  })

  it('names no retries where the job is a dry run', async () => {
    const team = await newLeadTeam()
    const dry = await team.call('PATCH', `${LEADS}?dryRun=true`, [{ lead_id: 'Y', update: { data: { score: 1 } } }])
    await waitForJob(team, dry.data.id)
    await bulk(team, 'POST', [{ lead_id: 'Y' }])
    await retry(team, dry.data.id)
    expect(await loadRetries(team, dry.data.id)).toMatchObject({ jobs: 1, succeeded: 1, undoFirst: [] })
  })
})
