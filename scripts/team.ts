import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Statement } from '../src/db/statement.ts'
import { isWebAddress } from '../src/http/web-address.ts'
import { buildLink, formatLinkAddress } from '../src/session/new-link.ts'
import { buildTeam, selectNextTeamNumber, selectTeam, toShortId } from '../src/team/new-team.ts'
import { resumeTeam, revokeCredentials, suspendByOperator } from '../src/team/suspend.ts'
import { selectTeamByName, type TeamRow } from '../src/team/team-by-name.ts'
import { limitTeam, selectRowsToday } from '../src/team-status/allowance.ts'
import { SECOND_MS } from '../src/time-units.ts'
import { readArguments, refuseArguments } from './arguments.ts'
import { UsageError } from './installation/options.ts'
import { describeUnknown, getConfigFile, readRecord } from './installation/record.ts'
import { DATA_FOLDER, type LocalPlace, readPlace } from './local/place.ts'
import { makePrivateFolder } from './local/private-folder.ts'
import { findStarts } from './local/running.ts'
import { inLocal, inRemote, type RunStatements } from './team/database.ts'
import { runOperatorCommand } from './team/operator-commands.ts'

const USAGE = `usage: npm run team -- create "<name>" [--installation <name> | --remote] [--url <address>]
       npm run team -- suspend <team> [--installation <name> | --remote]
       npm run team -- resume <team> [--revoke-keys] [--installation <name> | --remote] [--url <address>]
       npm run team -- limit <team> --rows-per-day <number> | --none [--installation <name> | --remote]
       OPERATOR_TOKEN=… npm run team -- export|import <team> [--url <address>] [--folder <folder>]
       OPERATOR_TOKEN=… npm run team -- erase <team> [--yes] [--url <address>]
       OPERATOR_TOKEN=… npm run team -- sign-in <team> [--url <address>] [--user <name>]
       OPERATOR_TOKEN=… npm run team -- backup <team> [--suspend] [--url <address>] [--backups <folder>]
       npm run team -- backups <team> [--within <hours>] [--backups <folder>]
       OPERATOR_TOKEN=… npm run team -- restore <team> --backup <time> [--yes] [--url <address>] [--backups <folder>]
       OPERATOR_TOKEN=… npm run team -- restore <team> --give-up-erasures [--yes] [--url <address>] [--backups <folder>]
  create          makes a team, its first admin, and a token and a sign-in link, which are printed once
  suspend         refuses every call of a team, and lets its jobs, sends, webhooks and due actions rest, until it is resumed
  limit           from now on a team may write so many rows a day in UTC: beyond them what adds something is refused
  backup          copies all that a team has, its processes and definitions as they are at one moment, and removes its
                  backups of more than 30 days ago
  backups         lists the backups that are whole
  restore         takes a team back to a backup, while all others live on; broken off, it is run again
  <team>          its short id or id. "erase" takes the id only
  --revoke-keys   ends every key, session, sign-in link and passkey of the team before it is resumed, and prints a
                  sign-in link for its first active admin; resumes it half a minute after it was suspended, and suspends it
                  if it is not
  --rows-per-day  the rows that its requests write, and the entries of its jobs, as its usage counts them
  --none          takes the limit away
  --installation  in the database of an installation that \`npm run setup\` has made
  --remote        in the database that wrangler.toml names
  --url           create, resume: the address that the link begins with, if setup was told of no domain;
                  else the installation: the \`npm start\` that runs, or http://localhost:8787, if none is named
  --folder        where an export is written to, or read from: ./<team> if none is named
  --backups       the folder of backups: ./backups if none is named
  --within        ends with 1 if the newest backup is older than so many hours: for a monitor
  --backup        the time of a backup, as \`backups\` lists it
  --suspend       suspends the team while it is copied: for one that is written to at all hours
  --give-up-erasures  ends a restore that erasures hold up; people who could not be erased again stay in the database
  --yes           asks nothing
  --user          whom the sign-in link is for, by username or e-mail address: the first active admin if nobody is named
The first four write to the database: on this machine, to that of the \`npm start\` that runs, or of the one that STATE (the
folder of its data) and PORT name, if several run. The others call the Worker, with the secret OPERATOR_TOKEN of the
installation from the environment; that of \`npm start\` is found by itself.`

/** The options that each command takes. */
const COMMANDS = {
  create: ['installation', 'remote', 'url'],
  suspend: ['installation', 'remote'],
  resume: ['installation', 'remote', 'url', 'revoke-keys'],
  limit: ['installation', 'remote', 'rows-per-day', 'none'],
  export: ['url', 'folder'],
  import: ['url', 'folder'],
  erase: ['url', 'yes'],
  'sign-in': ['url', 'user'],
  backup: ['url', 'backups', 'suspend'],
  backups: ['backups', 'within'],
  restore: ['url', 'backups', 'backup', 'give-up-erasures', 'yes'],
} as const satisfies Record<string, readonly string[]>
type Command = keyof typeof COMMANDS

