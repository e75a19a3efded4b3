import { describe, expect, it } from 'vitest'
import { type Call, Harness } from '../support/harness.ts'
import { STATEMENT_END } from '../support/injected-bindings.ts'
import { JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'

const STATEMENTS_PER_INVOCATION_MAX = 1_000

const setUp = async (before?: (call: Pick<Call, 'sql' | 'about'>) => Promise<void>) => {
  const team = await newLeadTeam()
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
  const harness = new Harness({}, before ? { before } : {})
  const run = async (processes: object[]) => {
    const { body } = await harness.request(team, 'PATCH', LEADS, { processes })
    await harness.settle(team)
    return team.call('GET', `${JOBS}/${body._data.id}`)
  }
  return { team, id: data.id as string, harness, run }
}

describe('a job that changes one process again and again', () => {
  it('runs no more statements than an invocation may, conflicts included', async () => {
    const conflicts = { left: 3 }
    const meanwhile: (() => Promise<unknown>)[] = []
    let updatesMax = 0
    const { team, id, harness, run } = await setUp(async ({ sql }) => {
      updatesMax = Math.max(updatesMax, sql.split(/UPDATE "?process"? /).length - 1)
      if (!/UPDATE "?process"? /.test(sql) || conflicts.left-- <= 0) return
      await meanwhile[0]?.()
    })
    let state = 0
    meanwhile.push(() => team.call('PUT', `${LEADS}/${id}`, { state: ['IN_PROGRESS', 'NEW'][state++ % 2] }))
    const processes = Array.from({ length: 250 }, (_, index) => ({
      id,
      update: { data: { score: index, [`a${index}`]: index }, state: index % 2 === 0 ? 'NEW' : 'IN_PROGRESS' },
    }))
    const job = await run(processes)
    expect(conflicts.left).toBeLessThan(0)
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 250 })
    expect(harness.statementsMax).toBeLessThan(STATEMENTS_PER_INVOCATION_MAX)
    // Each has its guard, and all are repeated for each of a few attempts.
    expect(updatesMax).toBeLessThanOrEqual(50)
    const { data } = await team.call('GET', `${LEADS}/${id}`)
    expect(data.data.score).toBe(249)
    expect(data.state).toBe('IN_PROGRESS')
    expect(Object.keys(data.data)).toHaveLength(252)
  })

  it('releases its key and takes it back, each time after the changes before', async () => {
    const { team, id, harness, run } = await setUp()
    const keys = Array.from({ length: 200 }, (_, index) => `K${index % 7}`)
    const job = await run(keys.map(lead_id => ({ id, update: { data: { lead_id } } })))
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 200 })
    expect(harness.statementsMax).toBeLessThan(STATEMENTS_PER_INVOCATION_MAX)
    expect((await team.call('GET', `${LEADS}/lead_id/K3`)).data.id).toBe(id)
  })
})

it.each([
  ['where states have transitions', {}],
  [
    'where a state has a status',
    { states: [{ shortId: 'NEW' }, { shortId: 'IN_PROGRESS' }, { shortId: 'WON', status: 'COMPLETED' }] },
  ],
  [
    'where every state leads to every other',
    { states: [{ shortId: 'NEW' }, { shortId: 'IN_PROGRESS' }, { shortId: 'WON' }] },
  ],
])('changes of a state are made beside changes of other attributes, %s', async (_, definition) => {
  const team = await newLeadTeam(definition)
  const harness = new Harness()
  const keys = ['A', 'B', 'C', 'D']
  for (const lead_id of keys) await team.call('POST', LEADS, { data: { lead_id } })
  const processes = keys.map((lead_id, nth) => ({
    lead_id,
    update: { state: 'IN_PROGRESS', data: nth % 2 === 0 ? { note: 'a' } : { isHot: true, note: 'b' } },
  }))
  const { body } = await harness.request(team, 'PATCH', LEADS, { processes })
  await harness.settle(team)
  expect((await team.call('GET', `${JOBS}/${body._data.id}`)).meta.bjEntryCompletionStatusVsCount).toMatchObject({
    SUCCESS: 4,
  })
  const found = await Promise.all(keys.map(async key => (await team.call('GET', `${LEADS}/lead_id/${key}`)).data))
  expect(found.map(({ state, data }) => [state, data.note])).toEqual(
    keys.map((_, nth) => ['IN_PROGRESS', nth % 2 === 0 ? 'a' : 'b']),
  )
})

it('a long text beside a change of many attributes is sent once', async () => {
  let bytesMax = 0
  const { team, harness } = await setUp(async ({ sql, about }) => {
    if (/UPDATE "?process"? /.test(sql)) bytesMax = Math.max(bytesMax, about.length)
  })
  await team.call('POST', LEADS, { data: { lead_id: 'B' } })
  const text = 'x'.repeat(50_000)
  const many = Object.fromEntries(Array.from({ length: 14 }, (_, nth) => [`a${nth}`, nth]))
  const processes = [
    { lead_id: 'A', data: { ...many, text } },
    { lead_id: 'B', data: { short: 1, text } },
  ]
  await harness.request(team, 'PATCH', LEADS, { processes })
  await harness.settle(team)
  expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.data).toEqual({ lead_id: 'B', short: 1, text })
  expect((await team.call('GET', `${LEADS}/lead_id/A`)).data.data).toEqual({ lead_id: 'A', ...many, text })
  // That of each process once in its event, and once in its document.
  expect(bytesMax).toBeGreaterThan(3 * text.length)
  expect(bytesMax).toBeLessThan(5 * text.length)
})

it('changes of 250 shapes need few statements', async () => {
  const { team, harness, run } = await setUp()
  const keys = Array.from({ length: 250 }, (_, index) => `L${index}`)
  await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes: keys.map(lead_id => ({ lead_id })) })
  await harness.settle(team)
  const processes = keys.map((lead_id, index) => ({
    lead_id,
    update: {
      data: Object.fromEntries(Array.from({ length: (index % 40) + 1 }, (_, nth) => [`x${index}-${nth}`, nth])),
      ...(index % 3 === 0 ? { status: 'CANCELLED' } : {}),
      ...(index % 5 === 0 ? { nextActionAt: 1_800_000_000_000 } : {}),
    },
  }))
  const before = harness.log.length
  const job = await run(processes)
  expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 250 })
  // These are the statements of one step: on a busy machine there are several.
  const statements = harness.log.slice(before).map(({ sql }) => sql.split(STATEMENT_END).length)
  expect(Math.max(...statements)).toBeLessThan(60)
  const { data } = await team.call('GET', `${LEADS}/lead_id/L39`)
  expect(Object.keys(data.data)).toHaveLength(41)
})
