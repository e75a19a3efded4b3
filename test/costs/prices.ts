import { PRICES } from '../../src/usage/prices.ts'

/** The amounts of each price for some work. */
export type Work = Partial<Record<keyof typeof PRICES, number>>

export const toDollars = (work: Work): number =>
  Object.entries(work).reduce((sum, [what, count]) => sum + PRICES[what as keyof typeof PRICES] * count, 0)

export const times = (work: Work, factor: number): Work =>
  Object.fromEntries(Object.entries(work).map(([what, count]) => [what, count * factor]))

export const addUp = (all: readonly Work[]): Work => {
  const sum: Work = {}
  for (const work of all)
    for (const [what, count] of Object.entries(work) as [keyof Work, number][]) sum[what] = (sum[what] ?? 0) + count
  return sum
}
