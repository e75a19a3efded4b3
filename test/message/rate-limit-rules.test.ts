import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  createLimiter,
  type LimiterState,
  releaseStarts,
  reserveStarts,
} from '../../src/message/send/rate-limit-rules.ts'
import { LIMITS } from '../whatsapp/defaults.ts'
import { admit, nothingSent } from '../whatsapp/limits.ts'

/** The steps: the time after which one of some customers is written to. */
const steps = fc.array(
  fc.record({
    after: fc.oneof(fc.nat(50), fc.nat(2_000), fc.nat(40_000)),
    phones: fc.array(fc.oneof(fc.nat(6), fc.nat(10_000)).map(String), { minLength: 1, maxLength: 96 }),
    isUnused: fc.boolean(),
  }),
  { maxLength: 60 },
)

const goes = (state: LimiterState, phone: string, now: number) =>
  reserveStarts(structuredClone(state), [phone], { perSecond: 80, now }).waits[0] === 0

describe('the rate limiter of a number', () => {
  it('keeps the limits of the provider, whoever is written to and whenever', () => {
    fc.assert(
      fc.property(steps, list => {
        const [state, recent] = [createLimiter(), nothingSent()]
        const sent: { phone: string; start: number }[] = []
        let now = 0
        for (const { after, phones, isUnused } of list) {
          now += after
          const { waits, starts } = reserveStarts(state, phones, { perSecond: LIMITS.throughputPerSecond, now })
          const reserved = phones.flatMap((phone, index) =>
            waits[index] === 0 ? [{ phone, start: starts[index] ?? 0 }] : [],
          )
          for (const { start } of reserved) expect(start).toBeGreaterThanOrEqual(now)
          const places = reserved.map(({ start }) => start)
          if (!isUnused) sent.push(...reserved)
          else
            releaseStarts(
              state,
              reserved.map(({ phone }) => phone),
              places,
            )
        }
        sent.sort((one, other) => one.start - other.start)
        for (const { phone, start } of sent) expect(admit(recent, phone, start, LIMITS)).toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  it('says when the next reservation is possible: not before, and then it is', () => {
    fc.assert(
      fc.property(steps, list => {
        const state = createLimiter()
        let now = 0
        for (const { after, phones } of list) {
          now += after
          const { waits, waitMs } = reserveStarts(state, phones, { perSecond: 80, now })
          expect(waits.length < phones.length).toBe(waitMs > 0)
          for (const [index, phone] of phones.entries()) {
            const ms = waits[index] ?? waitMs
            if (ms === 0 || index > waits.length) continue
            if (ms > 1) expect(goes(state, phone, now + ms - 2)).toBe(false)
            // The customer's burst may be over by then, too.
            if (index < waits.length) expect(goes(state, phone, now + ms)).toBe(true)
          }
        }
      }),
    )
  })

  it('holds up nobody for the sake of one customer', () => {
    const state = createLimiter()
    const { waits } = reserveStarts(state, [...Array(8).fill('1'), '2'], { perSecond: 60, now: 0 })
    expect(waits).toEqual([0, 0, 0, 0, 0, 30_000, 30_000, 30_000, 0])
  })

  it('uses nearly the whole rate: a thousand customers are written to in the time that their number takes', () => {
    const state = createLimiter()
    let [now, sent, last] = [0, 0, 0]
    while (sent < 1_000) {
      const phones = Array.from({ length: 12 }, (_, index) => `${sent + index}`)
      const { waits, starts, waitMs } = reserveStarts(state, phones, { perSecond: 50, now })
      sent += waits.length
      last = starts.at(-1) ?? last
      now += waitMs
    }
    expect(last).toBeGreaterThan(20_000)
    expect(last).toBeLessThan(21_000)
  })

  it('lets one customer have a message in six seconds, some of them at once', () => {
    const state = createLimiter()
    const times: number[] = []
    for (let now = 0; times.length < 15; ) {
      const { waits, starts } = reserveStarts(state, ['1'], { perSecond: 60, now })
      if (waits[0] === 0) times.push(Math.round(starts[0] ?? 0))
      else now += waits[0] ?? 0
    }
    // Five follow each other at the rate of the number; each burst begins half a minute after the one before.
    const bursts = [0, 5, 10].map(first => times.slice(first, first + 5))
    for (const burst of bursts) expect((burst.at(-1) ?? 0) - (burst[0] ?? 0)).toBeLessThan(100)
    const [first = 0, second = 0, third = 0] = bursts.map(burst => burst[0])
    expect([second - first, third - second].map(ms => Math.round(ms / 1_000))).toEqual([30, 30])
  })

  it('reserves nothing while the provider throttles the number, and says how long', () => {
    const blocked = { ...createLimiter(), blockedUntil: 5_000 }
    expect(reserveStarts(blocked, ['1', '2'], { perSecond: 60, now: 2_000 })).toMatchObject({
      waits: [],
      starts: [],
      waitMs: 3_000,
    })
    expect(reserveStarts(blocked, ['1', '2'], { perSecond: 60, now: 5_000 }).waits).toEqual([0, 0])
  })
})
