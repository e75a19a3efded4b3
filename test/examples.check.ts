import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { startTeam } from './support/check-server.ts'
import { matches, parsePattern } from './support/pattern.ts'
import { LIMIT_MS, programIn } from './support/program.ts'

// Runs every call in the guides and the README as printed, against the demo team of `npm start`, and compares what comes out with what
// is printed below it. No block of code is passed over: what can't be run here is named in ELSEWHERE, with who runs it.
const GUIDES = 'src/docs/guides'
/** The order in which the pages are read; others follow. The README leaves a lead behind, so it comes last. */
const FIRST = ['start.md', 'procedures.md', 'queries.md', 'retries.md']
const ELSEWHERE: Record<string, string> = {
  'npm run smoke -- https://api.example.com': 'test/smoke.check.ts',
  'npm ci && npm start': 'test/start.check.ts',
  'npm ci && npm test': '.ci/run',
  'node --import tsx test/serve-checks.ts /tmp/server.json': '.ci/run',
  'npm run team -- suspend acme_sales --installation acme\nnpm run team -- resume acme_sales --installation acme':
    'test/start.check.ts',
  'npm run team -- suspend acme_sales --installation acme\nnpm run team -- resume acme_sales --revoke-keys --installation acme':
    'test/start.check.ts',
  'npm run team -- limit acme_sales --rows-per-day 500000 --installation acme\nnpm run team -- limit acme_sales --none --installation acme':
    'test/start.check.ts',
  'npm run team -- backup acme_sales --url https://api.example.com\nnpm run team -- backups acme_sales\nnpm run team -- restore acme_sales --url https://api.example.com --backup 2026-11-26T030000Z':
    'test/far/server.check.ts',
  'npm run team -- backups acme_sales --within 26': 'test/far/server.check.ts',
  'export API=http://localhost:8787 TOKEN=$(cat .wrangler/state/demo-token)':
    'set here, for a port and a folder of their own',
}
/**
 * Needs an account: its commands are looked up, and what would be deployed is built. `test/setup.check.ts` runs `setup`,
 * `test/gradual.check.ts` the update in steps, `test/operate.check.ts` what `admin` does to an installation.
 */
const DEPLOY = /^(npm ci\n)?(npx wrangler|npm run setup|npm run admin -- (pause|restore|rollback|rotate-key)) /

/** A block in one of these is a whole program: what runs it, and the name of its file. */
const PROGRAMS: Record<string, { file: string; command: string[] }> = {
  python: { file: 'example.py', command: ['python3'] },
  go: { file: 'example.go', command: ['go', 'run'] },
}

interface Example {
  place: string
  language: string
  commands: string
  /** True if the printed output is not JSON. */
  isText: boolean
  expected: string | undefined
}

function examplesIn(file: string): Example[] {
  const text = readFileSync(file, 'utf8')
  const blocks = text.matchAll(/^```(\w*)\n([\s\S]*?)^```(?:\n+```(json|text)\n([\s\S]*?)^```)?/gm)
  return [...blocks].map(({ 1: language = '', 2: commands = '', 3: format, 4: expected, index }) => ({
    place: `${file}:${text.slice(0, index).split('\n').length}`,
    language,
    commands,
    isText: format === 'text',
    expected,
  }))
}

const running = await startTeam('demo')
const kept = mkdtempSync(path.join(tmpdir(), 'caseworker-examples-'))
// The printed commands are silent; here curl says why it has no response.
writeFileSync(path.join(kept, '.curlrc'), 'show-error\n')
const bin = path.join(kept, 'bin')
mkdirSync(bin)
// npx takes longer than what it runs: that it finds the command is seen at the first call, later ones run what it finds.
const [npx, command, found] = [
  execFileSync('which', ['npx'], { encoding: 'utf8' }).trim(),
  'caseworker',
  path.join(kept, 'found'),
]
writeFileSync(
  path.join(bin, 'npx'),
  `#!/bin/sh
if [ "$1" = ${command} ] && [ -e '${found}' ]; then
  shift
  exec '${path.resolve('node_modules/.bin', command)}' "$@"
fi
'${npx}' "$@" && touch '${found}'
`,
  { mode: 0o755 },
)
const tried = new Map<string, boolean>()
let [run, failed, accounted] = [0, 0, 0]
try {
  const others = readdirSync(GUIDES).filter(name => !FIRST.includes(name))
  for (const guide of [...FIRST, ...others]) tryAll(path.join(GUIDES, guide))
  tryAll('README.md')
  for (const file of ['src/client/README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'])
    tryAll(file)
} finally {
  await running.stop()
  rmSync(kept, { recursive: true, force: true })
}
console.log(`${run} examples run as printed, ${accounted} other blocks accounted for, ${failed} wrong`)
process.exitCode = failed === 0 && run > 30 ? 0 : 1

