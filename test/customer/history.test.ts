import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { LEADS, newLeadTeam, waitForJob } from '../support/jobs.ts'
import { newNumber } from '../support/provider.ts'

const RECORD = '/v1/ext/record'

interface Entry {
  version: number
  type: string
  sequence: number
  by: { user: string | null; job: string | null; entry: number | null }
  changes: { field: string; from: unknown; to: unknown }[]
}

async function setUp() {
  const team = await newLeadTeam()
  const phone = newNumber()
  const { record } = (await team.call('POST', LEADS, { record: { data: { phone } } })).data
  const id: string = record.id
  const update = (data: object) => team.call('PUT', `${RECORD}/${id}`, { data })
  return { team, phone, id, update }
}

/** Loads all pages, with the meta of the last one. */
async function loadHistory(team: Team, id: string, limit: number) {
  const entries: Entry[] = []
  let cursor: string | null = ''
  let isComplete: boolean | undefined
  while (cursor !== null) {
    const path = `${RECORD}/${id}/history?limit=${limit}${cursor && `&cursor=${cursor}`}`
    const { data, meta, status } = await team.call('GET', path)
    expect([status, meta.hasMore]).toEqual([200, meta.next !== null])
    entries.push(...data)
    cursor = meta.next
    isComplete = meta.isComplete
  }
  return { entries, isComplete }
}

describe('the history of a customer', () => {
  it('is empty, and complete, where nothing was changed', async () => {
    const { team, id } = await setUp()
    expect(await loadHistory(team, id, 10)).toEqual({ entries: [], isComplete: true })
  })

  it('has each change once, newest first, page by page, and undone they lead to the first values', async () => {
    const { team, phone, id, update } = await setUp()
    const before = (await team.call('GET', `${RECORD}/${id}`)).data.data
    await update({ name: 'Asha', city: 'Pune' })
    await update({ city: 'Goa' })
    await update({ city: 'Goa' })
    await update({ city: null, tags: ['a', 'b'] })
    await team.call('POST', LEADS, { record: { data: { phone, name: 'Asha Rao' } } })
    const whole = await loadHistory(team, id, 100)
    expect(whole.isComplete).toBe(true)
    expect(whole.entries.map(({ version }) => version)).toEqual([6, 5, 3, 2])
    expect(whole.entries.map(({ type }) => type)).toEqual(Array(4).fill('record.updated'))
    for (const limit of [1, 2, 3]) expect([limit, await loadHistory(team, id, limit)]).toEqual([limit, whole])
    const data = new Map<string, unknown>(Object.entries((await team.call('GET', `${RECORD}/${id}`)).data.data))
    for (const { changes } of whole.entries)
      for (const { field, from, to } of changes) {
        const name = field.replace(/^data\./, '')
        expect([name, data.get(name) ?? null]).toEqual([name, to])
        if (from === null) data.delete(name)
        else data.set(name, from)
      }
    expect(Object.fromEntries(data)).toEqual(before)
  })

  it('names the entry of the job', async () => {
    const { team, phone, id } = await setUp()
    const entries = [{ data: {} }, { data: {}, record: { data: { phone, name: 'Ravi' } } }]
    const job = await waitForJob(team, (await team.call('POST', `${LEADS}/bulk-create`, entries)).data.id)
    const { entries: history } = await loadHistory(team, id, 10)
    expect(history.map(({ by: { job, entry } }) => ({ job, entry }))).toEqual([{ job: job.data.id, entry: 1 }])
  })

  it('is a 404 for another team, as for an unknown one, and so is that of an erased one', async () => {
    const { team, id, update } = await setUp()
    await update({ name: 'Asha' })
    const other = await newTeam()
    for (const wanted of [id, crypto.randomUUID(), 'nobody']) {
      const reply = await other.call('GET', `${RECORD}/${wanted}/history`)
      expect([reply.status, reply.errors]).toEqual([404, [`record ${wanted} not found`]])
    }
    await team.call('DELETE', `${RECORD}/${id}`)
    expect((await team.call('GET', `${RECORD}/${id}/history`)).status).toBe(404)
  })

  it('shows nothing of another customer by a cursor of theirs', async () => {
    const { team, id, update } = await setUp()
    const theirs = await setUp()
    await update({ name: 'Asha' })
    await update({ name: 'Asha Rao' })
    const { meta } = await team.call('GET', `${RECORD}/${id}/history?limit=1`)
    const own = await team.call('POST', LEADS, { record: { data: { phone: newNumber() } } })
    for (const [asking, wanted] of [
      [team, own.data.record.id],
      [theirs.team, theirs.id],
    ] as const) {
      const reply = await asking.call('GET', `${RECORD}/${wanted}/history?cursor=${meta.next}`)
      expect([reply.status, reply.data]).toEqual([200, []])
    }
  })
})
