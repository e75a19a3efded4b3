import { describe, expect, it } from 'vitest'
import { bulk, LEADS, listEntries, newLeadTeam } from '../support/jobs.ts'

// A document takes up to six times as much as a text as the database needs for it: `false` is one byte there.

/** 840 KB as it is sent, 140 KB as it is stored. */
const FLAGS = Array.from({ length: 140 }, () => Array.from({ length: 1_000 }, () => false))

const setUp = async () => {
  const team = await newLeadTeam()
  const made = await team.call('POST', LEADS, { data: { flags0: FLAGS }, record: { data: { phone: '919448300001' } } })
  expect(made.errors).toEqual([])
  return { team, id: made.data.id, record: made.data.record.id }
}

const refused = { status: 413, meta: { errors: [{ code: 'request_too_large' }] } }

describe('a document that would be too large as a text', () => {
  it.each([1, 3])('is refused by an update of a process, and stays as it was: %d more', async count => {
    const { team, id } = await setUp()
    for (let nth = 1; nth <= count; nth++)
      expect(await team.call('PUT', `${LEADS}/${id}`, { data: { [`flags${nth}`]: FLAGS } })).toMatchObject(refused)
    expect(Object.keys((await team.call('GET', `${LEADS}/${id}`)).data.data)).toEqual(['flags0'])
  })

  it('is refused by an update of a customer, and by a merge', async () => {
    const { team, record } = await setUp()
    const update = (name: string) => team.call('PUT', `/v1/ext/record/${record}`, { data: { [name]: FLAGS } })
    expect((await update('flags1')).status).toBe(200)
    expect(await update('flags2')).toMatchObject(refused)
    const data = { phone: '919448300001', flags3: FLAGS }
    expect(await team.call('POST', LEADS, { record: { data } })).toMatchObject(refused)
    expect((await team.call('GET', `/v1/ext/record/${record}`)).status).toBe(200)
  })

  it('is refused by entries of a job, one after the other', async () => {
    const { team, id } = await setUp()
    const processes = [1, 2, 3].map(nth => ({ id, data: { [`flags${nth}`]: FLAGS } }))
    const job = await bulk(team, 'PATCH', { processes: [...processes, { id, data: { city: 'Ulm' } }] })
    const entries = await listEntries(team, job.data.id)
    expect(entries.map((entry: { completionStatus: string }) => entry.completionStatus)).toEqual([
      ...processes.map(() => 'ERROR'),
      'SUCCESS',
    ])
    expect(Object.keys((await team.call('GET', `${LEADS}/${id}`)).data.data)).toEqual(['flags0', 'city'])
  })
})
