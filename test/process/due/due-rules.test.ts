import { expect, it } from 'vitest'
import {
  addTold,
  nextLookAt,
  retryAfterMs,
  secondsToTell,
  stillAwaited,
  stillRemembered,
  wholeSecond,
} from '../../../src/process/due/due-rules.ts'

const NOW = 1_800_000_000_000
const at = (seconds: number) => NOW + seconds * 1_000
const told = (...seconds: number[]) => addTold([], seconds.map(at), NOW)

it('looks are at whole seconds, never before the time', () => {
  expect([NOW, NOW + 1, NOW + 999, NOW + 1_000].map(wholeSecond)).toEqual([NOW, at(1), at(1), at(1)])
})

it('of distant times the first one is told, of those within a minute each second', () => {
  expect(secondsToTell([], [at(500), at(90), at(100)], NOW)).toEqual([at(90)])
  expect(secondsToTell([], [at(5) - 10, at(5) - 20, at(3), at(90), at(100)], NOW)).toEqual([at(3), at(5), at(90)])
})

it('a time is covered by a look in the same second, or by an earlier one that is a minute away', () => {
  expect(secondsToTell(told(5), [at(5) - 1], NOW)).toEqual([])
  expect(secondsToTell(told(5), [at(6)], NOW)).toEqual([at(6)])
  expect(secondsToTell(told(5), [at(100)], NOW)).toEqual([at(100)])
  expect(secondsToTell(told(61), [at(100), at(62)], NOW)).toEqual([])
  expect(secondsToTell(told(60), [at(100)], NOW)).toEqual([at(100)])
  // What was told a minute ago is not relied on, because the object forgets it later.
  expect(secondsToTell(told(500), [at(600)], at(61))).toEqual([at(600)])
})

it('the object keeps a time until it comes, or what relied on it is in the database', () => {
  expect(stillAwaited(told(5, 500), at(5)).map(each => each.at)).toEqual([at(500)])
  expect(stillAwaited(told(500), at(149))).toHaveLength(1)
  expect(stillAwaited(told(500), at(150))).toEqual([])
  expect(stillRemembered(told(500), at(59))).toHaveLength(1)
  expect(stillRemembered(told(500), at(60))).toEqual([])
})

it('the next look is for what comes first, told or stored; there is none if nothing is to come', () => {
  expect(nextLookAt([], null, NOW)).toBe(null)
  expect(nextLookAt(told(5), at(4) - 1, NOW)).toBe(at(4))
  expect(nextLookAt(told(5), null, NOW)).toBe(at(5))
  expect(nextLookAt([], at(1e9), NOW)).toBe(NOW + 7 * 86_400_000)
})

it('after faults it tries again, every eight seconds at the latest', () => {
  expect([1, 2, 3, 4, 5, 50].map(retryAfterMs)).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
})
