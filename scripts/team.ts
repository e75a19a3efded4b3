import { newTeam, selectTeam, shortIdOf } from '../src/auth/new-team.ts'
import { execute, query } from './sql.ts'
import { LOCAL, wrangler } from './wrangler.ts'

// npm run team -- "<name>" [--remote]: a team, its first admin, and a token that is printed once.
const args = process.argv.slice(2)
const remote = args.includes('--remote')
const [name] = args.filter(arg => !arg.startsWith('--'))
if (!name) {
  console.error('usage: npm run team -- "<name>" [--remote]')
  process.exit(2)
}
const where = remote ? ['--remote'] : LOCAL
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
