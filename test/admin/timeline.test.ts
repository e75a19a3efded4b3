import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeNewestFirst, type PartialList } from '../../src/admin/parts/timeline/merge.ts'
import { getLateTime, getMessageTime, messageMoments } from '../../src/admin/parts/timeline/message-moments.ts'

interface Item {
  list: number
  nth: number
  time: number
}

const getTime = ({ time }: Item): number => time

/** Lists of times that are mostly newest first, many of them the same: clocks differ, and some items come late. */
const lists = fc.array(
  fc.array(fc.tuple(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 0, max: 3 })), { maxLength: 25 }),
  { minLength: 1, maxLength: 4 },
)

const toItems = (times: readonly (readonly [number, number])[], list: number): Item[] =>
  times
    .toSorted(([one], [other]) => other - one)
    .map(([time, late], nth) => ({ list, nth, time: Math.max(0, time - late) }))

/** Builds the lists as some read pages of each. */
const toLists = (all: readonly Item[][], read: readonly number[]): PartialList<Item>[] =>
  all.map((items, list) => ({
    items: items.slice(0, read[list] ?? 0),
    hasMore: (read[list] ?? 0) < items.length,
    getTime,
  }))

test('lists that are read page by page are one list: newest first, nothing twice, and no page moves earlier rows', () => {
  fc.assert(
    fc.property(lists, fc.integer({ min: 1, max: 6 }), (given, page) => {
      const all = given.map(toItems)
      const read = all.map(() => 0)
      let before: Item[] = []
      for (let reads = 0; ; reads++) {
        expect(reads).toBeLessThanOrEqual(all.flat().length + all.length)
        const { placed, needs } = mergeNewestFirst(toLists(all, read))
        const items = placed.map(({ item }) => item)
        expect(items.slice(0, before.length)).toEqual(before)
        expect(placed.every(({ at }, nth) => nth === 0 || at <= (placed[nth - 1]?.at ?? 0))).toBe(true)
        for (const list of all.keys()) {
          const own = items.filter(item => item.list === list)
          expect(own).toEqual(all[list]?.slice(0, own.length))
        }
        before = items
        if (needs === undefined) break
        expect(read[needs]).toBeLessThan(all[needs]?.length ?? 0)
        read[needs] = Math.min(all[needs]?.length ?? 0, (read[needs] ?? 0) + page)
      }
      expect(before).toHaveLength(all.flat().length)
      const whole = mergeNewestFirst(
        toLists(
          all,
          all.map(({ length }) => length),
        ),
      )
      expect(before).toEqual(whole.placed.map(({ item }) => item))
    }),
  )
})

test('lists in order are merged as if they were sorted', () => {
  fc.assert(
    fc.property(lists, given => {
      const all = given.map((times, list) =>
        toItems(
          times.map(([time]) => [time, 0] as const),
          list,
        ),
      )
      const { placed } = mergeNewestFirst(
        toLists(
          all,
          all.map(({ length }) => length),
        ),
      )
      expect(placed.map(({ item }) => item)).toEqual(all.flat().toSorted((one, other) => other.time - one.time))
    }),
  )
})

test('a page of one list is enough where the other is older', () => {
  const items = (...times: number[]) => times.map((time, nth) => ({ list: 0, nth, time }))
  const merged = mergeNewestFirst([
    { items: items(9, 8), hasMore: true, getTime },
    { items: items(7), hasMore: true, getTime },
  ])
  expect([merged.placed.map(({ at }) => at), merged.needs]).toEqual([[9, 8], 0])
  expect(mergeNewestFirst([{ items: [], hasMore: true, getTime }]).needs).toBe(0)
  expect(mergeNewestFirst([{ items: [], hasMore: false, getTime }])).toEqual({ placed: [], needs: undefined })
})

const ID = '01935c1e-5a00-7004-8c6d-3e4f5a6b7c8d'

test('a message is placed by its list, and one that came late says when it was written', () => {
  const came = 0x01935c1e5a00
  expect(getMessageTime({ id: ID })).toBe(came)
  expect(getLateTime({ id: ID, direction: 'INBOUND', timestamp: came - 1_000 })).toBe(undefined)
  expect(getLateTime({ id: ID, direction: 'INBOUND', timestamp: came - 3_600_000 })).toBe(came - 3_600_000)
  expect(getLateTime({ id: ID, direction: 'OUTBOUND', timestamp: came - 3_600_000 })).toBe(undefined)
})

test('the progress of a message has each step once, in order, at the provider’s time where that is known', () => {
  const history = [
    { status: 'PENDING', at: 1, source: 'REQUEST' },
    { status: 'SENT', at: 2, source: 'PROVIDER' },
    { status: 'READ', at: 9, timestamp: 7, source: 'WEBHOOK' },
    { status: 'DELIVERED', at: 10, timestamp: 5, source: 'WEBHOOK' },
    { status: 'SENT', at: 11, timestamp: 3, source: 'WEBHOOK' },
  ]
  expect(messageMoments({ direction: 'OUTBOUND', history })).toEqual([
    { status: 'SENT', at: 2 },
    { status: 'DELIVERED', at: 5 },
    { status: 'READ', at: 7 },
  ])
  expect(messageMoments({ direction: 'INBOUND', history })).toEqual([])
})
