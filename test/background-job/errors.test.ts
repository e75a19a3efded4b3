import { expect, it } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import { fetchWorker, newTeam, type Reply, type Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'

const SMALL = { chunkEntries: 5, sliceChunks: 2 }
const ATTRIBUTES = [
  { shortId: 'lead_id', type: 'string' },
  { shortId: 'score', type: 'integer' },
  { shortId: 'tags', type: 'multiStringEnum', values: ['a', 'b'] },
]

const leads = (more: object = {}): Promise<Team> => newLeadTeam({ attributes: ATTRIBUTES, ...more })

/** Twelve good ones; seven with a score that is no number, four with a key that is taken, two with a tag that nobody declared. */
const MIXED = [
  ...Array.from({ length: 12 }, (_, nth) => ({ lead_id: `L${nth}` })),
  ...Array.from({ length: 7 }, (_, nth) => ({ lead_id: `S${nth}`, data: { score: `high ${nth}` } })),
  ...Array.from({ length: 4 }, (_, nth) => ({ lead_id: `L${nth}` })),
  { lead_id: 'T0', data: { tags: ['x'] } },
  { lead_id: 'T1', data: { tags: ['a', 'y'] } },
]

const loadErrors = (team: Team, id: string, query = ''): Promise<Reply> =>
  team.call('GET', `${JOBS}/${id}/errors${query}`)

const sizes = ({ data }: Reply) =>
  data.map(({ code, path, count }: { code: string; path: string | null; count: number }) => [code, path, count])

it('the failures of a job are grouped by code and place, whatever their values, the largest group first, each with some of its entries', async () => {
  const team = await leads()
  const job = await bulk(team, 'POST', MIXED)
  const reply = await loadErrors(team, job.data.id)
  expect(reply.errors).toEqual([])
  expect(sizes(reply)).toEqual([
    ['invalid_request', '/body/data/score', 7],
    ['duplicate_primary_key', '/body/data/lead_id', 4],
    ['invalid_request', '/body/data/tags', 2],
  ])
  expect(reply.meta).toMatchObject({ total: 3, failed: 13, grouped: 13, isComplete: true, hasMore: false, next: null })
  const [score, taken] = reply.data
  expect(score).toMatchObject({ statuses: { ERROR: 0, INVALID: 7 }, providerCode: null })
  expect(score.message).toBe('"score" must be a number, not … (a number without "high")')
  expect(score.entries).toHaveLength(5)
  expect(taken.message).toBe('a process with lead_id … exists already')
  const entries = await team.call('GET', `${JOBS}/${job.data.id}/entries?completionStatus=ERROR`)
  expect(taken.statuses).toEqual({ ERROR: 4, INVALID: 0 })
  expect(taken.entries).toEqual(
    entries.data.map((entry: Record<string, unknown>) => ({
      index: entry.index,
      id: entry.id,
      primaryKey: entry.primaryKey,
      line: null,
      message: entry.completionMessage,
    })),
  )
  expect(taken.entries.map(({ primaryKey }: { primaryKey: string }) => primaryKey)).toEqual(['L0', 'L1', 'L2', 'L3'])
})

it('the failures of a job at one place are told apart by what is wrong there, each with its count and its entries', async () => {
  const team = await newLeadTeam({
    attributes: [
      { shortId: 'lead_id', type: 'string' },
      { shortId: 'mobile', type: 'phone' },
    ],
  })
  const phones = ['0891234567', '4,98912E+11', '+49:891234567', '0897654321', '0', '9,19448e+11', '08999']
  const processes = phones.map((mobile, nth) => ({ lead_id: `L${nth}`, data: { mobile } }))
  const { data: job } = await bulk(team, 'POST', processes)
  const [group, ...others] = (await loadErrors(team, job.id)).data
  expect(others).toEqual([])
  expect(group).toMatchObject({ group: 'invalid_request:/body/data/mobile', count: 7 })
  const summary = group.reasons.map(({ message, hint, count, entries }: (typeof group.reasons)[number]) => [
    count,
    message,
    hint,
    entries.map(({ primaryKey }: { primaryKey: string }) => primaryKey),
  ])
  expect(summary).toEqual([
    [
      3,
      '"mobile" must be a phone number with its country code, such as 4915112345678; none begins with 0, not …',
      null,
      ['L0', 'L3', 'L6'],
    ],
    [2, '"mobile" must be a phone number; this one looks shortened by a spreadsheet, not …', null, ['L1', 'L5']],
    [2, '"mobile" must be a phone number, not …', null, ['L2', 'L4']],
  ])
})

it('the results of a group that a job does not have are refused by name, with the groups that it has', async () => {
  const team = await leads()
  const { id } = (await bulk(team, 'POST', MIXED)).data
  const results = (query: string) => team.call('GET', `${JOBS}/${id}/results?${query}`)
  const groups =
    'its groups are invalid_request:/body/data/score, duplicate_primary_key:/body/data/lead_id, invalid_request:/body/data/tags'
  for (const query of ['group=nope', 'group=nope&completionStatus=ERROR', 'group=not_found&fromIndex=12']) {
    const refused = await results(query)
    expect([query, refused.status]).toEqual([query, 400])
    const name = query.includes('nope') ? 'nope' : 'not_found'
    const which = query.includes('ERROR') ? ' with ERROR' : ''
    expect(refused.meta.errors).toMatchObject([
      {
        path: '/query/group',
        message: `no failed entry of background job ${id}${which} is in the group "${name}"`,
        hint: groups,
      },
    ])
  }
  // A group that it has is empty for some statuses, and behind its last entry.
  for (const query of ['completionStatus=ERROR', 'completionStatus=SUCCESS', 'fromIndex=1000'])
    expect((await results(`group=invalid_request:/body/data/score&${query}`)).status).toBe(200)
  const retried = await team.call('POST', `${JOBS}/${id}/retry`, { group: 'nope' })
  expect([retried.status, retried.meta.errors[0].path, retried.meta.errors[0].hint]).toEqual([
    400,
    '/body/group',
    groups,
  ])
  const group = 'invalid_request:/body/data/score'
  const others = await team.call('POST', `${JOBS}/${id}/retry`, { group, statuses: ['ERROR'] })
  expect([others.status, others.meta.errors[0].hint]).toEqual([400, 'there it has entries with INVALID'])
  const whole = (await bulk(team, 'POST', [{ lead_id: 'whole' }])).data
  const none = await team.call('GET', `${JOBS}/${whole.id}/results?group=nope`)
  expect([none.status, none.meta.errors[0].hint]).toEqual([400, 'none of its entries has failed'])
})

it('the failures of a job come in pages, and a parameter that is unknown or too large is refused', async () => {
  const team = await leads()
  const { id } = (await bulk(team, 'POST', MIXED)).data
  const whole = await loadErrors(team, id)
  const first = await loadErrors(team, id, '?limit=2')
  expect(first.data).toEqual(whole.data.slice(0, 2))
  expect(first.meta).toMatchObject({ total: 3, hasMore: true, next: `${JOBS}/${id}/errors?limit=2&skip=2` })
  const second = await team.call('GET', first.meta.next)
  expect(second.data).toEqual(whole.data.slice(2))
  expect(second.meta.next).toBeNull()
  for (const query of ['limit=0', 'limit=101', 'skip=-1', 'status=ERROR'])
    expect((await loadErrors(team, id, `?${query}`)).status).toBe(400)
})

it('the failures of a job are those of the entries so far while the job runs, and stay as they are when its entries have moved', async () => {
  const team = await leads()
  const harness = new Harness({ JOB_TUNING: SMALL })
  const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, [
    { data: 'none' },
    ...MIXED.map(item => ({ ...item })),
  ])
  const { id } = body._data
  expect(sizes(await loadErrors(team, id))).toEqual([['invalid_request', '/body/data', 1]])
  await harness.deliver()
  const running = await loadErrors(team, id)
  expect(running.data.length).toBeLessThanOrEqual(2)
  await harness.settle(team)
  const before = await loadErrors(team, id)
  expect(before.meta).toMatchObject({ failed: 14, grouped: 14 })
  await harness.runCron(Date.now() + 2 * HOUR_MS)
  const after = await loadErrors(team, id)
  expect((await team.call('GET', `${JOBS}/${id}`)).errors).toEqual([])
  expect([after.data, after.meta.grouped]).toEqual([before.data, before.meta.grouped])
})

