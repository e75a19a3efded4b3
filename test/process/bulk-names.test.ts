import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { bulk, LEADS, leadProcedure, listEntries, newLeadTeam } from '../support/jobs.ts'
import { attribute } from '../support/procedures.ts'

const getItem = (name: string, value: unknown, more = '') =>
  JSON.parse(`{${JSON.stringify(name)}: ${JSON.stringify(value)}${more}}`)

describe.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('a primary key called %s', name => {
  it('is a name like any other in bulk requests', async () => {
    const team = await newTeam()
    const plain = { primaryKey: name, attributes: [attribute(name, 'string'), attribute('city', 'string')] }
    await leadProcedure(team, plain)
    const made = await bulk(team, 'POST', {
      processes: [
        getItem(name, 'A'),
        { data: getItem(name, 'B') },
        getItem(name, 'C', `, "data": ${JSON.stringify(getItem(name, 'C'))}`),
        { data: { city: 'Goa' } },
      ],
    })
    expect(made.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 4 })
    const { data } = await team.call('GET', `${LEADS}/${name}/A`)
    expect(Object.entries(data.data)).toEqual([[name, 'A']])
    const changed = await bulk(team, 'PATCH', {
      processes: [
        getItem(name, 'A', ', "data": {"city": "Pune"}'),
        { id: data.id, update: { data: { kept: 1 } } },
        getItem(name, 'B', ', "isDeleted": true'),
      ],
    })
    expect(changed.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 3 })
    const after = await team.call('GET', `${LEADS}/${name}/A`)
    expect(after.data.data.city).toBe('Pune')
    expect((await team.call('GET', `${LEADS}/${name}/B`)).status).toBe(404)
  })
})

it('a bulk request refuses one entry with a malformed key, not the request', async () => {
  const team = await newLeadTeam()
  const odd = { toString: 1, valueOf: 1 }
  const job = await bulk(team, 'POST', {
    processes: [
      { lead_id: 'K1', data: { lead_id: odd } },
      { lead_id: odd, data: { lead_id: 'K2' } },
      { lead_id: 'K3', data: {} },
      { lead_id: 7, data: { lead_id: '7' } },
    ],
  })
  expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 2, INVALID: 2 })
  const entries = await listEntries(team, job.data.id)
  expect(entries[0].validationStatusMessage ?? JSON.stringify(entries[0])).toMatch(/lead_id/)
})

describe('a primary key that an entry gives up', () => {
  it('is free for the entries after it, and names nothing until one takes it', async () => {
    const team = await newLeadTeam()
    await bulk(team, 'POST', { processes: [{ lead_id: 'A' }, { lead_id: 'B' }] })
    const job = await bulk(team, 'PATCH', {
      processes: [
        { id: 'A', update: { data: { lead_id: 'C' } } },
        { id: 'A', update: { status: 'COMPLETED' } },
        { id: 'B', update: { data: { lead_id: 'A' } } },
        { id: 'A', update: { data: { city: 'Pune' } } },
      ],
    })
    const entries: { completionStatus: string }[] = await listEntries(team, job.data.id)
    expect(entries.map(({ completionStatus }) => completionStatus)).toEqual(['SUCCESS', 'ERROR', 'SUCCESS', 'SUCCESS'])
    expect((await team.call('GET', `${LEADS}/lead_id/A`)).data).toMatchObject({
      data: { city: 'Pune' },
      status: 'OPEN',
    })
    expect((await team.call('GET', `${LEADS}/lead_id/C`)).data.status).toBe('OPEN')
  })
})

describe('a primary key that two entries of a job want', () => {
  it("belongs to the first one, whose process the second one's error names; no other entry is tried again", async () => {
    const team = await newLeadTeam()
    const harness = new Harness()
    const items = [{ lead_id: 'A' }, { lead_id: 'A' }, { lead_id: 'B' }]
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, items)
    await harness.settle(team)
    const [first, second, third] = await listEntries(team, body._data.id)
    expect([first, second, third].map(each => each.completionStatus)).toEqual(['SUCCESS', 'ERROR', 'SUCCESS'])
    expect(second.completionResult).toMatchObject({
      code: 'duplicate_primary_key',
      errors: [{ processId: first.completionResult.id }],
    })
    expect(harness.log.filter(({ sql }) => /INSERT INTO "process" /.test(sql))).toHaveLength(1)
  })
})
