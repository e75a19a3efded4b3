import { expect, it } from 'vitest'
import {
  addGroup,
  dropSmallest,
  type Figures,
  GROUPS_MAX,
  type GroupFigures,
} from '../../src/process/query/aggregate/figures.ts'
import { parseAggregate } from '../../src/process/query/aggregate/parsed-aggregate.ts'
import { estimateCost } from '../../src/process/query/aggregate/step.ts'
import { planQuery } from '../../src/process/query/plan/plan.ts'
import { MATCH_ALL } from '../../src/process/query/read/condition.ts'
import { countCandidates, SCAN_LIMITS } from '../../src/process/query/scan-limits.ts'
import { LEADS } from '../support/leads.ts'

const toGroup = (value: string, count: number): GroupFigures => ({ values: [value], count, sums: [], extremes: [] })

it('a list of groups drops the smallest groups, but not the one that may still grow', () => {
  const figures: Figures = new Map()
  for (let nth = 0; nth < GROUPS_MAX; nth++) addGroup(figures, toGroup(`large ${nth}`, 2))
  for (const value of ['small', 'growing']) addGroup(figures, toGroup(value, 1))
  expect(dropSmallest(figures, toGroup('growing', 1))).toBe(1)
  addGroup(figures, toGroup('growing', 5))
  expect(figures.get('["growing"]')?.count).toBe(6)
  expect(figures.has('["small"]')).toBe(false)
  expect(dropSmallest(figures, undefined)).toBe(1)
  expect(figures.size).toBe(GROUPS_MAX)
})

it('a list of groups adds what rounding leaves out of a sum of many steps', () => {
  const figures: Figures = new Map()
  const step = (total: number): GroupFigures => ({ ...toGroup('', 1), sums: [[total, 0, 1]] })
  for (const total of [1e16, 1, 1, -1e16]) addGroup(figures, step(total))
  const [[total, lost, numbers] = [0, 0, 0]] = figures.get('[""]')?.sums ?? []
  expect([total + lost, numbers]).toEqual([2, 4])
})

it('a statement whose groups may each have long texts reads fewer entries, also where an index has them', () => {
  const plan = planQuery(MATCH_ALL, LEADS)
  if (plan === null) throw new Error('all leads match')
  const count = (groupBy: string[], ...names: string[]) => {
    const parsed = parseAggregate(
      LEADS,
      groupBy,
      names.map(min => ({ min })),
    )
    return countCandidates(estimateCost(plan, parsed), SCAN_LIMITS)
  }
  expect([count(['hot'], 'city'), count(['hot'], 'value'), count([], 'city')]).toEqual([4_000, 10_000, 10_000])
})
