import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { readArguments } from './arguments.ts'

const USAGE = `usage: npm run newest -- [<test file>…]
What relies on SQLite and on the texts of its errors, on the newest workerd instead of the pinned one: Cloudflare runs the
newest, with a newer SQLite. With files, only these.`

const BINARY = path.resolve('node_modules/workerd-newest/bin/workerd')
const FILES = [
  'test/operation-costs.test.ts',
  'test/process/search.test.ts',
  'test/process/search-cost.alone.test.ts',
  'test/query/plan.test.ts',
  'test/query/text-match.test.ts',
  'test/query/statements.test.ts',
  'test/procedure/index-build.test.ts',
  'test/background-job/races.test.ts',
  'test/message/bulk-races.test.ts',
  'test/message/claims.test.ts',
  'test/plugin/races.test.ts',
  'test/http/storage-errors.test.ts',
  'test/far/database.test.ts',
  'test/far/place.test.ts',
]

const { positionals: given } = readArguments(USAGE, { positionalsMax: Number.POSITIVE_INFINITY })
if (existsSync(BINARY)) {
  const env = { ...process.env, MINIFLARE_WORKERD_PATH: BINARY }
  const files = given.length > 0 ? given : FILES
  console.log(spawnSync(BINARY, ['--version'], { encoding: 'utf8' }).stdout.trim())
  const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--root', '.', '--project', 'api']
  const { status } = spawnSync('npx', [...vitest, '--project', 'far', ...files], { env, stdio: 'inherit' })
  process.exitCode = status ?? 1
} else console.log('There is no newest workerd for this platform: it is installed on Linux with x64 only.')
