import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

// The code before the newest migration, on the schema after it: what runs while a deployment goes on, and after a rollback.
// That code makes its own walk over all routes, with the migrations of today: each is called by each role and finds what is
// there, and finds nothing of another team. What it refuses before it asks the database, no migration can change.
const WALK = 'test/contract/every-route.test.ts'
const THAT_READ_AND_WRITE = 'to exactly the roles|tells nothing of another team'
const ROUTES_MIN = 80
const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()

const migrations = readdirSync('drizzle')
  .filter(name => name.endsWith('.sql'))
  .sort()
const newest = migrations.at(-1) ?? ''
if (migrations.length === 1) {
  console.log(`${newest} is the first: no installation has code of before it`)
  process.exit(0)
}
// This includes the files that a merge adds to its first parent.
const added = git('log', '-m', '--first-parent', '--diff-filter=A', '--format=%H', '-1', '--', `drizzle/${newest}`)
// A migration that is not committed yet comes after the last commit; the first commit of a shallow clone has none before it.
const before = added === '' ? 'HEAD' : git('rev-list', '--parents', '-1', added).split(' ')[1]
if (before === undefined) {
  console.log(`the history does not reach back to before ${newest}: the code before it was not tried`)
  process.exit(0)
}

const home = mkdtempSync(path.join(tmpdir(), 'caseworker-previous-'))
try {
  const archive = execFileSync('git', ['archive', before], { maxBuffer: 512 * 1024 * 1024 })
  execFileSync('tar', ['-x', '-C', home], { input: archive })
  symlinkSync(path.resolve('node_modules'), path.join(home, 'node_modules'))
  symlinkSync(path.resolve('dist'), path.join(home, 'dist'))
  rmSync(path.join(home, 'drizzle'), { recursive: true })
  mkdirSync(path.join(home, 'drizzle'))
  cpSync('drizzle', path.join(home, 'drizzle'), { recursive: true })
  if (!existsSync(path.join(home, WALK))) throw new Error(`${before} has no ${WALK}`)
  const config = ['--config', 'test/vitest.config.ts', '--root', '.', '--project', 'api']
  const { status, stdout, stderr } = spawnSync(
    'npx',
    ['vitest', 'run', ...config, '--testNamePattern', THAT_READ_AND_WRITE, WALK],
    {
      cwd: home,
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(`the code of ${before} fails on the schema of ${newest}:\n${stdout}${stderr}`)
  const [, passed = '0'] = /Tests[^\n]*?(\d+) passed/.exec(stdout) ?? []
  if (Number(passed) < ROUTES_MIN) throw new Error(`only ${passed} tests ran:\n${stdout}`)
  console.log(`the code of ${before.slice(0, 7)} passes ${passed} tests on the schema of ${newest}`)
} finally {
  rmSync(home, { recursive: true, force: true })
}
