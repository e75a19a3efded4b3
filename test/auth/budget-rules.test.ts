import { describe, expect, it } from 'vitest'
import { type Budget, type BudgetReport, createBudget, reserve, spend } from '../../src/auth/budget/budget-rules.ts'

const limits = { msPerSecond: 100, burstMs: 1_000 }
const besideOthers = { limits, areOthersWaiting: true }
const alone = { limits, areOthersWaiting: false }
const used = (ms: number, reservedMs = 0): BudgetReport => ({ ms, reservedMs })
const overMs = (budget: Budget, report: BudgetReport, now: number) => spend(budget, report, besideOthers, now).overMs

describe('a budget of database time', () => {
  it('allows its burst at once, and then so much each second', () => {
    const budget = createBudget(limits, 0)
    expect(overMs(budget, used(1_000), 0)).toBe(0)
    expect(overMs(budget, used(50), 0)).toBe(500)
    expect(overMs(budget, used(0), 500)).toBe(0)
    expect(overMs(budget, used(10), 600)).toBe(0)
    expect(overMs(budget, used(1), 600)).toBe(10)
  })

  it('saves no more than its burst, and owes no more than ten seconds', () => {
    const budget = createBudget(limits, 0)
    expect(overMs(budget, used(1_001), 3_600_000)).toBe(10)
    expect(overMs(budget, used(1_000_000), 3_600_000)).toBe(10_000)
  })

  it('is not confused by a clock that goes back', () => {
    const budget = createBudget(limits, 10_000)
    overMs(budget, used(1_000), 10_000)
    expect(overMs(budget, used(10), 0)).toBe(100)
    expect(overMs(budget, used(0), 10_100)).toBe(0)
  })

  it('takes nothing while nobody else waits for the database', () => {
    const budget = createBudget(limits, 0)
    expect(spend(budget, used(1_000_000), alone, 0)).toEqual({ overMs: 0, strictMs: 0 })
    expect(budget.leftMs).toBe(1_000)
  })

  it('is strict for thirty seconds after it was exceeded: no burst is saved, and nothing is free', () => {
    const budget = createBudget(limits, 0)
    expect(spend(budget, used(1_001), besideOthers, 0)).toEqual({ overMs: 10, strictMs: 30_000 })
    expect(spend(budget, used(21), alone, 10_000)).toEqual({ overMs: 10, strictMs: 20_000 })
    expect(spend(budget, used(0), alone, 30_000)).toEqual({ overMs: 0, strictMs: 0 })
    expect(budget.leftMs).toBe(1_000)
  })
})

describe('calls that reserve their time before they start', () => {
  it('start one after the other, each as soon as its reservation is earned', () => {
    const budget = { ...createBudget(limits, 0), leftMs: 0, strictUntil: 30_000 }
    expect(reserve(budget, 10, limits, 0)).toEqual({ startInMs: 0, isReserved: true })
    expect(reserve(budget, 10, limits, 0)).toEqual({ startInMs: 100, isReserved: true })
    expect(reserve(budget, 10, limits, 50)).toEqual({ startInMs: 150, isReserved: true })
  })

  it('are refused, and reserve nothing, where they would wait for more than a second', () => {
    const budget = { ...createBudget(limits, 0), leftMs: -101, strictUntil: 30_000 }
    expect(reserve(budget, 10, limits, 0)).toEqual({ startInMs: 1_010, isReserved: false })
    expect(budget.leftMs).toBe(-101)
    expect(reserve(budget, 10, limits, 10)).toEqual({ startInMs: 1_000, isReserved: true })
  })

  it('are charged for what they used, not for what they reserved', () => {
    const budget = { ...createBudget(limits, 0), leftMs: 20, strictUntil: 30_000 }
    reserve(budget, 10, limits, 0)
    expect(overMs(budget, used(12, 10), 0)).toBe(0)
    expect(budget.leftMs).toBe(8)
  })
})
