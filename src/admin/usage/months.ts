import { DAY_MS } from '../parts/times.ts'

const named = new Intl.DateTimeFormat(undefined, { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** "November 2026" of `2026-11`. */
export const monthName = (month: string): string => named.format(Date.parse(`${month}-01T00:00:00Z`))

/** The month before or after, as `2026-11`. */
export function monthBeside(month: string, step: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number)
  return new Date(Date.UTC(year, number - 1 + step, 1)).toISOString().slice(0, 'YYYY-MM'.length)
}

/** Estimates the cost of the present month at its end; undefined if it is over, or its first day is not. */
export function costAtEnd(month: string, dollars: number, now: number): number | undefined {
  const [begin, end] = [month, monthBeside(month, 1)].map(each => Date.parse(`${each}-01T00:00:00Z`))
  if (begin === undefined || end === undefined || now >= end || now - begin < DAY_MS) return undefined
  return (dollars * (end - begin)) / (now - begin)
}

export const formatDollars = (dollars: number): string =>
  dollars.toLocaleString(undefined, {
    style: 'currency',
    currency: 'USD',
    // A call costs a fraction of a cent.
    maximumFractionDigits: dollars !== 0 && Math.abs(dollars) < 1 ? 4 : 2,
  })
