import { expect, it } from 'vitest'
import {
  addScheduled,
  findUnscheduled,
  getNextScanAt,
  keepAwaited,
  keepRemembered,
  retryAfterMs,
  toWholeSecond,
} from '../../../src/process/due/due-rules.ts'

const NOW = 1_800_000_000_000
const at = (seconds: number) => NOW + seconds * 1_000
const scheduled = (...seconds: number[]) => addScheduled([], seconds.map(at), NOW)

it('scans are at whole seconds, never before the time', () => {
  expect([NOW, NOW + 1, NOW + 999, NOW + 1_000].map(toWholeSecond)).toEqual([NOW, at(1), at(1), at(1)])
})

it('the alarm is scheduled at the first of distant times, and at each second of those within a minute', () => {
  expect(findUnscheduled([], [at(500), at(90), at(100)], NOW)).toEqual([at(90)])
  expect(findUnscheduled([], [at(5) - 10, at(5) - 20, at(3), at(90), at(100)], NOW)).toEqual([at(3), at(5), at(90)])
})

it('a time is covered by a scan in the same second, or by an earlier one that is a minute away', () => {
  expect(findUnscheduled(scheduled(5), [at(5) - 1], NOW)).toEqual([])
  expect(findUnscheduled(scheduled(5), [at(6)], NOW)).toEqual([at(6)])
  expect(findUnscheduled(scheduled(5), [at(100)], NOW)).toEqual([at(100)])
  expect(findUnscheduled(scheduled(61), [at(100), at(62)], NOW)).toEqual([])
  expect(findUnscheduled(scheduled(60), [at(100)], NOW)).toEqual([at(100)])
  // A time that was scheduled a minute ago is not relied on, because the object forgets it later.
  expect(findUnscheduled(scheduled(500), [at(600)], at(61))).toEqual([at(600)])
})

it('the object keeps a time until it comes, or its change is in the database', () => {
  expect(keepAwaited(scheduled(5, 500), at(5)).map(each => each.at)).toEqual([at(500)])
  expect(keepAwaited(scheduled(500), at(149))).toHaveLength(1)
  expect(keepAwaited(scheduled(500), at(150))).toEqual([])
  expect(keepRemembered(scheduled(500), at(59))).toHaveLength(1)
  expect(keepRemembered(scheduled(500), at(60))).toEqual([])
})

it('the next scan is for the first time, scheduled or stored, and there is none without a time', () => {
  expect(getNextScanAt([], null, NOW)).toBe(null)
  expect(getNextScanAt(scheduled(5), at(4) - 1, NOW)).toBe(at(4))
  expect(getNextScanAt(scheduled(5), null, NOW)).toBe(at(5))
  expect(getNextScanAt([], at(1e9), NOW)).toBe(NOW + 7 * 86_400_000)
})

it('a scan that fails is tried again, every eight seconds at the latest', () => {
  expect([1, 2, 3, 4, 5, 50].map(retryAfterMs)).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
})
