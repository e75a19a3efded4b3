/** When a day (`2026-11-22`) begins in the reader's zone, or one so many days later. */
export function midnightOf(day: string | undefined, later = 0): number {
  const [year = 0, month = 1, date = 1] = (day ?? '').split('-').map(Number)
  return new Date(year, month - 1, date + later).getTime()
}
