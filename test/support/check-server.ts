import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LOCAL_ACCOUNT } from '../whatsapp/defaults.ts'
import { sleep } from './sleep.ts'
import './fresh-connections.ts'
import type { StartedTeam } from './started.ts'

// One server runs for many checks. Each check works in a team of its own, so that it does not matter which others run
// beside it.

/** The checks that have a team, by their names: `test/<name>.check.ts`. */
export const TEAMS = ['client', 'command-line', 'docs', 'generators', 'programs', 'samples'] as const
export type OwnTeam = (typeof TEAMS)[number]
/** The demo team of `npm start`, which has a past. */
type TeamName = OwnTeam | 'demo'

/** The facts about the server that a check needs. */
export interface ServerAddress {
  url: string
  operator: string
  tokens: Partial<Record<TeamName, string>>
}

const POLL_MS = 100
const COMPLAINTS_CHARACTERS_MAX = 20_000

/** The team of a check: on the server whose address is in the file that CHECK_SERVER names, otherwise on one of its own. */
export async function startTeam(name: TeamName): Promise<StartedTeam> {
  const file = process.env.CHECK_SERVER
  if (file === undefined) return startAlone(name)
  return { ...teamIn(file, name), stop: async () => {} }
}

/**
 * Starts a server in a process of its own: a check that runs others blocks its own process, which then answers nobody.
 */
async function startAlone(name: TeamName): Promise<StartedTeam> {
  const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-server-'))
  const file = path.join(folder, 'server.json')
  const args = ['--import', 'tsx', 'test/serve-checks.ts', file, name]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ended = new Promise(resolve => server.on('exit', resolve))
  let complaints = ''
  server.stderr.on('data', chunk => (complaints = (complaints + chunk).slice(-COMPLAINTS_CHARACTERS_MAX)))
  process.once('exit', code => {
    server.kill()
    if (code !== 0) process.stderr.write(complaints)
  })
  while (!existsSync(file)) {
    if (server.exitCode !== null) throw new Error('the server of the check did not get ready')
    await sleep(POLL_MS)
  }
  return {
    ...teamIn(file, name),
    async stop() {
      server.kill()
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

function teamIn(file: string, name: TeamName): Pick<StartedTeam, 'url' | 'token' | 'operator'> {
  const { url, operator, tokens } = JSON.parse(readFileSync(file, 'utf8')) as ServerAddress
  const token = tokens[name]
  if (token === undefined) throw new Error(`the server of ${file} has no team ${name}`)
  return { url, token, operator }
}

/** The demo team's number, which the document's examples send from. Each other team has one of its own. */
export const EXAMPLE_SENDER = LOCAL_ACCOUNT.phoneNumbers[0]?.id ?? ''

/** The id of the number that a team sends from. */
export async function findSender({ url, token }: StartedTeam): Promise<string> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(`${url}/v1/ext/plugin`, { headers })
  const { _data } = (await response.json()) as { _data: { phoneNumbers: { id: string }[] }[] }
  return _data[0]?.phoneNumbers[0]?.id ?? ''
}