it('the failures of a job give each group an id by which the results can be filtered', async () => {
  const team = await leads()
  const { id } = (await bulk(team, 'POST', MIXED)).data
  for (const { group, count } of (await loadErrors(team, id)).data) {
    const path = `${JOBS}/${id}/results?group=${encodeURIComponent(group)}`
    const response = await fetchWorker(path, { headers: { authorization: `Bearer ${team.token}` } })
    const lines = (await response.text()).trim().split('\n')
    expect(lines).toHaveLength(count)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ completionResult: { code: group.split(':')[0] } })
  }
})

it('the failures of a job have one group for all positions of a list', async () => {
  const team = await leads()
  const entry = (at: number) => {
    const mapping = Array.from({ length: 3 }, (_, nth) => ({
      schemaPropertyName: `${nth + 1}`,
      ...(nth === at ? {} : { schemaPropertyValue: 'x' }),
    }))
    const apiData = {
      pluginId: 'p',
      whatsappPhoneNumberId: '1',
      templateName: 't',
      phoneNumber: '919448300007',
      mapping,
    }
    return { apiType: 'TEMPLATE_MESSAGE', apiData }
  }
  const job = await team.call('POST', JOBS, { entries: [entry(0), entry(1), entry(2)] })
  const [group, ...others] = (await loadErrors(team, job.data.id)).data
  expect(others).toEqual([])
  expect(group).toMatchObject({ code: 'invalid_request', count: 3 })
  expect(group.path).toContain('/mapping/*')
})