const AGAIN = 'Whether it was done is not known. Run the same command again: running it again does no harm.'

/** Longer than an isolate relies on what it knows of a token (`src/auth/owner-cache.ts`). */
const SETTLE_SECONDS = 30

const text = { type: 'string' } as const
const {
  positionals: [command = '', name],
  values,
} = readArguments(USAGE, {
  options: {
    installation: text,
    url: text,
    folder: text,
    user: text,
    remote: { type: 'boolean' },
    'revoke-keys': { type: 'boolean' },
    'rows-per-day': text,
    none: { type: 'boolean' },
    backups: text,
    within: text,
    backup: text,
    suspend: { type: 'boolean' },
    'give-up-erasures': { type: 'boolean' },
    yes: { type: 'boolean' },
  },
  positionalsMax: 2,
})
if (!isCommand(command))
  refuseArguments(
    `${command === '' ? 'what to do is missing' : `there is no command ${command}`}: ${Object.keys(COMMANDS).join(', ')}`,
    USAGE,
  )
if (!name?.trim())
  refuseArguments(command === 'create' ? 'the name of the team is missing' : 'the team is missing', USAGE)
const options: readonly string[] = COMMANDS[command]
const foreign = Object.keys(values).find(option => !options.includes(option))
if (foreign !== undefined) refuseArguments(`${command} has no option --${foreign}`, USAGE)
if (values.url !== undefined && !isWebAddress(values.url))
  refuseArguments(`--url must be an address such as https://api.example.com, not ${values.url}`, USAGE)
const rowsPerDay = command === 'limit' ? readRowsPerDay() : null
if (command !== 'create' && command !== 'suspend' && command !== 'resume' && command !== 'limit') {
  await runOperatorCommand(command, name, values).catch(failed)
  process.exit(0)
}
const { installation, remote: isRemote = false, 'revoke-keys': revokesKeys = false } = values
if (installation !== undefined && !existsSync(getConfigFile(installation)))
  failed(new Error(describeUnknown(installation)))
const remote = isRemote || installation !== undefined
/** What names the same database in another command. */
const same = installation === undefined ? (isRemote ? ' --remote' : '') : ` --installation ${installation}`
const { port, state } = remote ? readPlace() : choosePlace()
// A file that cannot be read stands in the way of what prints a link alone.
const printsLink = command === 'create' || (command === 'resume' && revokesKeys)
const domain = installation === undefined || !printsLink ? undefined : readDomain(installation)
const address = values.url?.replace(/\/+$/, '') ?? (domain === undefined ? undefined : `https://${domain}`)
const origin = remote ? (address ?? '<the address of the installation>') : `http://localhost:${port}`
const now = Date.now()
await inDatabase(async run => {
  if (command === 'create') await createTeam(run, name)
  else if (command === 'limit') await changeLimit(run, name)
  else await changeTeam(run, command, name)
}).catch(failed)

/** Where no start runs, the local database is migrated before. */
async function inDatabase(act: (run: RunStatements) => Promise<void>): Promise<void> {
  if (remote) return act(inRemote(installation === undefined ? 'wrangler.toml' : getConfigFile(installation)))
  makePrivateFolder(state, DATA_FOLDER)
  // What runs a local database takes a second to load.
  const { useDatabase } = await import('./local/migrated-database.ts')
  return useDatabase(state, db => act(inLocal(db)))
}

function readDomain(installation: string): string | undefined {
  try {
    return readRecord(installation).domain
  } catch (error) {
    return failed(error)
  }
}

function isCommand(word: string): word is Command {
  return Object.hasOwn(COMMANDS, word)
}

/** Parses the limit; null for any number. */
function readRowsPerDay(): number | null {
  const { none = false, 'rows-per-day': rows } = values
  if (none === (rows !== undefined)) refuseArguments('limit needs one of --rows-per-day and --none', USAGE)
  if (rows === undefined) return null
  if (!/^[1-9]\d{0,11}$/.test(rows)) refuseArguments('--rows-per-day must be a whole number above 0', USAGE)
  return Number(rows)
}

function failed(error: unknown): never {
  if (error instanceof UsageError) refuseArguments(error.message, USAGE)
  console.error(error instanceof Error ? error.message : String(error))
  process.exit(1)
}

async function createTeam(run: RunStatements, name: string): Promise<void> {
  const [taken, [{ no = 1 } = {}]] = await run([selectTeam(toShortId(name)), selectNextTeamNumber])
  if (taken.length > 0) refuse(`a team with the short id ${toShortId(name)} exists already; choose another name`)
  const team = await buildTeam(name, { no, now })
  const link = await buildLink({ team: team.teamNo, user: team.userId, createdBy: null }, now)
  // Its token is stored nowhere: where the team is there, a link to sign in takes its place.
  await writeOr(
    run,
    [...team.statements, link.statement],
    `Whether ${team.shortId} was made is not known. Run the same command again. If it says that the team exists, it is there, and nobody has its token. This ends that token, and prints a sign-in link for the admin, who makes another one:
  npm run team -- resume ${team.shortId} --revoke-keys${same}`,
  )
  if (!remote) console.log(`made in ${state}, the local data of the npm start at ${origin}`)
  console.log(`team     ${name} (${team.shortId}, ${team.teamId})
admin    admin (${team.userId})
token    ${team.token}
sign in  ${formatLinkAddress(origin, link.token)}
The token is shown only now. The link works once, within an hour.`)
}

