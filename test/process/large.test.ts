import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'

const attributes = (count: number, value: (index: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, value(index)]))

describe('an update of as many attributes as a request may have', () => {
  it.each([
    [490, 1_500],
    [300, 2_900],
  ])('writes %i attributes of %i characters', async (count, characters) => {
    const { create, update, fetch } = await newProcedure(await newTeam())
    const { data } = await create({ data: { ...attributes(count, () => 'short'), kept: { deep: [null, true] } } })
    const sent = attributes(count, index => `${index}`.padEnd(characters, 'x'))
    const reply = await update(data.id, { data: sent })
    expect(reply.errors).toEqual([])
    expect((await fetch(data.id)).data.data).toEqual({ ...sent, kept: { deep: [null, true] } })
  })

  it('removes, replaces and adds hundreds at once, whatever their values, in their order', async () => {
    const { create, update } = await newProcedure(await newTeam())
    const before = attributes(400, index => [index, { n: index }])
    const { data } = await create({ data: before })
    const kinds = [null, true, false, 1.5, '', 'text', { a: null, b: { c: [] } }, [null, { d: null }]]
    const sent = attributes(480, index => kinds[index % kinds.length])
    const reply = await update(data.id, { data: sent })
    expect(reply.errors).toEqual([])
    const expected = Object.entries({ ...before, ...sent }).filter(([, value]) => value !== null)
    expect(Object.entries(reply.data.data)).toEqual(expected)
  })

  it('merges as many into a customer', async () => {
    const { create } = await newProcedure(await newTeam())
    const phone = '4915100001'
    await create({ record: { data: { phone, ...attributes(400, () => 'short') } } })
    const sent = { phone, ...attributes(480, index => `${index}`.padEnd(1_400, 'x')) }
    const { data, errors } = await create({ record: { data: sent } })
    expect(errors).toEqual([])
    expect(data.record.data).toEqual(sent)
  })
})

describe('a job of many attributes', () => {
  it('ends with 250 entries of 200 attributes, and delays no other job', async () => {
    const team = await newLeadTeam()
    const keys = Array.from({ length: 250 }, (_, index) => `L${index}`)
    await bulk(team, 'POST', { processes: keys.map(lead_id => ({ data: { lead_id, kept: lead_id } })) })
    const sent = (index: number) => attributes(200, nth => `${index}-${nth}`)
    const processes = keys.map((lead_id, index) => ({ lead_id, update: { data: sent(index) } }))
    const [job, other] = await Promise.all([
      bulk(team, 'PATCH', { processes }),
      bulk(team, 'PATCH', { processes: [{ lead_id: 'L7', update: { state: 'WON' } }] }),
    ])
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 250 })
    expect(other.data.completionStatus).toBe('SUCCESS')
    const { data } = await team.call('GET', `${LEADS}/lead_id/L249`)
    expect(data.data).toEqual({ lead_id: 'L249', kept: 'L249', ...sent(249) })
  })

  it('ends with 90 entries of 490 attributes', async () => {
    const team = await newLeadTeam()
    const keys = Array.from({ length: 90 }, (_, index) => `L${index}`)
    await bulk(team, 'POST', { processes: keys.map(lead_id => ({ data: { lead_id } })) })
    const sent = (index: number) => attributes(490, nth => (index + nth) % 100)
    const processes = keys.map((lead_id, index) => ({ lead_id, update: { data: sent(index) } }))
    const job = await bulk(team, 'PATCH', { processes })
    expect((await team.call('GET', `${JOBS}/${job.data.id}`)).data.completionStatus).toBe('SUCCESS')
    const { data } = await team.call('GET', `${LEADS}/lead_id/L89`)
    expect(data.data).toEqual({ lead_id: 'L89', ...sent(89) })
  })
})
