import { midnightOf } from './midnight.ts'

export interface FilterDays {
  from?: string | undefined
  to?: string | undefined
}

/** The times that a filter by days asks the API for; the last day is included. */
export const timesOfDays = ({ from, to }: FilterDays): { from?: number; to?: number } => ({
  ...(from === undefined ? {} : { from: midnightOf(from) }),
  ...(to === undefined ? {} : { to: midnightOf(to, 1) }),
})
