import { describe, expect, it } from 'vitest'
import {
  abandonCall,
  acquire,
  applyAnswer,
  createLoad,
  getExpectedMs,
  isFirstInLine,
  mustReport,
  mustReserve,
  releaseCall,
  type TeamLoad,
} from '../../src/auth/budget/limit-rules.ts'

const limits = { msPerSecond: 100, burstMs: 1_000 }
const LIST = 'POST /list'

/** Starts calls until the limit. */
function fill(load: TeamLoad, route: string): number {
  let begun = 0
  while (acquire(load, route, 0)) begun += 1
  return begun
}

/** Makes one call alone, from its beginning to its end. */
function answer(
  load: TeamLoad,
  route: string,
  ended: { ms: number; isContended?: boolean; isOnlyCaller?: boolean },
): void {
  const call = acquire({ ...load, running: [] }, route, 0)
  if (call) releaseCall(load, call, { isContended: false, isOnlyCaller: false, ...ended }, limits)
}

describe('an isolate', () => {
  it('reports a team that has used its share, and one whose calls must reserve first', () => {
    const load = createLoad(limits)
    expect(mustReport({ ...load, ms: 49 }, 0)).toBe(false)
    expect(mustReport({ ...load, ms: 50 }, 0)).toBe(true)
    expect(mustReport({ ...load, ms: 500, reporting: true }, 0)).toBe(false)
    applyAnswer(load, { overMs: 7_000, strictMs: 30_000 }, 1_000)
    expect(load).toMatchObject({ overUntil: 3_000, strictUntil: 31_000 })
    expect(mustReport({ ...load, ms: 1 }, 30_999)).toBe(true)
    expect(mustReport({ ...load, ms: 1 }, 31_000)).toBe(false)
  })

  it('makes only heavy calls reserve, and only those of a team over its budget', () => {
    const load = createLoad(limits)
    const call = { at: 0, route: LIST, expectedMs: 3, reservedMs: 0 }
    expect(mustReserve(load, call, 0)).toBe(false)
    applyAnswer(load, { overMs: 0, strictMs: 1_000 }, 0)
    expect(mustReserve(load, call, 999)).toBe(true)
    expect(mustReserve(load, { ...call, expectedMs: 2 }, 999)).toBe(false)
    expect(mustReserve(load, call, 1_000)).toBe(false)
  })
})

describe('calls of a team at the same time', () => {
  it('are few as long as their cost is not known', () => {
    expect(fill(createLoad(limits), 'GET /')).toBe(15)
    expect(fill(createLoad(limits), LIST)).toBe(5)
  })

  it('are as many as fit into the limit by what such calls have cost so far', () => {
    const load = createLoad(limits)
    answer(load, LIST, { ms: 10 })
    answer(load, 'GET /', { ms: 1 })
    expect(fill(load, LIST)).toBe(3)
    const [first] = load.running
    if (first) abandonCall(load, first)
    expect(fill(load, LIST)).toBe(1)
  })

  it('have a limit of their own if they are light', () => {
    const load = createLoad(limits)
    answer(load, LIST, { ms: 10 })
    answer(load, 'GET /', { ms: 1 })
    expect(fill(load, LIST)).toBe(3)
    expect(fill(load, 'GET /')).toBe(30)
  })

  it('begin in about the order of their arrival; light calls do not wait', () => {
    const load = createLoad(limits)
    const waiting = Array.from({ length: 11 }, (_, nth) => ({ askedAt: nth === 0 ? 0 : 500 }))
    const [first, last] = [waiting[0], waiting[10]]
    expect(isFirstInLine(load, { route: LIST }, 0)).toBe(true)
    load.waiting.push(...waiting)
    expect(isFirstInLine(load, { route: LIST }, 999)).toBe(false)
    expect(isFirstInLine(load, { route: LIST, ...(last && { waiting: last }) }, 999)).toBe(false)
    expect(isFirstInLine(load, { route: LIST, ...(first && { waiting: first }) }, 999)).toBe(true)
    expect(isFirstInLine(load, { route: 'GET /' }, 999)).toBe(true)
    expect(isFirstInLine(load, { route: LIST, ...(last && { waiting: last }) }, 1_000)).toBe(true)
  })

  it('are taken to be dearer at once, and cheaper only slowly', () => {
    const load = createLoad(limits)
    answer(load, LIST, { ms: 10 })
    answer(load, LIST, { ms: 40 })
    expect(getExpectedMs(load, LIST)).toBe(40)
    answer(load, LIST, { ms: 10 })
    expect(getExpectedMs(load, LIST)).toBe(34)
  })

  it('are never fewer than one', () => {
    const load = createLoad(limits)
    answer(load, LIST, { ms: 10_000 })
    expect(fill(load, LIST)).toBe(1)
  })

  it('get a higher limit while some wait and none waits for the database: twice as much each time if no other team calls', () => {
    const load = { ...createLoad(limits), waiting: [{ askedAt: 0 }] }
    answer(load, LIST, { ms: 10 })
    expect(load.limitMs).toBeCloseTo(30.2)
    answer(load, LIST, { ms: 10, isOnlyCaller: true })
    expect(load.limitMs).toBeCloseTo(40.2)
    answer({ ...load, waiting: [] }, LIST, { ms: 10 })
    expect(load.limitMs).toBeCloseTo(40.2)
    load.limitMs = 5_000
    answer(load, LIST, { ms: 10, isOnlyCaller: true })
    expect(load.limitMs).toBe(5_000)
  })

  it('get half the limit once one has waited for the database, down to a fiftieth of a burst, and recover slowly', () => {
    const load = { ...createLoad(limits), waiting: [{ askedAt: 0 }], limitMs: 60 }
    answer(load, LIST, { ms: 10, isContended: true })
    expect(load.limitMs).toBe(30)
    answer(load, LIST, { ms: 10, isContended: true })
    expect(load.limitMs).toBe(20)
    answer(load, LIST, { ms: 10, isOnlyCaller: true })
    expect(load.limitMs).toBeCloseTo(20.2)
    answer(load, LIST, { ms: 10, isContended: true, isOnlyCaller: true })
    expect(load.limitMs).toBe(100)
  })

  it('count together with what was reserved for them', () => {
    const load = createLoad(limits)
    const call = acquire(load, LIST, 0)
    if (call) releaseCall(load, { ...call, reservedMs: 6 }, { ms: 8, isContended: false, isOnlyCaller: false }, limits)
    expect(load).toMatchObject({ ms: 8, reservedMs: 6 })
  })

  it('do not count for ever after their clients have gone', () => {
    const load = createLoad(limits)
    answer(load, LIST, { ms: 10_000 })
    expect(acquire(load, LIST, 0)).toBeDefined()
    expect(acquire(load, LIST, 19_999)).toBeUndefined()
    expect(acquire(load, LIST, 20_000)).toBeDefined()
  })
})
