import { newId } from '../../src/ids.ts'
import type { Procedure } from '../../src/procedure/model.ts'
import { workingTime } from './calendar.ts'
import type { Customer } from './customers.ts'
import type { Log, LogAuthor } from './log.ts'
import type { DemoProcedure } from './procedures.ts'
import type { Random } from './random.ts'

/** The parts of the company that make its history. */
export interface Company {
  log: Log
  random: Random
  now: number
  procedures: Readonly<Record<DemoProcedure, Procedure>>
  /** The ids of users, by username. */
  users: ReadonlyMap<string, string>
  /** Ids of API keys, by what they are for. */
  keys: Readonly<Record<'app' | 'website', string>>
}

export const userId = ({ users }: Company, name: string): string => {
  const id = users.get(name)
  if (id === undefined) throw new Error(`the demo has no user ${name}`)
  return id
}

/** A call of the app that the people of the team use. */
export const byPerson = (company: Company, name: string, at: number): LogAuthor => ({
  at,
  user: userId(company, name),
  origin: { apiKey: company.keys.app, request: newId(at) },
})

/** The form of the website, which acts for the first admin. */
export const byWebsite = (company: Company, at: number): LogAuthor => ({
  at,
  user: userId(company, 'admin'),
  origin: { apiKey: company.keys.website, request: newId(at) },
})

/** A job of long ago: jobs are kept for a month, and what they did for a year. */
export const byJob = (company: Company, name: string, at: number): LogAuthor => ({
  at,
  user: userId(company, name),
  origin: { job: newId(at) },
})

/** Nothing happens in the last minutes before the start. */
const QUIET_MS = 10 * 60_000
export const isOver = ({ now }: Company, at: number): boolean => at < now - QUIET_MS

/** Returns a time between these days later, at which somebody comes to it. */
export const later = ({ random }: Company, after: number, days: readonly [number, number]): number =>
  workingTime(random, after, days)

/** Chooses somebody who was a customer at that time. */
export function customerAt({ random }: Company, customers: readonly Customer[], at: number): Customer {
  const known = customers.findIndex(({ since }) => since > at)
  const count = known === -1 ? customers.length : known
  const customer = customers[random.whole(0, Math.max(0, count - 1))]
  if (!customer) throw new Error('the demo has no customers')
  return customer
}
