import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { bulk, JOBS, leadProcedure, waitForJob } from '../support/jobs.ts'
import { failedNumber, newConnectedTeam, newNumber, refusedNumber } from '../support/provider.ts'

const UNDELIVERABLE = 131026
const NO_ENTRIES = { INVALID: 0, NOT_STARTED: 0, IN_PROGRESS: 0, SUCCESS: 0, ERROR: 0, CANCELLED: 0 }
const LEAD_ATTRIBUTES = [
  { shortId: 'lead_id', type: 'string' },
  { shortId: 'city', type: 'string', indexed: true },
]

async function start() {
  const { team, whatsapp } = await newConnectedTeam()
  const send = async (phones: string[]): Promise<string> => {
    const reply = await team.call('POST', JOBS, { entries: phones.map(whatsapp.entry) })
    expect(reply.status).toBe(202)
    await waitForJob(team, reply.data.id)
    return reply.data.id
  }
  return { team, whatsapp, send }
}

interface Listed {
  context: { contactIdentifier: string }
}
const getPhones = (messages: Listed[]) => messages.map(({ context }) => context.contactIdentifier)

describe('the messages of a job', () => {
  it('are listed in the order of its entries, page by page', async () => {
    const { team, send } = await start()
    const phones = Array.from({ length: 5 }, newNumber)
    const job = await send(phones)
    await send([newNumber()])
    const pages: string[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await team.call(
        'GET',
        `/v1/ext/message?backgroundJob=${job}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`,
      )
      expect(page.errors).toEqual([])
      pages.push(getPhones(page.data))
      cursor = page.meta.next
    }
    expect(pages).toEqual([phones.slice(0, 2), phones.slice(2, 4), phones.slice(4)])
    const rest = await team.call('GET', `/v1/ext/message?backgroundJob=${job.toUpperCase()}&skip=3`)
    expect(getPhones(rest.data)).toEqual(phones.slice(3))
  })

  it('are counted by their present delivery status', async () => {
    const { team, whatsapp, send } = await start()
    const job = await send([newNumber(), newNumber(), refusedNumber(UNDELIVERABLE), failedNumber(UNDELIVERABLE)])
    const counts = async () => (await team.call('GET', `${JOBS}/${job}`)).meta.deliveryStatusVsCount
    const none = { PENDING: 0, UNKNOWN: 0, SENT: 0, FAILED: 0, DELIVERED: 0, READ: 0 }
    expect(await counts()).toEqual({ ...none, SENT: 3, FAILED: 1 })
    await whatsapp.flush()
    await expect.poll(counts).toEqual({ ...none, READ: 2, FAILED: 2 })
  })

  it('are those of a retry, where the job is one', async () => {
    const { team, whatsapp, send } = await start()
    const [fine, refused] = [newNumber(), refusedNumber(UNDELIVERABLE)]
    const job = await send([fine, refused])
    let last = job
    for (const _ of [1, 2]) {
      const retry = await team.call('POST', `${JOBS}/${last}/retry`)
      await waitForJob(team, retry.data.id)
      const { data } = await team.call('GET', `/v1/ext/message?backgroundJob=${retry.data.id}`)
      expect(getPhones(data)).toEqual([refused])
      expect((await team.call('GET', `${JOBS}/${retry.data.id}`)).meta.deliveryStatusVsCount).toMatchObject({
        FAILED: 1,
        SENT: 0,
      })
      last = retry.data.id
    }
    expect(getPhones((await team.call('GET', `/v1/ext/message?backgroundJob=${job}`)).data)).toEqual([fine, refused])
    expect((await whatsapp.received(`to=${refused}`)).received).toBe(3)
  })

  it('follow their entries through the retries, which are listed, and the first numbers do not shrink', async () => {
    const { team, send } = await start()
    const [fine, refused, mended] = [newNumber(), refusedNumber(UNDELIVERABLE), refusedNumber(UNDELIVERABLE)]
    const job = await send([fine, refused, mended])
    const retry = async (id: string) => {
      const reply = await team.call('POST', `${JOBS}/${id}/retry`)
      expect(reply.status).toBe(202)
      await waitForJob(team, reply.data.id)
      return reply.data.id as string
    }
    const meta = async (id: string) => (await team.call('GET', `${JOBS}/${id}`)).meta
    expect(await meta(job)).toMatchObject({
      deliveryStatusVsCount: { SENT: 1, FAILED: 2 },
      deliveryFailures: [{ code: UNDELIVERABLE, count: 2, advice: expect.any(String) }],
    })
    expect(await meta(job)).not.toHaveProperty('retries')
    // The group of their failures has the provider's code; there is nothing to merge an update into.
    const [group, ...others] = (await team.call('GET', `${JOBS}/${job}/errors`)).data
    expect([group.code, group.providerCode, group.count, others]).toEqual(['provider_refused', UNDELIVERABLE, 2, []])
    const withUpdate = await team.call('POST', `${JOBS}/${job}/retry`, { group: group.group, update: { data: {} } })
    expect([withUpdate.status, withUpdate.meta.errors[0].path]).toEqual([400, '/body/update'])
    const second = (await team.call('POST', `${JOBS}/${job}/retry`, { group: group.group })).data.id
    await waitForJob(team, second)
    const third = await retry(second)
    expect(await meta(third)).toMatchObject({ deliveryStatusVsCount: { FAILED: 2 }, deliveryFailures: [{ count: 2 }] })
    for (const id of [job, second]) {
      const told = await meta(id)
      expect(told.retries).toEqual({
        jobs: id === job ? 2 : 1,
        entries: 2,
        newest: third,
        succeeded: 0,
        undoFirst: [],
        bjEntryCompletionStatusVsCount: { ...NO_ENTRIES, SUCCESS: id === job ? 1 : 0, ERROR: 2 },
      })
      expect(told.deliveryStatusVsCount).toMatchObject({ SENT: id === job ? 1 : 0, FAILED: 2 })
      expect(told.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: id === job ? 1 : 0, ERROR: 2 })
    }
  })

  it('are listed by status as they are counted, in the order of the entries, with the keys of their processes', async () => {
    const { team, whatsapp } = await start()
    await leadProcedure(team, {
      phoneAttribute: 'phone',
      attributes: [...LEAD_ATTRIBUTES, { shortId: 'phone', type: 'phone' }],
    })
    const phones = [newNumber(), refusedNumber(UNDELIVERABLE), newNumber(), refusedNumber(UNDELIVERABLE), undefined]
    await bulk(
      team,
      'POST',
      phones.map((phone, at) => ({ lead_id: `L-${at}`, data: phone === undefined ? {} : { phone } })),
    )
    const sent = await team.call('POST', `${whatsapp.base}/process/lead/bulk-send-template-message`, {
      whatsappPhoneNumberId: whatsapp.phone.id,
      templateName: 'hello_world',
      where: { lead_id: { startsWith: 'L-' } },
      all: true,
    })
    expect(sent.errors).toEqual([])
    const job = sent.data.id
    await waitForJob(team, job)
    const failed = async (cursor = '') =>
      team.call('GET', `/v1/ext/message?backgroundJob=${job}&status=FAILED&limit=1${cursor}`)
    const first = await failed()
    expect(first.errors).toEqual([])
    const second = await failed(`&cursor=${first.meta.next}`)
    const keys = [...first.data, ...second.data].map(({ processKey }: { processKey: string }) => processKey)
    expect(keys.toSorted()).toEqual(['L-1', 'L-3'])
    expect(second.meta.next).toBeNull()
    expect((await team.call('GET', `/v1/ext/message?backgroundJob=${job}&status=FAILED&skip=1`)).status).toBe(400)
    expect((await team.call('GET', `/v1/ext/message?backgroundJob=${job}&plugin=${whatsapp.id}`)).status).toBe(400)
    // A where names processes by their ids; what failed is told by the key.
    const wrong = await team.call('GET', `${JOBS}/${job}/entries?completionStatus=ERROR`)
    expect(wrong.data.map(({ primaryKey }: { primaryKey: string }) => primaryKey).toSorted()).toEqual([
      'L-1',
      'L-3',
      'L-4',
    ])
    // Mended and retried, one counts with its newest try.
    await bulk(team, 'PATCH', {
      processes: [
        { lead_id: 'L-1', data: { phone: newNumber() } },
        { lead_id: 'L-4', data: { phone: newNumber() } },
      ],
    })
    const retry = await team.call('POST', `${JOBS}/${job}/retry`)
    await waitForJob(team, retry.data.id)
    expect((await team.call('GET', `${JOBS}/${job}`)).meta).toMatchObject({
      deliveryStatusVsCount: { SENT: 4, FAILED: 1 },
      retries: { jobs: 1, entries: 3, bjEntryCompletionStatusVsCount: { SUCCESS: 4, ERROR: 1 } },
    })
    const left = await team.call('GET', `/v1/ext/message?backgroundJob=${job}&status=FAILED`)
    expect(left.data.map(({ processKey }: { processKey: string }) => processKey)).toEqual(['L-3'])
  })

  it('are found by status wherever they stand in a long job, and in a retry of it', async () => {
    const { team, send } = await start()
    const refused = [3, 251, 299].map(at => ({ at, phone: refusedNumber(UNDELIVERABLE) }))
    const job = await send(
      Array.from({ length: 300 }, (_, at) => refused.find(each => each.at === at)?.phone ?? newNumber()),
    )
    const retry = await team.call('POST', `${JOBS}/${job}/retry`)
    await waitForJob(team, retry.data.id)
    for (const id of [job, retry.data.id])
      for (const limit of [1, 2, 100]) {
        const found: Listed[] = []
        for (let query = ''; ; ) {
          const page = await team.call(
            'GET',
            `/v1/ext/message?backgroundJob=${id}&status=FAILED&limit=${limit}${query}`,
          )
          found.push(...page.data)
          expect(page.data.length).toBeLessThanOrEqual(limit)
          if (page.meta.next === null) break
          query = `&cursor=${page.meta.next}`
        }
        expect(getPhones(found)).toEqual(refused.map(({ phone }) => phone))
      }
    expect((await team.call('GET', `/v1/ext/message?backgroundJob=${retry.data.id}`)).data).toHaveLength(3)
  })

  it('are hidden from other teams, and an unknown job has none', async () => {
    const { team, send } = await start()
    const job = await send([newNumber()])
    const stranger = await newTeam()
    expect((await stranger.call('GET', `/v1/ext/message?backgroundJob=${job}`)).status).toBe(404)
    expect((await team.call('GET', `/v1/ext/message?backgroundJob=${crypto.randomUUID()}`)).status).toBe(404)
  })
})

it('a list of messages by phone number continues after a cursor, and refuses a malformed one', async () => {
  const { team, whatsapp } = await start()
  const phone = newNumber()
  const ids: string[] = []
  for (const _ of [1, 2, 3]) ids.unshift((await whatsapp.send(phone)).data.id)
  const first = await team.call('GET', `/v1/ext/message?phoneNumber=${phone}&limit=2`)
  const second = await team.call('GET', `/v1/ext/message?phoneNumber=${phone}&limit=2&cursor=${first.meta.next}`)
  const found = [...first.data, ...second.data].map(({ id }: { id: string }) => id)
  expect(found).toEqual(ids)
  expect(second.meta).toMatchObject({ hasMore: false, next: null })
  expect(await team.call('GET', `/v1/ext/message?phoneNumber=${phone}&cursor=1-2`)).toMatchObject({
    status: 400,
    meta: { errors: [{ path: '/query/cursor' }] },
  })
  expect((await team.call('GET', `/v1/ext/message?phoneNumber=${phone}&backgroundJob=${ids[0]}`)).status).toBe(400)
})
