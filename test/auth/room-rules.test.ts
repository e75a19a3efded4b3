import { describe, expect, it } from 'vitest'
import {
  endCall,
  expectedMsOf,
  isNext,
  leaveRoom,
  mustReport,
  mustReserve,
  newUse,
  type TeamUse,
  takeAnswer,
  takeRoom,
} from '../../src/auth/budget/room-rules.ts'

const limits = { msPerSecond: 100, burstMs: 1_000 }
const LIST = 'POST /list'

/** So many calls begin. */
function fill(use: TeamUse, route: string): number {
  let begun = 0
  while (takeRoom(use, route, 0)) begun += 1
  return begun
}

/** One call alone, from its beginning to its end. */
function answer(use: TeamUse, route: string, ended: { ms: number; isWait?: boolean; isAlone?: boolean }): void {
  const call = takeRoom({ ...use, begun: [] }, route, 0)
  if (call) endCall(use, call, { isWait: false, isAlone: false, ...ended }, limits)
}

describe('an isolate', () => {
  it('reports a team that has used some, and one whose calls have to ask at once', () => {
    const use = newUse(limits)
    expect(mustReport({ ...use, ms: 49 }, 0)).toBe(false)
    expect(mustReport({ ...use, ms: 50 }, 0)).toBe(true)
    expect(mustReport({ ...use, ms: 500, reporting: true }, 0)).toBe(false)
    takeAnswer(use, { overMs: 7_000, strictMs: 30_000 }, 1_000)
    expect(use).toMatchObject({ overUntil: 3_000, strictUntil: 31_000 })
    expect(mustReport({ ...use, ms: 1 }, 30_999)).toBe(true)
    expect(mustReport({ ...use, ms: 1 }, 31_000)).toBe(false)
  })

  it('lets only calls ask that are not light, and only of a team that was over its budget', () => {
    const use = newUse(limits)
    const call = { at: 0, route: LIST, expectedMs: 3, reservedMs: 0 }
    expect(mustReserve(use, call, 0)).toBe(false)
    takeAnswer(use, { overMs: 0, strictMs: 1_000 }, 0)
    expect(mustReserve(use, call, 999)).toBe(true)
    expect(mustReserve(use, { ...call, expectedMs: 2 }, 999)).toBe(false)
    expect(mustReserve(use, call, 1_000)).toBe(false)
  })
})

describe('calls of a team at the same time', () => {
  it('are few as long as it is not known what they cost', () => {
    expect(fill(newUse(limits), 'GET /')).toBe(15)
    expect(fill(newUse(limits), LIST)).toBe(5)
  })

  it('are as many as fit into the room by what such calls cost before', () => {
    const use = newUse(limits)
    answer(use, LIST, { ms: 10 })
    answer(use, 'GET /', { ms: 1 })
    expect(fill(use, LIST)).toBe(3)
    const [first] = use.begun
    if (first) leaveRoom(use, first)
    expect(fill(use, LIST)).toBe(1)
  })

  it('have room of their own if they are light', () => {
    const use = newUse(limits)
    answer(use, LIST, { ms: 10 })
    answer(use, 'GET /', { ms: 1 })
    expect(fill(use, LIST)).toBe(3)
    expect(fill(use, 'GET /')).toBe(30)
  })

  it('begin in about the order of their arrival, but light ones and those whose predecessors have gone', () => {
    const use = newUse(limits)
    const waiting = Array.from({ length: 11 }, (_, nth) => ({ askedAt: nth === 0 ? 0 : 500 }))
    const [first, last] = [waiting[0], waiting[10]]
    expect(isNext(use, { route: LIST }, 0)).toBe(true)
    use.waiting.push(...waiting)
    expect(isNext(use, { route: LIST }, 999)).toBe(false)
    expect(isNext(use, { route: LIST, ...(last && { waiting: last }) }, 999)).toBe(false)
    expect(isNext(use, { route: LIST, ...(first && { waiting: first }) }, 999)).toBe(true)
    expect(isNext(use, { route: 'GET /' }, 999)).toBe(true)
    expect(isNext(use, { route: LIST, ...(last && { waiting: last }) }, 1_000)).toBe(true)
  })

  it('are believed to cost more at once, and less slowly', () => {
    const use = newUse(limits)
    answer(use, LIST, { ms: 10 })
    answer(use, LIST, { ms: 40 })
    expect(expectedMsOf(use, LIST)).toBe(40)
    answer(use, LIST, { ms: 10 })
    expect(expectedMsOf(use, LIST)).toBe(34)
  })

  it('always may be one', () => {
    const use = newUse(limits)
    answer(use, LIST, { ms: 10_000 })
    expect(fill(use, LIST)).toBe(1)
  })

  it('get more room while some wait for it and none waits for the database: twice as much each time if no other team calls', () => {
    const use = { ...newUse(limits), waiting: [{ askedAt: 0 }] }
    answer(use, LIST, { ms: 10 })
    expect(use.roomMs).toBeCloseTo(30.2)
    answer(use, LIST, { ms: 10, isAlone: true })
    expect(use.roomMs).toBeCloseTo(40.2)
    answer({ ...use, waiting: [] }, LIST, { ms: 10 })
    expect(use.roomMs).toBeCloseTo(40.2)
    use.roomMs = 5_000
    answer(use, LIST, { ms: 10, isAlone: true })
    expect(use.roomMs).toBe(5_000)
  })

  it('get half the room when one has waited for the database, down to a fiftieth of a burst, and more of it slowly', () => {
    const use = { ...newUse(limits), waiting: [{ askedAt: 0 }], roomMs: 60 }
    answer(use, LIST, { ms: 10, isWait: true })
    expect(use.roomMs).toBe(30)
    answer(use, LIST, { ms: 10, isWait: true })
    expect(use.roomMs).toBe(20)
    answer(use, LIST, { ms: 10, isAlone: true })
    expect(use.roomMs).toBeCloseTo(20.2)
    answer(use, LIST, { ms: 10, isWait: true, isAlone: true })
    expect(use.roomMs).toBe(100)
  })

  it('add up, with what was reserved for them', () => {
    const use = newUse(limits)
    const call = takeRoom(use, LIST, 0)
    if (call) endCall(use, { ...call, reservedMs: 6 }, { ms: 8, isWait: false, isAlone: false }, limits)
    expect(use).toMatchObject({ ms: 8, reservedMs: 6 })
  })

  it('whose clients have gone do not count for ever', () => {
    const use = newUse(limits)
    answer(use, LIST, { ms: 10_000 })
    expect(takeRoom(use, LIST, 0)).toBeDefined()
    expect(takeRoom(use, LIST, 19_999)).toBeUndefined()
    expect(takeRoom(use, LIST, 20_000)).toBeDefined()
  })
})
