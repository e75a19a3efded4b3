import { describe, expect, it } from 'vitest'
import { newTeam } from '../support/api.ts'
import { Harness } from '../support/harness.ts'
import { LEADS, leadProcedure } from '../support/jobs.ts'
import { newProcedure } from '../support/procedures.ts'
import { connectReceivers, newReceiver } from '../support/receiver.ts'
import { deliverUntil, loadLastSequence, loadWebhook, newQuietTeam, newWebhook } from '../support/webhooks.ts'

// An isolate has 128 MB: what a page shows of processes and customers is bounded, whatever the events themselves hold.

const LARGE = 'x'.repeat(500_000)
/** The bound of a page, one event that is larger than the remaining space, and the rest of the response. */
const PAGE_CHARACTERS_MAX = 6_500_000
const COUNT = 16

const setUp = async () => {
  const team = await newTeam()
  const processes = await newProcedure(team)
  await team.call('PUT', '/v1/ext/event-feed', { enabled: true })
  const pages = async (query = '') => {
    const read = []
    for (let after = 0; ; ) {
      const { data, meta, errors, cost } = await team.call('GET', `/v1/ext/event?after=${after}${query}`)
      expect(errors).toEqual([])
      expect(JSON.stringify(data).length).toBeLessThan(PAGE_CHARACTERS_MAX)
      expect(meta.next).toBeGreaterThan(after)
      read.push({ data, cost })
      after = meta.next
      if (!meta.hasMore) return read
    }
  }
  return { team, ...processes, pages }
}

type Pages = Awaited<ReturnType<Awaited<ReturnType<typeof setUp>>['pages']>>

const getSequences = (pages: Pages): number[] =>
  pages.flatMap(({ data }) => data.map(({ sequence }: { sequence: number }) => sequence))

const upTo = (last: number): number[] => Array.from({ length: last }, (_, nth) => nth + 1)

describe('events of large processes', () => {
  it('come in pages that are bounded, each event once, each process whole', async () => {
    const { create, pages } = await setUp()
    for (let nth = 0; nth < COUNT; nth++) {
      const record = { data: { phone: `9194483000${nth + 10}`, note: nth % 2 === 0 ? LARGE : 'short' } }
      await create({ data: { lead_id: `L${nth}`, note: nth % 3 === 0 ? 'short' : LARGE }, record })
    }
    const read = await pages()
    expect(getSequences(read)).toEqual(upTo(COUNT))
    const events = read.flatMap(({ data }) => data)
    for (const [nth, { data }] of events.entries()) {
      expect(data.process.data).toEqual({ lead_id: `L${nth}`, note: nth % 3 === 0 ? 'short' : LARGE })
      expect(data.process.record.data.note).toBe(nth % 2 === 0 ? LARGE : 'short')
    }
    expect(read.length).toBeLessThanOrEqual(COUNT / 2)
  })

  it('are bounded where one process has all of them, by its values as they are now', async () => {
    const { create, update, pages } = await setUp()
    const { data: made } = await create({ data: { lead_id: 'A' } })
    for (let nth = 1; nth < COUNT; nth++) await update(made.id, { data: { score: nth } })
    const small = await pages()
    expect(small).toHaveLength(1)
    await update(made.id, { data: { note: LARGE } })
    const read = await pages()
    expect(getSequences(read)).toEqual(upTo(COUNT + 1))
    expect(read.length).toBeGreaterThan(1)
  })

  it('are bounded after the processes were deleted, with their customers', async () => {
    const { create, remove, pages } = await setUp()
    for (let nth = 0; nth < COUNT; nth++) {
      const record = { data: { phone: `9194483000${nth + 10}`, note: LARGE } }
      const { data } = await create({ data: { lead_id: `L${nth}`, ...(nth % 2 ? { note: LARGE } : {}) }, record })
      await remove(data.id)
    }
    const read = await pages()
    expect(getSequences(read)).toEqual(upTo(2 * COUNT))
    for (const { data } of read.flatMap(page => page.data)) {
      expect(data.process.isDeleted).toBe(true)
      expect(data.process.record.data.note).toBe(LARGE)
    }
  })

  it('are skipped by a filter, which still shows each one that it selects', async () => {
    const { create, update, pages } = await setUp()
    const ids: string[] = []
    for (let nth = 0; nth < COUNT; nth++)
      ids.push((await create({ data: { lead_id: `L${nth}`, note: LARGE } })).data.id)
    for (const id of ids) await update(id, { data: { score: 1 } })
    expect(getSequences(await pages('&type=process.updated'))).toEqual(upTo(2 * COUNT).slice(COUNT))
  })

  it('are bounded for large customers, too', async () => {
    const { team, create, pages } = await setUp()
    for (let nth = 0; nth < COUNT; nth++) {
      const made = await create({ record: { data: { phone: `9194483000${nth + 10}`, note: LARGE } } })
      await team.call('PUT', `/v1/ext/record/${made.data.record.id}`, { data: { city: 'Ulm' } })
    }
    const read = await pages('&type=record.updated')
    expect(getSequences(read)).toHaveLength(COUNT)
    for (const { data } of read.flatMap(page => page.data)) expect(data.record.data.note).toBe(LARGE)
  })
})

describe.each(['any', 'strict'])('a webhook, order %s', order => {
  it('receives each large process once', async () => {
    connectReceivers()
    const team = await newQuietTeam()
    await leadProcedure(team)
    const receiver = newReceiver()
    const id = await newWebhook(team, receiver, { order })
    receiver.secret = null
    for (let nth = 0; nth < COUNT; nth++) await team.call('POST', LEADS, { data: { lead_id: `L${nth}`, note: LARGE } })
    const harness = new Harness()
    await harness.runCron()
    await deliverUntil(harness)
    const arrived = receiver.arrivals.map(({ sequence }) => sequence)
    expect(arrived.toSorted((one, other) => Number(one) - Number(other))).toEqual(upTo(COUNT))
    expect(await loadWebhook(id)).toMatchObject({ position: await loadLastSequence(team), waiting: '[]' })
  })
})
