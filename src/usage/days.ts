import { DAY_MS, toDay } from '../time-units.ts'

const MONTH = /^(\d{4})-(0[1-9]|1[0-2])$/

export const isMonth = (text: string): boolean => MONTH.test(text)

/** Formats the month of a time, as 2026-11. */
export const formatMonth = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

/** Returns the first day of a month and that of the next one, in days since 1970 in UTC. */
export function getMonthDays(month: string): { first: number; end: number } {
  const [, year = '', number = ''] = MONTH.exec(month) ?? []
  const getStart = (nth: number) => toDay(Date.UTC(Number(year), nth, 1))
  return { first: getStart(Number(number) - 1), end: getStart(Number(number)) }
}

export const formatDay = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10)