function tryAll(file: string): void {
  // Later blocks of the same page may use the exports of a block.
  const exported = path.join(kept, file.replaceAll('/', '-'))
  const { url: API, token: TOKEN } = running
  const env = {
    ...process.env,
    API,
    TOKEN,
    CASEWORKER_URL: API,
    CASEWORKER_TOKEN: TOKEN,
    CURL_HOME: kept,
    PATH: `${bin}:${process.env.PATH}`,
  }
  for (const { place, commands, stdout, wrong } of programIn(file, env)) {
    run += 1
    if (wrong === undefined) continue
    failed += 1
    console.error(`\n${place}\n${commands}${wrong}\n${stdout.slice(0, 3000)}`)
  }
  for (const { place, language, commands, isText, expected } of examplesIn(file)) {
    if (language in PROGRAMS) {
      runProgram(place, language, commands, expected ?? '', env)
      continue
    }
    const isCall = language === 'sh' && /\$API|npx caseworker|npm run --silent scale/.test(commands)
    const wrongHere = isCall ? undefined : otherwise(language, commands)
    if (wrongHere !== undefined) {
      accounted += 1
      if (wrongHere === '') continue
      failed += 1
      console.error(`\n${place}\n${commands}${wrongHere}`)
      continue
    }
    run += 1
    const before = existsSync(exported) ? `. ${exported}\n` : ''
    const script = `set -euo pipefail\n${before}${commands}\n${expectValues(commands)}export -p > ${exported}\n`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8', timeout: LIMIT_MS })
    const wrong = status === 0 ? difference(expected, stdout, isText) : `ended with ${status}: ${stderr}`
    if (wrong === undefined) continue
    failed += 1
    console.error(`\n${place}\n${commands}${wrong}\n${stdout.slice(0, 3000)}`)
  }
}

/** Runs a program; one whose language this machine lacks is reported and left out. */
function runProgram(place: string, language: string, text: string, expected: string, env: NodeJS.ProcessEnv): void {
  const { file, command } = PROGRAMS[language] ?? { file: '', command: [] }
  const [program = '', ...args] = command
  const source = path.join(kept, file)
  writeFileSync(source, text)
  const { status, stdout, stderr, error } = spawnSync(program, [...args, source], {
    env,
    encoding: 'utf8',
    timeout: LIMIT_MS,
  })
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') {
    accounted += 1
    console.log(`${place}: left out, there is no ${program} on this machine`)
    return
  }
  run += 1
  const wrong = status === 0 ? matches(expected, stdout) : `ended with ${status}: ${stderr}`
  if (wrong === undefined) return
  failed += 1
  console.error(`\n${place}\n${wrong}\n${stdout.slice(0, 3000)}`)
}

/** `export NAME=$(…)` goes well whatever fails inside, and the next block would be blamed for it. */
function expectValues(commands: string): string {
  return [...commands.matchAll(/export (\w+)=\$\(/g)]
    .map(([, name]) => `[ -n "$${name}" ] && [ "$${name}" != null ] || { echo '${name} has no value' >&2; exit 1; }\n`)
    .join('')
}

/** Returns the fault of a block that is not a call: nothing runs it, or wrangler lacks one of its commands. */
function otherwise(language: string, text: string): string {
  // The `ts` blocks of a page run as one program; `text` is their output, or the map of the folders; `mermaid` is a diagram.
  if (['ts', 'text', 'mermaid'].includes(language)) return ''
  if (language === '') return 'has no language'
  if (language !== 'sh') return `stands below no call`
  if (DEPLOY.test(text)) return deployable(text)
  return ELSEWHERE[text.trim()] === undefined ? 'is run by nobody' : ''
}

function deployable(text: string): string {
  const commands = [...text.matchAll(/npx wrangler ((?:[a-z0-9]+ ?)+)/g)].map(match =>
    (match[1] ?? '').trim().split(' '),
  )
  const helps = commands.map(words => [
    'wrangler',
    ...words.slice(0, words[0] === 'deploy' || words[0] === 'login' ? 1 : 2),
    '--help',
  ])
  const runs = [...helps, ['wrangler', 'deploy', '--dry-run', '--outdir', path.join(kept, 'built')]]
  const { stdout: usage } = spawnSync('npm', ['run', 'setup', '--', '--help'], { encoding: 'utf8' })
  const options = [...text.matchAll(/^npm run setup -- (.*)$/gm)].flatMap(([line]) => line.match(/--\w[\w-]*/g) ?? [])
  const unknown = options.filter(option => !usage.includes(`  ${option} `)).map(option => `setup has no ${option}; `)
  return (
    unknown.join('') +
    runs
      .filter(words => !succeeds(words))
      .map(words => `npx ${words.join(' ')} fails`)
      .join('; ')
  )
}

/** Returns whether a command succeeds. Many blocks name the same commands: each is run once. */
function succeeds([program = '', ...args]: string[]): boolean {
  const command = [program, ...args].join(' ')
  const known = tried.get(command)
  if (known !== undefined) return known
  const isWell = spawnSync(`node_modules/.bin/${program}`, args, { encoding: 'utf8' }).status === 0
  tried.set(command, isWell)
  return isWell
}

function difference(expected: string | undefined, stdout: string, isText: boolean): string | undefined {
  if (expected === undefined)
    return /"_errors":\["/.test(stdout) && !stdout.includes('invalid_request') ? 'answered an error' : undefined
  if (isText) return matches(expected, stdout)
  try {
    return matches(parsePattern(expected), JSON.parse(stdout))
  } catch (error) {
    return String(error)
  }
}
