import { parseArgs } from 'node:util'
import { newTeam, selectTeam, shortIdOf } from '../src/auth/new-team.ts'
import { configFileOf } from './installation/record.ts'
import { execute, query } from './sql.ts'
import { LOCAL, wrangler } from './wrangler.ts'

// npm run team -- "<name>" [--installation <name> | --remote]: a team, its first admin, and a token that is printed once.
// Its database is that of an installation that setup has made, or the one that wrangler.toml names, or the local one.
const {
  positionals: [name],
  values: { installation, remote: isRemote = false },
} = parseArgs({
  allowPositionals: true,
  options: { installation: { type: 'string' }, remote: { type: 'boolean' } },
})
if (!name) {
  console.error('usage: npm run team -- "<name>" [--installation <name> | --remote]')
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
const team = await newTeam(name, Date.now())
execute(team.statements, where)
console.log(
  `team   ${name} (${team.shortId}, ${team.teamId})\nadmin  admin (${team.userId})\ntoken  ${team.token}\nThe token is shown only now.`,
)
