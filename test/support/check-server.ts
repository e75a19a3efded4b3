import { readFileSync } from 'node:fs'
import { connectAccount } from '../../scripts/demo/accounts.ts'
import { callerOf, type Place } from '../../scripts/demo/caller.ts'
import { makeKeys } from '../../scripts/demo/keys.ts'
import { USERS } from '../../scripts/demo/people.ts'
import { seedDemo } from '../../scripts/demo.ts'
import { execute } from '../../scripts/sql.ts'
import { wrangler } from '../../scripts/wrangler.ts'
import { newTeam } from '../../src/auth/new-team.ts'
import { LOCAL_ACCOUNT } from '../whatsapp/defaults.ts'
import { newState, type Started, type StartedTeam, started } from './started.ts'

// One server for many checks. Each check works in a team of its own, so that it does not matter which others run beside it.

/** The checks that have a team, by their names: `test/<name>.check.ts`. */
export const TEAMS = ['client', 'command-line', 'docs', 'generators', 'programs', 'samples'] as const
type OwnTeam = (typeof TEAMS)[number]
/** The demo team of `npm start`, which has a past. */
type TeamName = OwnTeam | 'demo'

/** What a check has to know of the server. */
export interface ServerAddress {
  url: string
  tokens: Partial<Record<TeamName, string>>
}
interface CheckServer extends ServerAddress {
  running: Started
}

/** A fresh `npm start` that has, besides the demo team, a team for each of these checks. */
export async function startCheckServer(names: readonly OwnTeam[]): Promise<CheckServer> {
  const state = newState()
  const teams = await Promise.all(names.map(name => newTeam(name, Date.now())))
  if (teams.length > 0) {
    // Before the server runs: two processes that write to one local database get in each other's way.
    const where = ['--local', '--persist-to', state]
    wrangler('d1', 'migrations', 'apply', 'DB', ...where)
    execute(
      teams.flatMap(({ statements }) => statements),
      where,
    )
  }
  const running = await started({ state })
  const provider = running.url.replace(/\d+$/, port => String(Number(port) + 1))
  await Promise.all(
    teams.map(({ token }, nth) =>
      furnish({ url: running.url, provider, token }, nth).catch(async (error: unknown) => {
        await running.stop()
        throw error
      }),
    ),
  )
  const tokens = Object.fromEntries(names.map((name, nth) => [name, teams[nth]?.token]))
  return { running, url: running.url, tokens: { ...tokens, demo: running.token } }
}

/** What the examples name: users, procedures with some processes, an account of the emulated WhatsApp, and keys. */
async function furnish(place: Place, nth: number): Promise<void> {
  const caller = callerOf(place)
  for (const user of USERS) await caller.call('POST', '/v1/ext/user', user)
  await seedDemo(place)
  // The emulator tells one callback address of an account, so no two teams share one.
  const number = String(100 + nth)
  await connectAccount(caller, place, {
    name: 'WhatsApp of the demo team',
    id: `100000000000${number}`,
    phoneNumbers: [{ id: `200000000000${number}`, displayNumber: `15550000${number}` }],
  })
  await makeKeys(caller, Date.now())
}

/** The demo team's number, which the document's examples send from. Each other team has one of its own. */
export const EXAMPLE_SENDER = LOCAL_ACCOUNT.phoneNumbers[0]?.id ?? ''

/** The id of the number that a team sends from. */
export async function findSender({ url, token }: StartedTeam): Promise<string> {
  const response = await fetch(`${url}/v1/ext/plugin`, { headers: { authorization: `Bearer ${token}` } })
  const { _data } = (await response.json()) as { _data: { phoneNumbers: { id: string }[] }[] }
  return _data[0]?.phoneNumbers[0]?.id ?? ''
}

/** The team of a check: on the server whose address is in the file that CHECK_SERVER names, otherwise on one of its own. */
export async function startedTeam(name: TeamName): Promise<StartedTeam> {
  const file = process.env.CHECK_SERVER
  const own = file === undefined ? await startCheckServer(name === 'demo' ? [] : [name]) : undefined
  const { url, tokens } = own ?? (JSON.parse(readFileSync(file ?? '', 'utf8')) as ServerAddress)
  const token = tokens[name]
  if (token === undefined) throw new Error(`the server of ${file} has no team ${name}`)
  return { url, token, stop: async () => own?.running.stop() }
}
