import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { JOBS, LEADS, newLeadTeam } from '../support/jobs.ts'
import { connectPlugin, newNumber } from '../support/provider.ts'
import { tablesWith } from '../support/tables-with.ts'

// Jobs that were accepted before a customer was erased, and are run or retried after it.

const RECORD = '/v1/ext/record'
const ROUNDS_MAX = 30

async function start() {
  const team = await newLeadTeam()
  const [phone, name] = [newNumber(), `Asha ${newNumber()}`]
  const { data } = await team.call('POST', LEADS, { data: { lead_id: 'first' }, record: { data: { phone } } })
  return { team, phone, name, record: data.record.id as string }
}

const erase = async (team: Team, id: string): Promise<void> => {
  const erased = await team.call('DELETE', `${RECORD}/${id}`)
  expect(erased.status).toBe(202)
}

/** The task goes on until nothing is left of the erasure. */
async function untilErased(team: Team, id: string): Promise<void> {
  const harness = new Harness()
  for (let round = 0; round < ROUNDS_MAX; round++) {
    await harness.runCron()
    if ((await team.call('DELETE', `${RECORD}/${id}`)).status === 404) return
  }
  throw new Error('the erasure never ends')
}

/** Erases a customer once, before the first call of the database that a text stands in. */
const erasing = (sql: string, act: () => Promise<unknown>) => {
  let isDone = false
  return {
    isDone: () => isDone,
    before: async (call: { kind: string; sql: string }) => {
      if (isDone || call.kind !== 'database' || !call.sql.includes(sql)) return
      isDone = true
      await act()
    },
  }
}

interface ShownEntry {
  completionStatus: string
  completionMessage: string
  data: { apiData: Record<string, unknown> }
}

const listEntries = async (team: Team, job: string): Promise<ShownEntry[]> =>
  (await team.call('GET', `${JOBS}/${job}/entries?limit=100`)).data

const expectNotStored = async (...texts: string[]): Promise<void> => {
  expect([texts, await tablesWith(...texts)]).toEqual([texts, []])
}

const entriesNaming = (phone: string, name: string, record: string) => [
  { data: { lead_id: '1' }, record: { data: { phone: `+${phone.slice(0, 4)} ${phone.slice(4)}`, name } } },
  { data: { lead_id: '2' }, record: { id: record } },
  { data: { lead_id: '3' }, record: { data: { phone: newNumber() } } },
]

/** Each names the person in one spelling that the API takes for the number or address, or within a text. */
function spellPerson({ phone, email, record }: { phone: string; email: string; record: string }) {
  const [country, area, rest] = [phone.slice(0, 2), phone.slice(2, 5), phone.slice(5)]
  const numbers = [
    `+${country} (0)${area} ${rest}`,
    ...['\u2013', '\u2011', ',', '\t', '\n', ' ext. '].map(between => `+${country} ${area}${between}${rest}`),
    Number(phone),
    -Number(phone),
  ]
  const texts = [
    ...numbers.slice(0, -3).map(number => `Call:\n${number}, please`),
    `Contact:\r\n${record}`,
    `Contact:\t${email.toUpperCase()}.`,
  ]
  return [
    ...numbers.map(number => ({ data: {}, record: { data: { phone: number, name: 'Asha' } } })),
    { data: {}, record: { data: { email, name: 'Asha' } } },
    ...texts.map(city => ({ data: { city } })),
  ]
}

