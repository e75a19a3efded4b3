import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import {
  applyAttempt,
  CONNECTIONS_MAX,
  countConnections,
  countFree,
  type DeliveryState,
  dueEvents,
  FAILING_MS_MAX,
  nextDueAt,
  readRetryAfter,
  WAITING_EVENTS_MAX,
  type WaitingEvent,
} from '../../src/webhook/delivery-rules.ts'

const NONE: DeliveryState = { waiting: [], heldUntil: null, failingSince: null }
const NOW = 1_800_000_000_000

const attempted = (sequence: number, status: number | null, at = NOW, retryAfterMs: number | null = null) => ({
  sequence,
  at,
  status,
  retryAfterMs,
})

/** Fails at each time at which it is due, until it is given up. */
function failAlways(order: 'any' | 'strict', random: number, untilMs: number) {
  let state = NONE
  let at = NOW
  const times: number[] = []
  for (;;) {
    times.push(at - NOW)
    const after = applyAttempt(state, attempted(7, 500, at), order, random)
    state = after.state
    if (after.disabled) return { times, end: 'disabled', state }
    if (after.nextAt === null) return { times, end: 'given up', state }
    if (after.nextAt - NOW > untilMs) return { times, end: 'waits', state }
    at = after.nextAt
  }
}

describe('the schedule of attempts', () => {
  it('is 0, 5 s, 5 min, 30 min, 2, 5, 10, 14, 20, 24 h after each other', () => {
    const { times, end, state } = failAlways('any', 0, Number.POSITIVE_INFINITY)
    const waits = times.slice(1).map((time, nth) => time - (times[nth] ?? 0))
    expect(waits).toEqual([5_000, 5 * MINUTE_MS, 30 * MINUTE_MS, ...[2, 5, 10, 14, 20, 24].map(each => each * HOUR_MS)])
    expect([end, state.waiting]).toEqual(['given up', []])
  })

  it('begins in strict order with 0, 1, 5, 15 and 60 s, since nothing else is sent meanwhile', () => {
    const { times } = failAlways('strict', 0, 3 * HOUR_MS)
    const waits = times.slice(1).map((time, nth) => time - (times[nth] ?? 0))
    expect(waits).toEqual([1_000, 5_000, 15_000, MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS])
  })

  it('never waits less, and at most a tenth more', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), random => {
        const plain = failAlways('any', 0, Number.POSITIVE_INFINITY).times
        const { times } = failAlways('any', random, Number.POSITIVE_INFINITY)
        expect(times).toHaveLength(plain.length)
        for (const [nth, time] of times.entries()) {
          expect(time).toBeGreaterThanOrEqual(plain[nth] ?? 0)
          expect(time).toBeLessThanOrEqual((plain[nth] ?? 0) * 1.1 + times.length)
        }
      }),
    )
  })

  it('continues daily in strict order, until five days without a success disable the endpoint', () => {
    const { times, end } = failAlways('strict', 0, Number.POSITIVE_INFINITY)
    expect(end).toBe('disabled')
    expect(times.at(-1)).toBeGreaterThanOrEqual(FAILING_MS_MAX)
    expect(times.at(-2)).toBeLessThan(FAILING_MS_MAX)
  })
})

