import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { ended, JOBS } from '../support/jobs.ts'
import { type Connected, connected, failedNumber, newNumber, refusedNumber } from '../support/provider.ts'

const UNDELIVERABLE = 131026

async function start() {
  const team = await newTeam()
  const whatsapp = await connected(team)
  const send = async (phones: string[]): Promise<string> => {
    const reply = await team.call('POST', JOBS, { entries: phones.map(phone => entry(whatsapp, phone)) })
    expect(reply.status).toBe(202)
    await ended(team, reply.data.id)
    return reply.data.id
  }
  return { team, whatsapp, send }
}

const entry = ({ id, phone }: Connected, phoneNumber: string) => ({
  apiType: 'TEMPLATE_MESSAGE',
  apiData: { pluginId: id, whatsappPhoneNumberId: phone.id, templateName: 'hello_world', phoneNumber },
})

interface Listed {
  context: { contactIdentifier: string }
}
const phonesOf = (messages: Listed[]) => messages.map(({ context }) => context.contactIdentifier)

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
      pages.push(phonesOf(page.data))
      cursor = page.meta.next
    }
    expect(pages).toEqual([phones.slice(0, 2), phones.slice(2, 4), phones.slice(4)])
    const rest = await team.call('GET', `/v1/ext/message?backgroundJob=${job.toUpperCase()}&skip=3`)
    expect(phonesOf(rest.data)).toEqual(phones.slice(3))
  })

  it('are counted by their delivery status, as it is now', async () => {
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
      await ended(team, retry.data.id)
      const { data } = await team.call('GET', `/v1/ext/message?backgroundJob=${retry.data.id}`)
      expect(phonesOf(data)).toEqual([refused])
      expect((await team.call('GET', `${JOBS}/${retry.data.id}`)).meta.deliveryStatusVsCount).toMatchObject({
        FAILED: 1,
        SENT: 0,
      })
      last = retry.data.id
    }
    expect(phonesOf((await team.call('GET', `/v1/ext/message?backgroundJob=${job}`)).data)).toEqual([fine, refused])
    expect((await whatsapp.received(`to=${refused}`)).received).toBe(3)
  })

  it("are not told to other teams, and a job that is nobody's has none", async () => {
    const { team, send } = await start()
    const job = await send([newNumber()])
    const stranger = await newTeam()
    expect((await stranger.call('GET', `/v1/ext/message?backgroundJob=${job}`)).status).toBe(404)
    expect((await team.call('GET', `/v1/ext/message?backgroundJob=${crypto.randomUUID()}`)).status).toBe(404)
  })
})

it('a list of messages by phone number goes on after a cursor, and refuses one that is none', async () => {
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