it('the failures of a job are bounded where every entry fails in its own way, and say that there are more', async () => {
  const team = await leads({ strict: true })
  const name = (nth: number) => `${'unknown'.repeat(10)}_${nth}`
  const items = Array.from({ length: 700 }, (_, nth) => ({
    lead_id: `L${nth}`,
    data: { [name(nth)]: 'x'.repeat(2_000) },
  }))
  const { id } = (await bulk(team, 'POST', items)).data
  const reply = await loadErrors(team, id, '?limit=100')
  expect(reply.meta).toMatchObject({ total: 500, failed: 700, grouped: 500, isComplete: false, hasMore: true })
  expect(reply.data).toHaveLength(100)
  const last = await loadErrors(team, id, '?limit=100&skip=450')
  expect([last.data.length, last.meta.next]).toEqual([50, null])
})

it('the failures of a job are grouped over many chunks in few round trips', async () => {
  const team = await leads()
  const items = Array.from({ length: 5_000 }, (_, nth) => ({ data: `none ${nth}` }))
  const { id } = (await bulk(team, 'POST', items)).data
  const reply = await loadErrors(team, id)
  expect(sizes(reply)).toEqual([['invalid_request', '/body/data', 5_000]])
  expect(reply.cost.trips).toBeLessThanOrEqual(8)
})

it('the failures of a job are hidden from another team, also by a made-up id', async () => {
  const team = await leads()
  const { id } = (await bulk(team, 'POST', [{ data: 'none' }])).data
  const stranger = await newTeam()
  for (const other of [id, 'nonsense', crypto.randomUUID()]) {
    const reply = await loadErrors(stranger, other)
    expect([reply.status, reply.errors]).toEqual([404, [`background job ${other} not found`]])
  }
})
