/** The number of days that a chart covers. */
export const CHART_DAYS = 30
/** The figures of a chart may be as old as this. */
export const CHART_STALE_MS = 2 * 60_000

export const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** Year, month and day as the API groups them, in the reader's zone: `2026-11-22`. */
export const toIsoDay = (ms: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(ms)

/** The days up to today, oldest first. A day on which the clocks change has 23 or 25 hours, so days are counted, not hours. */
export function lastDays(now: number, count: number): string[] {
  const today = new Date(now)
  return Array.from({ length: count }, (_, nth) => {
    const noon = new Date(today.getFullYear(), today.getMonth(), today.getDate() - (count - 1 - nth), 12)
    return toIsoDay(noon.getTime())
  })
}
