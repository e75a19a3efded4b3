import type { MessageCount } from 'caseworker'
import type { Part } from '../parts/chart.tsx'
import { DELIVERY_STATUSES } from '../parts/message/delivery-status.ts'

const DAY_MS = 24 * 3_600_000
export const DAYS = 30

/** The last days, as the API names them in the reader's zone. Counted from noon to noon: a day may have 23 or 25 hours. */
export function daysUpTo(now: number): string[] {
  const noon = new Date(now).setHours(12, 0, 0, 0)
  return Array.from({ length: DAYS }, (_, nth) => {
    const day = new Date(noon - (DAYS - 1 - nth) * DAY_MS)
    return [day.getFullYear(), day.getMonth() + 1, day.getDate()].map(each => String(each).padStart(2, '0')).join('-')
  })
}

/** What became of the messages of a day, or of all days; with `listOf`, each number leads to its list. */
export const partsOfMessages = (
  counts: readonly MessageCount[],
  { day, listOf }: { day?: string; listOf?: (status: string) => string },
): Part[] =>
  DELIVERY_STATUSES.map(({ status, label, color }) => ({
    // It stands behind a number: "12 failed".
    label: label.toLowerCase(),
    color,
    value: counts
      .filter(each => each.status === status && (day === undefined || each.day === day))
      .reduce((sum, { count }) => sum + count, 0),
    ...(listOf ? { to: listOf(status) } : {}),
  }))
