import { parseArgs } from 'node:util'
import { newTeam, selectTeam, shortIdOf } from '../src/auth/new-team.ts'
import { linkAddress, newLink } from '../src/session/new-link.ts'
import { configFileOf, readRecord } from './installation/record.ts'
import { execute, query } from './sql.ts'
import { LOCAL, PORT, wrangler } from './wrangler.ts'

// npm run team -- "<name>" [--installation <name> | --remote] [--url <address>]: a team, its first admin, and a token and
// a sign-in link, which are printed once. The address of an installation is that of its domain, if setup was told of one.
// Its database is that of an installation that setup has made, or the one that wrangler.toml names, or the local one.
const {
  positionals: [name],
  values: { installation, remote: isRemote = false, url },
} = parseArgs({
  allowPositionals: true,
  options: { installation: { type: 'string' }, remote: { type: 'boolean' }, url: { type: 'string' } },
})
if (!name) {
  console.error('usage: npm run team -- "<name>" [--installation <name> | --remote] [--url <address>]')
  process.exit(2)
}
const remote = isRemote || installation !== undefined
const config = installation === undefined ? [] : ['--config', configFileOf(installation)]
const where = remote ? ['--remote', ...config] : LOCAL
if (!remote) wrangler('d1', 'migrations', 'apply', 'DB', ...where)
const taken = query(selectTeam(shortIdOf(name)), where)
if (taken.length > 0) {
  console.error(`a team with the short id ${shortIdOf(name)} exists already; choose another name`)
  process.exit(1)
}
const now = Date.now()
const team = await newTeam(name, now)
const link = await newLink({ team: team.teamNo, user: team.userId, createdBy: null }, now)
execute([...team.statements, link.statement], where)
const domain = installation === undefined ? undefined : readRecord(installation).domain
const address = url ?? (domain === undefined ? undefined : `https://${domain}`)
const origin = remote ? (address ?? '<the address of the installation>') : `http://localhost:${PORT}`
console.log(`team     ${name} (${team.shortId}, ${team.teamId})
admin    admin (${team.userId})
token    ${team.token}
sign in  ${linkAddress(origin, link.token)}
The token is shown only now. The link works once, within an hour.`)
