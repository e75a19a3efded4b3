/** Cloudflare's published prices on the paid plan, in dollars, without what a plan includes. */
export const PRICES = {
  request: 0.3e-6,
  cpuMs: 0.02e-6,
  rowRead: 0.001e-6,
  rowWritten: 1e-6,
  /** A message is written, read and deleted: three operations. */
  queueMessage: 3 * 0.4e-6,
  objectCall: 0.15e-6,
  logLine: 0.6e-6,
  databaseByteMonth: 0.75e-9,
  fileWrite: 4.5e-6,
  fileRead: 0.36e-6,
  fileByteMonth: 0.015e-9,
} as const

/** What something takes of each. */
export type Work = Partial<Record<keyof typeof PRICES, number>>

export const dollarsOf = (work: Work): number =>
  Object.entries(work).reduce((sum, [what, count]) => sum + PRICES[what as keyof typeof PRICES] * count, 0)

export const times = (work: Work, factor: number): Work =>
  Object.fromEntries(Object.entries(work).map(([what, count]) => [what, count * factor]))

export const sumOf = (all: readonly Work[]): Work => {
  const sum: Work = {}
  for (const work of all)
    for (const [what, count] of Object.entries(work) as [keyof Work, number][]) sum[what] = (sum[what] ?? 0) + count
  return sum
}
