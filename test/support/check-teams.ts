import { connectAccount } from '../../scripts/demo/accounts.ts'
import { createCaller, type Place } from '../../scripts/demo/caller.ts'
import { makeKeys } from '../../scripts/demo/keys.ts'
import { USERS } from '../../scripts/demo/people.ts'
import { seedExamples } from '../../scripts/demo.ts'
import { useDatabase } from '../../scripts/local/migrated-database.ts'
import { inLocal } from '../../scripts/team/database.ts'
import { buildTeam } from '../../src/team/new-team.ts'
import type { OwnTeam, ServerAddress } from './check-server.ts'
import { newState, type StartedTeam, startServer } from './started.ts'

interface CheckServer extends ServerAddress {
  stop: StartedTeam['stop']
}

/** A fresh `npm start` that has, besides the demo team, a team for each of these checks. */
export async function startCheckServer(names: readonly OwnTeam[]): Promise<CheckServer> {
  const state = newState()
  // Each in a millisecond of its own: the row numbers of two admins of one millisecond may be the same.
  const now = Date.now() - names.length
  const teams = await Promise.all(names.map((name, nth) => buildTeam(name, { no: nth + 1, now: now + nth })))
  // Teams are made before the server runs, because two processes that write to one local database collide.
  if (teams.length > 0) await useDatabase(state, db => inLocal(db)(teams.flatMap(({ statements }) => statements)))
  const { url, token: demo, operator, stop } = await startServer({ state, isLoud: true })
  const provider = url.replace(/\d+$/, port => String(Number(port) + 1))
  await Promise.all(
    teams.map(({ token }, nth) =>
      furnish({ url, provider, token }, nth).catch(async (error: unknown) => {
        await stop()
        throw error
      }),
    ),
  )
  const tokens = Object.fromEntries(names.map((name, nth) => [name, teams[nth]?.token]))
  return { url, operator, tokens: { ...tokens, demo }, stop }
}

/**
 * Creates what the examples name: users, procedures with some processes, an account of the emulated WhatsApp, and keys.
 */
async function furnish(place: Place, nth: number): Promise<void> {
  const caller = createCaller(place)
  for (const user of USERS) await caller.call('POST', '/v1/ext/user', user)
  await seedExamples(caller)
  // The emulator tells one callback address of an account, so no two teams share one.
  const number = String(100 + nth)
  await connectAccount(caller, place, {
    name: 'WhatsApp of the demo team',
    id: `100000000000${number}`,
    phoneNumbers: [{ id: `200000000000${number}`, displayNumber: `15550000${number}` }],
  })
  await makeKeys(caller, Date.now())
}