/** Suspends or resumes a team by the database alone: this also works where the Worker does not answer. */
async function changeTeam(run: RunStatements, verb: 'suspend' | 'resume', name: string): Promise<void> {
  const [[team]] = await run([selectTeamByName(name)])
  if (!team) refuse(`there is no team with the short id or id ${name}`)
  const named = `${team.name} (${team.shortId}, ${team.id})`
  if (verb === 'suspend') {
    await writeOr(run, [suspendByOperator(team.no, now)], AGAIN)
    const since = team.suspendedAt === null ? '' : `, since ${new Date(team.suspendedAt).toISOString()}`
    console.log(`suspended  ${named}${since}
Within a minute every call of the team is refused, and what it has under way rests. Nothing is lost.
It is taken back by:  npm run team -- resume ${team.shortId}${same}`)
    return
  }
  if (!revokesKeys) {
    await writeOr(run, resumeTeam(team.no, now), AGAIN)
    console.log(team.suspendedAt === null ? `${named} is not suspended` : `resumed  ${named}`)
    return
  }
  await settleSuspension(run, team, named)
  const [[admin]] = await run([selectTeam(team.shortId)])
  const then = Date.now()
  const link = admin && (await buildLink({ team: team.no, user: admin.user, createdBy: null }, then))
  await writeOr(
    run,
    [...revokeCredentials(team.no, then), ...(link ? [link.statement] : []), ...resumeTeam(team.no, then)],
    AGAIN,
  )
  console.log(`resumed  ${named}
Every key, session, sign-in link and passkey of the team has ended. Its users need new links: POST /v1/ext/user/<id>/sign-in-link.`)
  if (link) console.log(`sign in  ${formatLinkAddress(origin, link.token)}\nThe link works once, within an hour.`)
}

/** What trusts a key of the team does so for a while: the team stays suspended until nothing does any more. */
async function settleSuspension(run: RunStatements, { no, suspendedAt }: TeamRow, named: string): Promise<void> {
  if (suspendedAt === null) {
    await writeOr(run, [suspendByOperator(no, now)], AGAIN)
    console.log(`suspended  ${named}`)
  }
  const settleMs = SETTLE_SECONDS * SECOND_MS
  const leftMs = Math.min(settleMs, (suspendedAt ?? now) + settleMs - Date.now())
  if (leftMs <= 0) return
  console.log(
    `waiting ${Math.ceil(leftMs / SECOND_MS)} s until nothing trusts its keys any more. Whoever stops this runs it again: the team stays suspended`,
  )
  await setTimeout(leftMs)
}

/** Changes the limit by the database alone, too. */
async function changeLimit(run: RunStatements, name: string): Promise<void> {
  const [[team]] = await run([selectTeamByName(name)])
  if (!team) refuse(`there is no team with the short id or id ${name}`)
  const named = `${team.name} (${team.shortId}, ${team.id})`
  const [, [{ rows } = { rows: 0 }]] = await writeOr(
    run,
    [limitTeam(team.no, rowsPerDay), selectRowsToday(team.no, now)],
    AGAIN,
  )
  if (rowsPerDay === null) {
    console.log(`${named} may write any number of rows a day`)
    return
  }
  console.log(`limited  ${named} to ${rowsPerDay} rows a day; it has written ${rows ?? 0} today
It holds within a minute. From 80 % on an alert says so; beyond it, what adds something is refused until midnight UTC.
The limit is taken away by:  npm run team -- limit ${team.shortId} --none${same}`)
}

/** A write that fails is followed by what to do next. */
async function writeOr<const Statements extends readonly Statement[]>(
  run: RunStatements,
  statements: Statements,
  next: string,
) {
  try {
    return await run(statements)
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${next}`)
  }
}

function refuse(reason: string): never {
  throw new Error(reason)
}

/** The local data are those of the `npm start` that runs, unless the environment says otherwise. */
function choosePlace(): LocalPlace {
  const { STATE: folder, PORT: onPort } = process.env
  const starts = findStarts().filter(
    each =>
      (folder === undefined || path.resolve(folder) === each.state) &&
      (onPort === undefined || Number(onPort) === each.port),
  )
  if (starts.length > 1) {
    const lines = starts.map(each => `  STATE=${each.state} PORT=${each.port} npm run team -- …`)
    console.error(`several npm start are running; say which:\n${lines.join('\n')}`)
    process.exit(2)
  }
  const [start] = starts
  if (start) return start
  console.error(
    `no npm start is running here: ${command === 'create' ? 'the team is made' : 'this is done'} in the local data for the next one`,
  )
  return readPlace()
}
