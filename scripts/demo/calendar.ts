import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/time-units.ts'
import type { Random } from './random.ts'

/** 9:00 to 18:30 in India, in UTC. */
const OPENS_MS = 3.5 * HOUR_MS
const CLOSES_MS = 13 * HOUR_MS
/** Whoever works on a weekend. */
const WEEKEND_SHARE = 0.15

const getDay = (time: number): number => time - (time % DAY_MS)
const isWeekend = (time: number): boolean => [0, 6].includes(new Date(time).getUTCDay())

/** Returns a time in office hours, between the least and the most days later. */
export function workingTime(random: Random, after: number, [least, most]: readonly [number, number]): number {
  let time = after + (least + random.fraction() * (most - least)) * DAY_MS
  while (isWeekend(time) && !random.chance(WEEKEND_SHARE)) time += DAY_MS
  const ofDay = time % DAY_MS
  const isAtWork = ofDay >= OPENS_MS && ofDay <= CLOSES_MS
  const moment = isAtWork ? time : getDay(time) + OPENS_MS + random.fraction() * (CLOSES_MS - OPENS_MS)
  return Math.floor(Math.max(moment, after + random.whole(2, 90) * MINUTE_MS))
}

/** Formats a time as a `date`. */
export const isoDate = (time: number): string => new Date(time).toISOString().slice(0, 10)
