import { describe, expect, it } from 'vitest'
import { CaseworkerError, type Fetch } from '../../src/client/client.ts'
import { collected, createClient, toWorker, troubled } from '../support/client.ts'
import { newLeadTeam } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'

async function start(fetch: Fetch = toWorker) {
  const team = await newLeadTeam()
  const client = createClient(team, { fetch })
  const leads = client.processes('lead')
  const { id } = await leads.bulkCreate(['A', 'B', 'C'].map(lead_id => ({ lead_id, data: { score: 1, city: 'Goa' } })))
  await client.jobs.wait(id)
  const scores = async () =>
    Object.fromEntries((await leads.list().all()).map(({ data }) => [data.lead_id, data.score]))
  return { team, client, leads, scores }
}

describe('a dry run by the client', () => {
  it('says what a bulk request would do, entry by entry and counted, and changes nothing', async () => {
    const { leads, scores } = await start()
    const plan = await leads.planUpdate([
      { lead_id: 'A', data: { score: 2, city: 'Pune' } },
      { lead_id: 'B', data: { score: 1 } },
      { lead_id: 'C', isDeleted: true },
      { lead_id: 'NOBODY', data: { score: 1 } },
      { lead_id: 'A', data: { score: 'high' } },
    ])
    expect(await scores()).toEqual({ A: 1, B: 1, C: 1 })
    expect(plan.job).toMatchObject({ id: plan.id, dryRun: true })
    expect(plan.counts).toMatchObject({ SUCCESS: 3, ERROR: 1, INVALID: 1 })
    expect(plan.sample).toMatchObject([
      {
        index: 0,
        action: 'update',
        primaryKey: 'A',
        changes: [
          { field: 'data.score', from: 1, to: 2 },
          { field: 'data.city', from: 'Goa', to: 'Pune' },
        ],
      },
      { index: 2, action: 'delete', primaryKey: 'C', changes: [{ field: 'isDeleted', from: false, to: true }] },
    ])
    expect(plan.failures.map(({ code, count }) => [code, count])).toEqual([
      ['not_found', 1],
      ['invalid_request', 1],
    ])
    expect((await collected(plan.entries())).map(({ action }) => action)).toEqual([
      'update',
      'same',
      'delete',
      null,
      null,
    ])
    expect(await plan.summarize()).toEqual({
      create: 0,
      update: 1,
      same: 1,
      delete: 1,
      restore: 0,
      send: 0,
      none: 0,
      fail: 2,
      fields: { 'data.score': 1, 'data.city': 1, isDeleted: 1 },
    })
  })

  it('counts data of a customer as a change, and what is not written as none', async () => {
    const { client, leads } = await start()
    const customer = (name: string) => ({ lead_id: 'A', record: { data: { phone: '+919876543210', name } } })
    await client.jobs.wait((await leads.bulkUpdate([customer('Asha')])).id)
    const plan = await leads.planUpdate([customer('Asha Rao'), { lead_id: 'B', isDeleted: false }])
    expect(await plan.summarize()).toMatchObject({ update: 1, same: 0, none: 1, restore: 0, fields: {} })
    expect(plan.sample).toMatchObject([{ index: 0, action: 'update', changes: [] }])
  })

  it('is applied as a job, where nobody has changed anything since', async () => {
    const { client, leads, scores } = await start()
    const plan = await leads.planUpsert([
      { lead_id: 'A', data: { score: 2 } },
      { lead_id: 'B', data: { score: 3 } },
      { lead_id: 'N', data: { score: 4 } },
    ])
    expect(plan.sample.map(({ action, process }) => [action, process === null])).toEqual([
      ['update', false],
      ['update', false],
      ['create', true],
    ])
    await leads.update({ lead_id: 'B' }, { data: { city: 'Pune' } })
    const job = await client.jobs.wait((await plan.apply()).id)
    expect(job).toMatchObject({ applyOf: plan.id, counts: { SUCCESS: 2, ERROR: 1 } })
    expect(await scores()).toEqual({ A: 2, B: 1, C: 1, N: 4 })
    await expect(plan.apply()).rejects.toMatchObject({ code: 'conflict' })
  })

  it('can be made of a query, of creations and of scheduled entries, and loaded again by the id of its job', async () => {
    const { client, leads, scores } = await start()
    const byQuery = await leads.planUpdateWhere({ city: 'Goa' }, { isDeleted: true })
    expect(byQuery.sample.map(({ action }) => action)).toEqual(['delete', 'delete', 'delete'])
    const creation = await leads.planCreate([{ lead_id: 'A' }, { lead_id: 'N', data: { score: 1 } }])
    expect(creation.counts).toMatchObject({ SUCCESS: 1, ERROR: 1 })
    const again = await client.jobs.plan(creation.id)
    expect([again.sample, again.failures]).toEqual([creation.sample, creation.failures])
    const apiData = {
      procedureId: 'lead',
      primaryKeyShortId: 'lead_id',
      primaryKeyValue: 'A',
      processUpdate: { data: { score: 9 } },
    }
    const scheduled = await client.jobs.schedule(
      { entries: [{ apiType: 'PROCESS_UPDATE', apiData }] },
      { dryRun: true },
    )
    expect((await client.jobs.plan(scheduled.id)).sample).toMatchObject([{ action: 'update', primaryKey: 'A' }])
    expect(await scores()).toEqual({ A: 1, B: 1, C: 1 })
    const real = await leads.bulkUpdate([{ lead_id: 'A', data: { score: 5 } }])
    await expect(client.jobs.plan(real.id)).rejects.toMatchObject({ code: 'invalid_call' })
  })

  it('has a sample of changes, however many entries before them change nothing', async () => {
    const { leads } = await start()
    const same = Array.from({ length: 130 }, () => ({ lead_id: 'A', data: { score: 1 } }))
    const plan = await leads.planUpdate([...same, { lead_id: 'B', data: { score: 9 } }, ...same])
    expect(plan.sample.map(({ index, primaryKey }) => [index, primaryKey])).toEqual([[130, 'B']])
  })

  it('shows recipient and text of each message', async () => {
    const { team, client, leads } = await start()
    const whatsapp = await connectPlugin(team)
    const phone = newNumber()
    await leads.update({ lead_id: 'A' }, { record: { data: { phone_number: phone } } })
    const plan = await client.messages.planMany(whatsapp.id, 'lead', {
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
      processes: [{ lead_id: 'A' }, { lead_id: 'B' }],
    })
    expect(plan.sample).toMatchObject([
      { action: 'send', primaryKey: 'A', changes: [{ field: 'recipient', to: phone }, { field: 'text' }] },
    ])
    expect(plan.failures).toMatchObject([{ code: 'no_phone_number', count: 1 }])
    expect(await client.messages.list({ phoneNumber: phone }).all()).toEqual([])
    const job = await client.jobs.wait((await plan.apply()).id)
    expect(job.counts).toMatchObject({ SUCCESS: 1, ERROR: 1 })
    expect(await client.messages.list({ phoneNumber: phone }).all()).toHaveLength(1)
  })
})

