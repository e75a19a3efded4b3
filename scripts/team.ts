import path from 'node:path'
import { newTeam, selectNextTeamNumber, selectTeam, toShortId } from '../src/auth/new-team.ts'
import { linkAddress, newLink } from '../src/session/new-link.ts'
import { readArguments, refuseArguments } from './arguments.ts'
import { configFileOf, readRecord } from './installation/record.ts'
import { makePrivateFolder } from './local/private-folder.ts'
import { findStarts } from './local/running.ts'

const USAGE = `usage: npm run team -- "<name>" [--installation <name> | --remote] [--url <address>]
A team, its first admin, and a token and a sign-in link, which are printed once.
  --installation  in the database of an installation that \`npm run setup\` has made
  --remote        in the database that wrangler.toml names
  --url           the address that the link begins with, if setup was told of no domain
Otherwise the team is made on this machine: in the \`npm start\` that runs, or in the one that STATE (the folder of its data)
and PORT name, if several run.`

const {
  positionals: [name],
  values: { installation, remote: isRemote = false, url },
} = readArguments(USAGE, {
  options: { installation: { type: 'string' }, remote: { type: 'boolean' }, url: { type: 'string' } },
  positionalsMax: 1,
})
if (!name) refuseArguments('the name of the team is missing', USAGE)
const remote = isRemote || installation !== undefined
if (!remote) chooseStart()
// What they export follows from STATE and PORT.
const { DATA_FOLDER, LOCAL, PORT, STATE, wrangler } = await import('./wrangler.ts')
const { execute, query } = await import('./sql.ts')
const config = installation === undefined ? [] : ['--config', configFileOf(installation)]
const where = remote ? ['--remote', ...config] : LOCAL
if (!remote) makePrivateFolder(STATE, DATA_FOLDER)
if (!remote) wrangler('d1', 'migrations', 'apply', 'DB', ...where)
const taken = query(selectTeam(toShortId(name)), where)
if (taken.length > 0) {
  console.error(`a team with the short id ${toShortId(name)} exists already; choose another name`)
  process.exit(1)
}
const now = Date.now()
const [{ no = 1 } = {}] = query(selectNextTeamNumber, where)
const team = await newTeam(name, { no, now })
const link = await newLink({ team: team.teamNo, user: team.userId, createdBy: null }, now)
execute([...team.statements, link.statement], where)
const domain = installation === undefined ? undefined : readRecord(installation).domain
const address = url ?? (domain === undefined ? undefined : `https://${domain}`)
const origin = remote ? (address ?? '<the address of the installation>') : `http://localhost:${PORT}`
if (!remote) console.log(`made in ${STATE}, the local data of the npm start at ${origin}`)
console.log(`team     ${name} (${team.shortId}, ${team.teamId})
admin    admin (${team.userId})
token    ${team.token}
sign in  ${linkAddress(origin, link.token)}
The token is shown only now. The link works once, within an hour.`)

/** The local data are those of the `npm start` that runs, unless the environment says otherwise. */
function chooseStart(): void {
  const { STATE: state, PORT: port } = process.env
  const starts = findStarts().filter(
    each =>
      (state === undefined || path.resolve(state) === each.state) && (port === undefined || Number(port) === each.port),
  )
  if (starts.length > 1) {
    const lines = starts.map(each => `  STATE=${each.state} PORT=${each.port} npm run team -- …`)
    console.error(`several npm start are running; say which:\n${lines.join('\n')}`)
    process.exit(2)
  }
  const [start] = starts
  if (start) Object.assign(process.env, { STATE: start.state, PORT: String(start.port) })
  else console.error('no npm start is running here: the team is made in the local data for the next one')
}