describe('an attempt', () => {
  it.each([200, 201, 204, 299])('is a success with status %i', status => {
    const state = applyAttempt(NONE, attempted(1, 500), 'any', 0).state
    expect(applyAttempt(state, attempted(1, status), 'any', 0).state).toEqual(NONE)
  })

  it.each([null, 100, 301, 302, 304, 400, 404, 429, 500, 503])('is a failure with status %s', status => {
    const { state, nextAt } = applyAttempt(NONE, attempted(1, status), 'any', 0)
    expect(state.waiting).toEqual([{ sequence: 1, attempts: 1, firstAt: NOW, nextAt }])
    expect(state.failingSince).toBe(NOW)
  })

  it('disables the endpoint at once with 410; the event stays, for the day on which it is enabled again', () => {
    const { disabled, state } = applyAttempt(NONE, attempted(1, 410), 'any', 0)
    expect([disabled, state.waiting.length]).toEqual(['gone', 1])
  })

  it('does not disable it if it is the first one of an event after days of silence', () => {
    const failing = { ...NONE, failingSince: NOW - 2 * FAILING_MS_MAX }
    expect(applyAttempt(failing, attempted(1, 500), 'any', 0).disabled).toBeNull()
    const tried: WaitingEvent[] = [{ sequence: 1, attempts: 2, firstAt: NOW, nextAt: NOW }]
    expect(applyAttempt({ ...failing, waiting: tried }, attempted(1, 500), 'any', 0).disabled).toBe('failing')
  })

  it('makes all waiting events due if it succeeds after an outage, and not after a single failure', () => {
    const waiting: WaitingEvent[] = [
      { sequence: 1, attempts: 5, firstAt: NOW, nextAt: NOW + HOUR_MS },
      { sequence: 2, attempts: 5, firstAt: NOW, nextAt: NOW + HOUR_MS },
    ]
    const out = { waiting, heldUntil: NOW, failingSince: NOW - HOUR_MS }
    expect(applyAttempt(out, attempted(1, 200), 'any', 0).state).toEqual({
      ...NONE,
      waiting: [{ sequence: 2, attempts: 5, firstAt: NOW, nextAt: NOW }],
    })
    const once = { waiting, heldUntil: null, failingSince: NOW - 1_000 }
    expect(applyAttempt(once, attempted(1, 200), 'any', 0).state.waiting).toEqual([waiting[1]])
  })

  it('holds everything if it is answered with Retry-After, for an hour at most', () => {
    const held = (status: number, ms: number | null) =>
      (applyAttempt(NONE, attempted(1, status, NOW, ms), 'any', 0).state.heldUntil ?? NOW) - NOW
    expect(held(429, 90_000)).toBe(90_000)
    expect(held(503, 90_000)).toBe(90_000)
    expect(held(502, 90_000)).toBe(90_000)
    expect(held(429, 48 * HOUR_MS)).toBe(HOUR_MS)
    for (const status of [429, 500, 503]) expect(held(status, null), String(status)).toBe(0)
  })

  it('leaves the pause as it is if it succeeds beside one that was answered with Retry-After', () => {
    const heldAfter = (heldUntil: number) =>
      applyAttempt({ ...NONE, heldUntil }, attempted(1, 200), 'any', 0).state.heldUntil
    expect([heldAfter(NOW + 1), heldAfter(NOW)]).toEqual([NOW + 1, null])
  })

  it('leaves waiting events in the order of the log', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.boolean())), attempts => {
        let state = NONE
        const failed = new Set<number>()
        for (const [sequence, succeeds] of attempts) {
          state = applyAttempt(state, attempted(sequence, succeeds ? 200 : 500), 'strict', 0.5).state
          if (succeeds) failed.delete(sequence)
          else failed.add(sequence)
        }
        expect(state.waiting.map(({ sequence }) => sequence)).toEqual([...failed].sort((a, b) => a - b))
      }),
    )
  })
})

describe('connections', () => {
  it('become fewer with each failure, and more with each success, between one and five', () => {
    const having = (...delivered: boolean[]) => delivered.reduce(countConnections, CONNECTIONS_MAX)
    expect([having(), having(true), having(false), having(false, true)]).toEqual([5, 5, 4, 5])
    expect(having(...Array.from({ length: 9 }, () => false))).toBe(1)
    expect(having(...Array.from({ length: 9 }, () => false), true)).toBe(2)
  })
})

describe('the events that may be sent', () => {
  const waiting: WaitingEvent[] = [
    { sequence: 3, attempts: 1, firstAt: NOW, nextAt: NOW + 10 },
    { sequence: 5, attempts: 1, firstAt: NOW, nextAt: NOW },
  ]
  it('are the due ones in order any, and only the first waiting one in strict order', () => {
    expect(dueEvents({ ...NONE, waiting }, 'any', NOW)).toEqual([waiting[1]])
    expect(dueEvents({ ...NONE, waiting }, 'strict', NOW)).toEqual([])
    expect(nextDueAt({ ...NONE, waiting }, 'any', NOW)).toBe(NOW)
    expect(nextDueAt({ ...NONE, waiting }, 'strict', NOW)).toBe(NOW + 10)
  })

  it('are no new ones where the most events wait that may, or, in strict order, any', () => {
    const many = Array.from(
      { length: WAITING_EVENTS_MAX },
      (_, nth): WaitingEvent => ({ sequence: nth + 1, attempts: 1, firstAt: NOW, nextAt: NOW }),
    )
    expect(countFree({ ...NONE, waiting: many }, 'any')).toBe(0)
    expect(countFree({ ...NONE, waiting }, 'any')).toBe(WAITING_EVENTS_MAX - 2)
    expect(countFree({ ...NONE, waiting: waiting.slice(0, 1) }, 'strict')).toBe(0)
    expect([countFree({ ...NONE, waiting }, 'strict'), countFree(NONE, 'strict') > 0]).toEqual([0, true])
  })

  it('have no time of their own where nothing waits and nothing is held', () => {
    expect(nextDueAt(NONE, 'any', NOW)).toBeNull()
    expect(nextDueAt({ ...NONE, heldUntil: NOW - 1 }, 'any', NOW)).toBeNull()
    expect(nextDueAt({ ...NONE, heldUntil: NOW + 1 }, 'any', NOW)).toBe(NOW + 1)
    expect(nextDueAt({ ...NONE, waiting, heldUntil: NOW + 20 }, 'any', NOW)).toBe(NOW + 20)
  })
})

it.each([
  ['120', 120_000],
  [' 0 ', 0],
  [new Date(NOW + 60_000).toUTCString(), 60_000],
  [new Date(NOW - 60_000).toUTCString(), 0],
  ['', null],
  ['-5', null],
  ['soon', null],
  ['9999999999', 9_999_999_999_000],
  ['1.5', null],
  [null, null],
])('Retry-After %j is %s ms', (header, ms) => {
  expect(readRetryAfter(header, NOW)).toBe(ms)
})
