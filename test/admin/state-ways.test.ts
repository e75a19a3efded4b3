import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planStateWays, type StateLane } from '../../src/admin/procedure/state-lanes.ts'

/** States by their places, and those that may follow. */
const graphs = fc.integer({ min: 1, max: 12 }).chain(count =>
  fc.array(fc.option(fc.uniqueArray(fc.nat({ max: count - 1 }), { maxLength: 5 }), { nil: undefined }), {
    minLength: count,
    maxLength: count,
  }),
)
const getStates = (next: readonly (number[] | undefined)[]) =>
  next.map((to, at) => ({ shortId: `S${at}`, name: `S${at}`, ...(to && { next: to.map(each => `S${each}`) }) }))
const getEnds = ({ from, to }: StateLane) => [Math.min(from, ...to), Math.max(from, ...to)] as const

test('each transition between two states is drawn once, on its side', () => {
  fc.assert(
    fc.property(graphs, next => {
      const { straight, forward, back } = planStateWays(getStates(next))
      const drawn = [
        ...straight.map(from => [from, from + 1] as const),
        ...[...forward, ...back].flatMap(({ from, to }) => to.map(each => [from, each] as const)),
      ]
      const wanted = next.flatMap((to = [], from) =>
        to.filter(each => each !== from).map(each => [from, each] as const),
      )
      expect(drawn.map(String).sort()).toEqual(wanted.map(String).sort())
      expect(forward.every(({ from, to }) => to.every(each => each > from + 1))).toBe(true)
      expect(back.every(({ from, to }) => to.every(each => each < from))).toBe(true)
    }),
  )
})

test('two overlapping transitions have different lanes, and no lane is empty', () => {
  fc.assert(
    fc.property(graphs, next => {
      const { forward, back } = planStateWays(getStates(next))
      for (const side of [forward, back]) {
        for (const [nth, one] of side.entries())
          for (const other of side.slice(nth + 1)) {
            const [[top, bottom], [otherTop, otherBottom]] = [getEnds(one), getEnds(other)]
            if (top <= otherBottom && otherTop <= bottom) expect(one.lane).not.toBe(other.lane)
          }
        const lanes = new Set(side.map(({ lane }) => lane))
        expect([...lanes].sort((a, b) => a - b)).toEqual(Array.from(lanes, (_, nth) => nth))
      }
    }),
  )
})

test('a short transition lies inside a long one', () => {
  const { forward } = planStateWays(getStates([[4], [3], undefined, undefined, undefined]))
  expect(forward).toEqual([
    { from: 1, to: [3], lane: 0 },
    { from: 0, to: [4], lane: 1 },
  ])
})

test('states that any may follow, and unknown states, have no transitions', () => {
  const states = [
    { shortId: 'A', name: 'A' },
    { shortId: 'B', name: 'B', next: ['GONE', 'B'] },
  ]
  expect(planStateWays(states)).toEqual({ straight: [], forward: [], back: [] })
})
