import { describe, expect, it } from 'vitest'
import {
  endCall,
  mustReport,
  newBudget,
  newUse,
  spend,
  takeAnswer,
  takeRoom,
} from '../../src/auth/budget/budget-rules.ts'

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

describe('calls of a team at the same time', () => {
  it('are as many as the database can be expected to answer in a tenth of a burst', () => {
    const use = newUse()
    let begun = 0
    while (takeRoom(use, limits, 0)) begun += 1
    expect(begun).toBe(50)
    for (let nth = 1; nth <= 30; nth++) endCall(use, 0, 100)
    expect(use.callMs).toBeCloseTo(100, 0)
    expect(use.ms).toBe(3_000)
    expect(takeRoom(use, limits, 0)).toBe(false)
  })

  it('are few once the team was over its budget, but one always may', () => {
    const use = { ...newUse(), callMs: 100 }
    takeAnswer(use, 1, 0)
    expect([takeRoom(use, limits, 1), takeRoom(use, limits, 1)]).toEqual([true, false])
    endCall(use, 1, 10)
    expect(takeRoom(use, limits, 2)).toBe(true)
    expect(takeRoom({ ...use, callMs: 14, begun: [2] }, limits, 30_000)).toBe(true)
  })

  it('whose clients have gone do not count for ever', () => {
    const use = { ...newUse(), callMs: 1_000 }
    expect([takeRoom(use, limits, 0), takeRoom(use, limits, 20_000)]).toEqual([true, true])
  })
})
