import { afterEach, describe, expect, it, vi } from 'vitest'
import { HOUR_MS } from '../../src/time-units.ts'
import { request } from '../support/api.ts'
import {
  ATTRIBUTES,
  archivesWith,
  createLead,
  eraseEverywhere,
  expectNothingLeft,
  personalTeam,
  RECORD,
  somePerson,
  untilErased,
  word,
} from '../support/erasing.ts'
import { loadShownEvents, switchFeed } from '../support/feed.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'
import { tablesWith } from '../support/tables-with.ts'

// A customer is erased everywhere: the personal attributes of their processes are emptied, wherever their values stand.

afterEach(() => void vi.useRealTimers())

const list = async (team: Awaited<ReturnType<typeof personalTeam>>, query: object) =>
  (await team.call('POST', `${LEADS}/list`, query)).data

describe('the processes of a customer who is erased everywhere', () => {
  it('have no personal attributes any more, and all others, and cannot be found by the erased values', async () => {
    const team = await personalTeam()
    const [person, others] = [somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', city: 'Pune', score: 7, ...person })
    const other = await createLead(team, { lead_id: 'B', city: 'Pune', ...others })
    const nobodys = await createLead(team, { lead_id: 'C', name: word('Ravi') }, { record: null })
    const erased = await eraseEverywhere(team, made.record.id)
    expect(erased.data).toMatchObject({ id: made.record.id, everywhere: true, processes: 1 })
    const left = await team.call('GET', `${LEADS}/${made.id}`)
    expect(left.data).toEqual({
      ...made,
      data: { lead_id: 'A', city: 'Pune', score: 7 },
      record: null,
      updatedAt: left.data.updatedAt,
    })
    expect(left.data.updatedAt).toBeGreaterThanOrEqual(made.updatedAt)
    for (const each of [other, nobodys]) expect((await team.call('GET', `${LEADS}/${each.id}`)).data).toEqual(each)
    for (const where of [{ name: person.name }, { phone_number: person.phone_number }, { tags: person.tags[0] }])
      expect(await list(team, { where })).toEqual([])
    expect(await list(team, { where: { name: null } })).toHaveLength(1)
    expect(await list(team, { search: person.name })).toEqual([])
    expect((await list(team, { search: 'pune' })).map(({ id }: { id: string }) => id)).toEqual([other.id, made.id])
    await untilErased(team, made.record.id)
    await expectNothingLeft(person)
    for (const text of [others.name, others.address]) expect(await tablesWith(text)).toContain('process')
  })

  it('have none in history and events, before and after each change; each change keeps its number', async () => {
    const team = await personalTeam()
    await switchFeed(team)
    const [first, second, third] = [somePerson(), somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', city: 'Pune', ...first })
    const at = `${LEADS}/${made.id}`
    await team.call('PUT', at, { data: { ...second, phone_number: first.phone_number, city: 'Oslo' } })
    await team.call('PUT', at, { data: { score: 1, address: null, name: third.name } })
    await team.call('PUT', at, { data: { city: 'Rome', score: null, about: third.about } })
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft(first, second, third)
    const history = await team.call('GET', `${at}/history?limit=50`)
    expect(history.data.map(({ version, type, changes }: Record<string, unknown>) => [version, type, changes])).toEqual(
      [
        [5, 'process.updated', []],
        [
          4,
          'process.updated',
          [
            { field: 'data.city', from: 'Oslo', to: 'Rome' },
            { field: 'data.score', from: 1, to: null },
          ],
        ],
        [3, 'process.updated', [{ field: 'data.score', from: null, to: 1 }]],
        [2, 'process.updated', [{ field: 'data.city', from: 'Pune', to: 'Oslo' }]],
        [
          1,
          'process.created',
          expect.arrayContaining([
            { field: 'data.city', from: null, to: 'Pune' },
            { field: 'data.lead_id', from: null, to: 'A' },
          ]),
        ],
      ],
    )
    for (const [version, data] of [
      [1, { lead_id: 'A', city: 'Pune' }],
      [3, { lead_id: 'A', city: 'Oslo', score: 1 }],
      [5, { lead_id: 'A', city: 'Rome' }],
    ])
      expect((await team.call('GET', `${at}?asOf=${version}`)).data.data).toEqual(data)
    const told = await loadShownEvents(team)
    expect(told.map(({ sequence }) => sequence)).toEqual(told.map((_, nth) => nth + 1))
    expect(told.at(-1)).toMatchObject({ type: 'process.updated', data: { changes: [], process: { record: null } } })
  })

  it('have none in the trash, whose restored ones have none, and no customer', async () => {
    const team = await personalTeam()
    const [person, former, others] = [somePerson(), somePerson(), somePerson()]
    const { record } = await createLead(team, { lead_id: 'A', phone_number: person.phone_number })
    const made = await createLead(team, { lead_id: 'B', city: 'Pune', ...former, phone_number: person.phone_number })
    await team.call('PUT', `${LEADS}/${made.id}`, { data: person })
    const other = await createLead(team, { lead_id: 'C', ...others })
    for (const { id } of [made, other]) await team.call('DELETE', `${LEADS}/${id}`)
    const erased = await eraseEverywhere(team, record.id)
    expect(erased.data.processes).toBe(2)
    await untilErased(team, record.id)
    await expectNothingLeft(person, { ...former, phone_number: person.phone_number })
    const restored = await team.call('POST', `${LEADS}/${made.id}/restore`)
    expect([restored.status, restored.data.data, restored.data.record]).toEqual([
      200,
      { lead_id: 'B', city: 'Pune' },
      null,
    ])
    const othersRestored = await team.call('POST', `${LEADS}/${other.id}/restore`)
    expect(othersRestored.data.data).toEqual(other.data)
    expect(othersRestored.data.record.id).toBe(other.record.id)
  })

  it('have no primary key any more, where it is personal', async () => {
    const team = await personalTeam()
    const [key, phone] = [word('passport'), newNumber()]
    const attributes = [{ shortId: 'passport', type: 'string', personal: true }, ...ATTRIBUTES.slice(1)]
    await team.call('PUT', '/v1/ext/procedure/guest', {
      name: 'Guest',
      states: [{ shortId: 'NEW' }, { shortId: 'GONE' }],
      startState: 'NEW',
      completedState: 'GONE',
      attributes,
      primaryKey: 'passport',
    })
    const guests = '/v1/ext/procedure/guest/process'
    const harness = new Harness()
    const items = [{ data: { passport: key, city: 'Pune' }, record: { data: { phone } } }]
    await harness.request(team, 'POST', `${guests}/bulk-create`, { processes: items })
    await harness.settle(team)
    const made = (await team.call('GET', `${guests}/passport/${key}`)).data
    await harness.request(team, 'PATCH', guests, { processes: [{ passport: key, update: { data: { city: 'Oslo' } } }] })
    await harness.settle(team)
    await team.call('PUT', `${guests}/${made.id}`, { data: { passport: `${key}x` } })
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft(key)
    expect((await team.call('GET', `${guests}/${made.id}`)).data.data).toEqual({ city: 'Oslo' })
    expect((await team.call('GET', `${guests}/${made.id}?asOf=1`)).data.data).toEqual({ city: 'Pune' })
    const again = await team.call('POST', guests, { data: { passport: key } })
    expect(again.status).toBe(201)
  })

  it('include those of all who were merged into the customer', async () => {
    const team = await personalTeam()
    const [one, other, deleted] = [somePerson(), somePerson(), somePerson()]
    const stays = await createLead(team, { lead_id: 'A', ...one })
    const goes = await createLead(team, { lead_id: 'B', ...other })
    const trashed = await createLead(team, { lead_id: 'C', ...deleted, phone_number: other.phone_number })
    await team.call('DELETE', `${LEADS}/${trashed.id}`)
    const merged = await team.call('POST', `${RECORD}/${goes.record.id}/merge`, { into: stays.record.id })
    expect(merged.status).toBe(200)
    await eraseEverywhere(team, stays.record.id)
    await untilErased(team, stays.record.id)
    await expectNothingLeft(one, other, deleted)
    expect((await list(team, {})).map(({ data }: { data: object }) => data)).toEqual([
      { lead_id: 'B' },
      { lead_id: 'A' },
    ])
  })

  it('keep their values where the customer is erased alone', async () => {
    const team = await personalTeam()
    const person = somePerson()
    const made = await createLead(team, { lead_id: 'A', ...person })
    const erased = await team.call('DELETE', `${RECORD}/${made.record.id}`)
    expect([erased.status, erased.data.everywhere]).toEqual([200, false])
    expect((await team.call('GET', `${LEADS}/${made.id}`)).data).toEqual({ ...made, record: null })
  })
})

describe('entries and results of jobs', () => {
  it.each([
    ['in the database', false],
    ['in an archive', true],
  ])('lose the personal values of the person’s processes, %s, and keep everything else', async (_where, isArchived) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const team = await personalTeam()
    const [person, next, refused, others] = [somePerson(), somePerson(), somePerson(), somePerson()]
    const harness = new Harness()
    const { phone_number, ...unnamed } = next
    const create = await harness.request(team, 'POST', `${LEADS}/bulk-create`, {
      processes: [
        { data: { lead_id: 'A', city: 'Pune', ...person } },
        { data: { lead_id: 'B', ...others } },
        ...Array.from({ length: 900 }, (_, nth) => ({ data: { lead_id: `X${nth}` } })),
      ],
    })
    await harness.settle(team)
    const made = (await team.call('GET', `${LEADS}/lead_id/A`)).data
    const update = await harness.request(team, 'PATCH', LEADS, {
      processes: [
        { lead_id: 'A', update: { data: { ...unnamed, score: 3 }, record: { data: { nickname: next.name } } } },
        { id: made.id, update: { data: { score: 'many', name: refused.name } } },
        { lead_id: 'B', update: { data: { name: `${others.name}2` } } },
        { id: made.id, update: { state: 'IN_PROGRESS' } },
      ],
    })
    const upsert = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, {
      processes: [
        { lead_id: 'A', data: { ...unnamed, score: 4 }, record: { data: { nickname: next.name } } },
        { lead_id: 'B', data: { name: `${others.name}3` } },
      ],
    })
    await harness.settle(team)
    if (isArchived) {
      vi.setSystemTime(Date.now() + 2 * HOUR_MS)
      await harness.runCron()
      await harness.runCron()
      expect(await archivesWith(next.address)).toHaveLength(2)
    } else expect(await tablesWith(next.address)).toContain('job_chunk')
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    await expectNothingLeft(person, unnamed, refused.name)
    if (isArchived) expect(await archivesWith(others.name)).toHaveLength(3)
    else expect(await tablesWith(others.name)).toContain('job_chunk')
    const listEntries = async ({ body }: typeof update) =>
      (await team.call('GET', `${JOBS}/${body._data.id}/entries?limit=10`)).data
    const [created] = await listEntries(create)
    expect(created).toMatchObject({ completionStatus: 'SUCCESS', data: { apiData: { isErased: true } } })
    const [first, second, third, fourth] = await listEntries(update)
    expect(first).toMatchObject({
      completionStatus: 'SUCCESS',
      primaryKey: 'A',
      data: { apiData: { primaryKeyValue: 'A', processUpdate: { data: { score: 3 } } } },
    })
    expect(second).toMatchObject({ completionStatus: 'INVALID', completionMessage: '' })
    expect(third.data.apiData.processUpdate.data.name).toBe(`${others.name}2`)
    expect(fourth.data.apiData.processUpdate).toEqual({ state: 'IN_PROGRESS' })
    const [again, other] = await listEntries(upsert)
    expect(again).toMatchObject({ completionStatus: 'SUCCESS', primaryKey: 'A', completionResult: { created: false } })
    expect(again.data.apiData.processUpsert).toEqual({ data: { lead_id: 'A', score: 4 } })
    expect(other.data.apiData.processUpsert.data.name).toBe(`${others.name}3`)
  })

  it('are run without the personal values, and with everything else, if they wait in the queue', async () => {
    const team = await personalTeam()
    const [person, next, others] = [somePerson(), somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', ...person })
    const trashed = await createLead(team, { lead_id: 'T', phone_number: person.phone_number })
    await team.call('DELETE', `${LEADS}/${trashed.id}`)
    await createLead(team, { lead_id: 'B', ...others })
    const harness = new Harness()
    const { phone_number: _, ...unnamed } = next
    const { body } = await harness.request(team, 'PATCH', LEADS, {
      processes: [
        { lead_id: 'A', update: { data: { ...unnamed, score: 3 }, state: 'IN_PROGRESS' } },
        { id: made.id, update: { data: { name: next.name, city: 'Pune' } } },
        { id: trashed.id, update: { isDeleted: false } },
        { id: trashed.id, update: { data: { name: next.name } } },
        { lead_id: 'B', update: { data: { name: 'Ravi' } } },
      ],
    })
    await eraseEverywhere(team, made.record.id)
    await harness.settle(team)
    await untilErased(team, made.record.id)
    await expectNothingLeft(person, unnamed)
    const { data: entries } = await team.call('GET', `${JOBS}/${body._data.id}/entries?limit=10`)
    expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual(
      Array.from({ length: 5 }, () => 'SUCCESS'),
    )
    const left = (await team.call('GET', `${LEADS}/${made.id}`)).data
    expect([left.state, left.data, left.record]).toEqual([
      'IN_PROGRESS',
      { lead_id: 'A', city: 'Pune', score: 3 },
      null,
    ])
    expect((await team.call('GET', `${LEADS}/${trashed.id}`)).data.data).toEqual({ lead_id: 'T' })
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.data.name).toBe('Ravi')
  })

  it('are run without the personal values if they wait to create or update, scheduled by hand or not', async () => {
    const team = await personalTeam()
    const [person, next, others] = [somePerson(), somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', ...person })
    const harness = new Harness()
    const { phone_number: _, ...unnamed } = next
    const ofPerson = { data: { lead_id: 'A', ...unnamed, score: 3 }, state: 'IN_PROGRESS' }
    const ofOthers = { data: { lead_id: 'B', name: others.name } }
    const sent = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, [ofPerson, ofOthers])
    const scheduled = await harness.request(team, 'POST', JOBS, {
      entries: [{ ...ofPerson, data: { ...ofPerson.data, city: 'Pune' } }, ofOthers].map(processUpsert => ({
        apiType: 'PROCESS_UPSERT',
        apiData: { procedureId: 'lead', processUpsert },
      })),
    })
    await eraseEverywhere(team, made.record.id)
    await harness.settle(team)
    await untilErased(team, made.record.id)
    await expectNothingLeft(person, unnamed)
    for (const { body } of [sent, scheduled]) {
      const { data: entries } = await team.call('GET', `${JOBS}/${body._data.id}/entries?limit=10`)
      expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual(['SUCCESS', 'SUCCESS'])
    }
    const left = (await team.call('GET', `${LEADS}/${made.id}`)).data
    expect([left.state, left.data]).toEqual(['IN_PROGRESS', { lead_id: 'A', city: 'Pune', score: 3 }])
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.data.name).toBe(others.name)
  })

  it.each([
    ['cells', 'text/csv', 'B,other,1', (name: string) => `lead_id,name\nA,${name},1\nB,other,1\n`],
    [
      'broken lines',
      'application/x-ndjson',
      'other row',
      (name: string) => `{"data": {"name": "${name}", "lead_id" : "A"\n{"lead_id": "B", "name": "other row"\n`,
    ],
  ])('are emptied where they could not be read and their %s name the process', async (_, type, others, write) => {
    const team = await personalTeam()
    const made = await createLead(team, { lead_id: 'A', phone_number: newNumber() })
    const name = `name-${newNumber()}`
    const reply = await request('POST', `${LEADS}/bulk-upsert`, {
      headers: { authorization: `Bearer ${team.token}`, 'content-type': type },
      body: write(name),
    })
    expect(reply.status).toBe(202)
    await eraseEverywhere(team, made.record.id)
    await untilErased(team, made.record.id)
    expect(await tablesWith(name)).toEqual([])
    expect(await tablesWith(others)).toEqual(['job_chunk'])
  })

  it('are emptied where they wait to create or update and the primary key is personal', async () => {
    const team = await personalTeam({
      attributes: ATTRIBUTES.map(each => (each.shortId === 'lead_id' ? { ...each, personal: true } : each)),
    })
    const key = `key-${newNumber()}`
    const made = await createLead(team, { lead_id: key, phone_number: newNumber() })
    const harness = new Harness()
    const items = [{ lead_id: key, data: { score: 3 } }, { lead_id: 'other' }]
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-upsert`, items)
    await eraseEverywhere(team, made.record.id)
    await harness.settle(team)
    await untilErased(team, made.record.id)
    expect(await tablesWith(key)).toEqual([])
    const { data: entries } = await team.call('GET', `${JOBS}/${body._data.id}/entries?limit=10`)
    expect(entries[0]).toMatchObject({ completionStatus: 'ERROR', data: { apiData: { isErased: true } } })
    expect(entries[1].completionStatus).toBe('SUCCESS')
  })
})

describe('a message to a process of the person', () => {
  it('is not sent if a job has yet to send it', async () => {
    const team = await personalTeam()
    const whatsapp = await connectPlugin(team)
    const person = somePerson()
    const made = await createLead(team, { lead_id: 'A', ...person })
    const harness = new Harness()
    const message = { whatsappPhoneNumberId: whatsapp.phone.id, templateName: 'hello_world' }
    const processes = [{ id: made.id, mapping: [] }]
    const path = `${whatsapp.base}/process/lead/bulk-send-template-message`
    const { status, body } = await harness.request(team, 'POST', path, { ...message, processes })
    expect(status).toBe(202)
    await eraseEverywhere(team, made.record.id)
    await harness.settle(team)
    await untilErased(team, made.record.id)
    expect((await whatsapp.received()).received).toBe(0)
    const { data: entries } = await team.call('GET', `${JOBS}/${body._data.id}/entries`)
    expect(entries[0].completionStatus).toBe('ERROR')
    await expectNothingLeft(person)
  })
})

describe('the response to an erasure everywhere', () => {
  it('says what remains, and until when', async () => {
    const team = await personalTeam()
    const made = await createLead(team, { lead_id: 'A', ...somePerson() })
    const before = Date.now()
    const { data } = await eraseEverywhere(team, made.record.id)
    const until = Object.fromEntries(
      data.remains.map((each: { what: string; until: number | null }) => [each.what, each.until]),
    )
    const DAY_MS = 24 * HOUR_MS
    expect(until).toMatchObject({ process_data: null, opt_out: null })
    for (const [what, days] of [
      ['history', 365 + 31],
      ['job_entries', 30],
      ['trash', 90],
      ['idempotency_records', 1],
      ['tombstone', 35],
      ['backups', 30],
    ] as const) {
      expect([what, until[what] >= before + days * DAY_MS]).toEqual([what, true])
      expect([what, until[what] <= Date.now() + days * DAY_MS]).toEqual([what, true])
    }
  })

  it('is a refusal for those who may not also purge processes', async () => {
    const team = await personalTeam()
    const made = await createLead(team, { lead_id: 'A', ...somePerson() })
    const manager = await team.as('manager')
    const refused = await eraseEverywhere(manager, made.record.id)
    expect([refused.status, refused.meta.errors[0]]).toMatchObject([
      403,
      { permission: 'process:purge', path: '/query/everywhere' },
    ])
    expect((await team.call('GET', `${LEADS}/${made.id}`)).data).toEqual(made)
    expect((await eraseEverywhere(await personalTeam(), made.record.id)).status).toBe(404)
    const wrong = await team.call('DELETE', `${RECORD}/${made.record.id}?everywhere=yes`)
    expect([wrong.status, wrong.meta.errors[0].path]).toEqual([400, '/query/everywhere'])
    expect((await manager.call('DELETE', `${RECORD}/${made.record.id}`)).status).toBe(200)
  })
})
