import { describe, expect, it } from 'vitest'
import { mustReport, newBudget, newUse, spend, takeAnswer } from '../../src/auth/budget/budget-rules.ts'

const limits = { msPerSecond: 100, burstMs: 1_000 }

describe('a budget of database time', () => {
  it('allows its burst at once, and then so much each second', () => {
    const budget = newBudget(limits, 0)
    expect(spend(budget, 1_000, limits, 0)).toBe(0)
    expect(spend(budget, 50, limits, 0)).toBe(500)
    expect(spend(budget, 0, limits, 500)).toBe(0)
    expect(spend(budget, 100, limits, 1_500)).toBe(0)
    expect(spend(budget, 1, limits, 1_500)).toBe(10)
  })

  it('saves no more than its burst, and owes no more than ten seconds', () => {
    const budget = newBudget(limits, 0)
    expect(spend(budget, 1_001, limits, 3_600_000)).toBe(10)
    expect(spend(budget, 1_000_000, limits, 3_600_000)).toBe(10_000)
  })

  it('does not mind a clock that goes back', () => {
    const budget = newBudget(limits, 10_000)
    spend(budget, 1_000, limits, 10_000)
    expect(spend(budget, 10, limits, 0)).toBe(100)
    expect(spend(budget, 0, limits, 10_100)).toBe(0)
  })
})

describe('an isolate', () => {
  it('reports a team that has used some, and one that was over at once', () => {
    const use = newUse()
    expect(mustReport({ ...use, ms: 49 })).toBe(false)
    expect(mustReport({ ...use, ms: 50 })).toBe(true)
    expect(mustReport({ ...use, ms: 500, reporting: true })).toBe(false)
    takeAnswer(use, 7_000, 1_000)
    expect(use).toMatchObject({ overUntil: 3_000, wasOver: true })
    expect(mustReport({ ...use, ms: 1 })).toBe(true)
    takeAnswer(use, 0, 4_000)
    expect(use).toMatchObject({ overUntil: 4_000, wasOver: false })
  })
})