describe('an entry that was accepted before the erasure', () => {
  it.each([
    ['before the task has come to its job', false],
    ['after that', true],
  ])('is refused when it is run %s, and makes nothing of the person; others are run', async (_when, isSwept) => {
    const { team, phone, name, record } = await start()
    const harness = new Harness()
    const processes = entriesNaming(phone, name, record)
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await erase(team, record)
    if (isSwept) await untilErased(team, record)
    await harness.settle(team)
    if (!isSwept) await untilErased(team, record)
    await expectNotStored(phone, name)
    expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toEqual([])
    const entries = await listEntries(team, body._data.id)
    expect(entries.map(each => each.completionStatus)).toEqual(['ERROR', 'ERROR', 'SUCCESS'])
    expect(entries[0]?.completionMessage).toContain('erased')
    expect(entries[0]?.data.apiData).toMatchObject({ isErased: true })
  })

  it('is refused where the erasure comes between its reading and its writing', async () => {
    const { team, phone, name, record } = await start()
    const erasure = erasing('INTO "job_outcome"', () => erase(team, record))
    const harness = new Harness({}, { before: erasure.before })
    const processes = entriesNaming(phone, name, record)
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await harness.settle(team)
    expect(erasure.isDone()).toBe(true)
    await untilErased(team, record)
    await expectNotStored(phone, name)
    const entries = await listEntries(team, body._data.id)
    expect(entries.map(each => each.completionStatus)).toEqual(['ERROR', 'ERROR', 'SUCCESS'])
  })

  it('is refused however it spells the number, the address or the id, and emptied if it was run before', async () => {
    const team = await newLeadTeam()
    const phone = newNumber()
    const email = `"o'brien \\ asha" <${crypto.randomUUID()}@müller.example>`
    const { data } = await team.call('POST', LEADS, { record: { data: { phone, email } } })
    const record: string = data.record.id
    const harness = new Harness()
    const processes = spellPerson({ phone, email, record }).map((each, nth) => ({
      ...each,
      data: { ...each.data, lead_id: `${nth}` },
    }))
    const before = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await harness.settle(team)
    expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toHaveLength(1)
    const late = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await erase(team, record)
    await harness.settle(team)
    await untilErased(team, record)
    const told = async (job: string) =>
      (await listEntries(team, job)).map(({ completionStatus, data: { apiData } }, nth) => [
        processes[nth],
        completionStatus,
        apiData.isErased,
      ])
    expect(await told(before.body._data.id)).toEqual(processes.map(each => [each, 'SUCCESS', true]))
    expect(await told(late.body._data.id)).toEqual(processes.map(each => [each, 'ERROR', true]))
    expect((await team.call('GET', `${RECORD}?phone=${phone}`)).data).toEqual([])
  })

  // The number has another position in the base64 of an id for each length.
  it.each([11, 12, 13])(
    'is run where it names another one, whose number or address has that of the person in it: %i digits',
    async digits => {
      const team = await newLeadTeam()
      const phone = newNumber().slice(0, digits)
      const email = `asha.${crypto.randomUUID().slice(0, 8)}@example.com`
      const own = { phone, email }
      const { data } = await team.call('POST', LEADS, { record: { data: own } })
      const harness = new Harness()
      const longer = [`${phone}7`, `1${phone}`].map((number, nth) => ({
        data: { lead_id: `${nth}`, city: `wamid.${btoa(`x${number}`)}` },
        record: { data: { phone: number, email: `x.${email}` } },
      }))
      const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes: longer })
      await erase(team, data.record.id)
      await harness.settle(team)
      await untilErased(team, data.record.id)
      const entries = await listEntries(team, body._data.id)
      expect(entries.map(each => each.completionStatus)).toEqual(['SUCCESS', 'SUCCESS'])
      expect(entries.map(each => each.data.apiData.isErased)).toEqual([undefined, undefined])
    },
  )

  it('sends no message, and one in flight is stored without its recipient', async () => {
    const { team, record, phone } = await start()
    const whatsapp = await connectPlugin(team)
    const others = newNumber()
    const body = { entries: [whatsapp.entry(phone), whatsapp.entry(others)] }
    const queued = new Harness()
    const first = await queued.request(team, 'POST', JOBS, body)
    let erasures = 0
    const harness = new Harness(
      {},
      {
        before: async ({ kind }) => {
          if (kind !== 'provider' || erasures > 0) return
          erasures++
          await erase(team, record)
          await untilErased(team, record)
        },
      },
    )
    const second = await harness.request(team, 'POST', JOBS, body)
    await harness.settle(team)
    expect(erasures).toBe(1)
    await queued.settle(team)
    await whatsapp.flush()
    await expectNotStored(phone, btoa(phone).replace(/=+$/, ''))
    const statuses = async (id: string) => (await listEntries(team, id)).map(each => each.completionStatus)
    expect(await statuses(first.body._data.id)).toEqual(['ERROR', 'SUCCESS'])
    expect(await statuses(second.body._data.id)).toEqual(['SUCCESS', 'SUCCESS'])
    const { data } = await whatsapp.received()
    expect(data.map(({ to }) => to).sort()).toEqual([phone, others, others].sort())
  })
})

describe('a retry of entries that failed before the erasure', () => {
  const failed = async () => {
    const set = await start()
    const { team, phone, name } = set
    const harness = new Harness()
    const processes = [
      { data: { lead_id: 'first' }, record: { data: { phone, name } } },
      { data: { lead_id: 'first', city: 'Pune' } },
    ]
    const { body } = await harness.request(team, 'POST', `${LEADS}/bulk-create`, { processes })
    await harness.settle(team)
    const job = body._data.id as string
    expect((await listEntries(team, job)).map(each => each.completionStatus)).toEqual(['ERROR', 'ERROR'])
    await team.call('DELETE', `${LEADS}/lead_id/first`)
    return { ...set, job }
  }

  it.each([
    ['is asked for after it', false],
    ['reads them before it', true],
  ])('has nothing of the person, where it %s', async (_when, isBetween) => {
    const { team, job, phone, name, record } = await failed()
    const erasure = erasing('INSERT INTO "background_job"', () => erase(team, record))
    if (!isBetween) await erase(team, record)
    const harness = new Harness({}, isBetween ? { before: erasure.before } : {})
    const retried = await harness.request(team, 'POST', `${JOBS}/${job}/retry`)
    expect([retried.status, erasure.isDone()]).toEqual([202, isBetween])
    await harness.settle(team)
    await untilErased(team, record)
    await expectNotStored(phone, name)
    const entries = await listEntries(team, retried.body._data.id)
    expect(entries.map(each => each.completionStatus)).toEqual(['ERROR', 'SUCCESS'])
    expect(entries[0]?.data.apiData).toMatchObject({ isErased: true })
  })
})
