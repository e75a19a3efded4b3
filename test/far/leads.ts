import { expect } from 'vitest'
import { definition } from '../support/procedures.ts'
import type { FarTeam, Place } from './far.ts'

export const LEADS = '/v1/ext/procedure/lead/process'

export async function teamWithLeads(place: Place, name?: string): Promise<FarTeam> {
  const team = await place.newTeam(name)
  const made = await team.call('PUT', '/v1/ext/procedure/lead', definition())
  expect(made.errors).toEqual([])
  return team
}

/** Measures how long something takes, in virtual time. */
export async function measureMs(place: Place, act: () => Promise<unknown>): Promise<number> {
  const startedAt = Date.now()
  await place.run(act)
  return Date.now() - startedAt
}

/** The message of the error that something fails with. */
export const catchError = (act: () => Promise<unknown>): Promise<string> =>
  act().then(
    () => 'it did not fail',
    (error: Error) => error.message,
  )