async function* inPieces(text: string, bytes: number) {
  const all = new TextEncoder().encode(text)
  for (let at = 0; at < all.length; at += bytes) yield all.subarray(at, at + bytes)
}

describe('a file as the items of a bulk request', () => {
  const CSV = 'lead_id,score\nA,7\nN,8\n'
  const LINES = '{"lead_id": "A", "data": {"score": 7}}\n{"lead_id": "N", "data": {"score": 8}}\n'

  it('is sent as it is: a text, a Blob, a stream or pieces of it', async () => {
    const { client, leads, scores } = await start()
    const files = [
      { csv: CSV },
      { csv: new Blob([CSV]) },
      { csv: new Blob([CSV]).stream() },
      { csv: inPieces(CSV, 5) },
      { ndjson: LINES },
      { ndjson: inPieces(LINES, 7) },
    ]
    for (const file of files) {
      const plan = await leads.planUpsert(file)
      expect(
        plan.sample.map(({ action, changes }) => [action, changes.find(({ field }) => field === 'data.score')?.to]),
      ).toEqual([
        ['update', 7],
        ['create', 8],
      ])
    }
    expect(await client.jobs.wait((await leads.bulkUpsert({ csv: CSV })).id)).toMatchObject({ total: 2 })
    expect(await scores()).toEqual({ A: 7, B: 1, C: 1, N: 8 })
    await client.jobs.wait((await leads.bulkUpdate({ ndjson: inPieces('{"lead_id":"A","isDeleted":true}', 4) })).id)
    expect(await scores()).toEqual({ B: 1, C: 1, N: 8 })
    const created = await leads.planCreate({ csv: CSV })
    expect(created.counts).toMatchObject({ SUCCESS: 1, ERROR: 1 })
  })

  it('is read by the options for its format, where that cannot be detected', async () => {
    const { leads, scores } = await start()
    const csv = new Blob([Uint8Array.from('lead_id|city|score\nA|K\xf6ln|1,234\n', each => each.charCodeAt(0))])
    const file = { csv, delimiter: '|', charset: 'windows-1252' }
    await expect(leads.planUpdate(file)).rejects.toMatchObject({ code: 'invalid_request' })
    const { sample } = await leads.planUpdate({ ...file, decimal: 'point' })
    expect(sample[0]?.changes).toEqual([
      { field: 'data.city', from: 'Goa', to: 'Köln' },
      { field: 'data.score', from: 1, to: 1234 },
    ])
    expect(await scores()).toMatchObject({ A: 1 })
  })

  it('is sent again after a failure, with the same key, where it can be read again', async () => {
    const { team } = await start()
    const { tried, fetch } = troubled('answer lost')
    const leads = createClient(team, { fetch }).processes('lead')
    const job = await leads.bulkUpsert({ csv: new Blob([CSV]) })
    expect(job.total).toBe(2)
    expect(tried.map(({ key }) => key === tried[0]?.key)).toEqual([true, true])
    const once = troubled('lost')
    const streaming = createClient(team, { fetch: once.fetch }).processes('lead')
    const failing = streaming.bulkUpsert({ csv: inPieces(CSV, 5) })
    await expect(failing).rejects.toSatisfy(error => error instanceof CaseworkerError && error.is('no_response'))
    expect(once.tried).toHaveLength(1)
  })
})
