import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Mutant } from '../test/mutants/mutant.ts'
import { readArguments, refuseArguments } from './arguments.ts'

const USAGE = `usage: npm run mutants -- [--only <pattern of names>] [--file <part of a path>] [--check] [--without-baseline]
                         [--sample <how many> --seed <text>]
Applies each mutant to a copy of the tree, runs the tests that must find it, and prints whether they did. Of a sample, whose
seed chooses the mutants, the tests are not run without a mutant before: npm test does that.`

const RUN_WITHIN_MS = 300_000
/** The papers are pages of the documentation. */
const PAPERS = ['CHANGELOG.md', 'LICENSE', 'SECURITY.md']
// `npm ci` has built `dist`, without which the Worker does not start.
const COPIED = [
  'dist',
  'drizzle',
  'scripts',
  'src',
  'test',
  'package.json',
  'tsconfig.json',
  'wrangler.toml',
  ...PAPERS,
]

interface Run {
  failed: number
  passed: number
  /** The reason why there is no result: a file that does not load, or no test with such a name. */
  broken?: string
}

interface TestReport {
  numFailedTests: number
  numPassedTests: number
  testResults: { name: string; status: string; message: string; assertionResults: unknown[] }[]
}

const { values: options } = readArguments(USAGE, {
  options: {
    only: { type: 'string' },
    file: { type: 'string' },
    check: { type: 'boolean', default: false },
    'without-baseline': { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '' },
  },
})

if (options.sample !== undefined && !/^[1-9]\d*$/.test(options.sample))
  refuseArguments('--sample must be a whole number above 0', USAGE)

const FOLDER = 'test/mutants'
const lists = readdirSync(FOLDER).filter(name => name.endsWith('.mutants.ts'))
const known = (
  await Promise.all(
    lists.map(async name => ((await import(path.resolve(FOLDER, name))) as { mutants: Mutant[] }).mutants),
  )
).flat()
const matching = known.filter(
  ({ name, file }) => new RegExp(options.only ?? '').test(name) && file.includes(options.file ?? ''),
)

const orderBySeed = ({ name }: Mutant): string => createHash('sha256').update(`${options.seed} ${name}`).digest('hex')
const chosen =
  options.sample === undefined
    ? matching
    : matching
        .toSorted((one, other) => (orderBySeed(one) < orderBySeed(other) ? -1 : 1))
        .slice(0, Number(options.sample))

const whyStale = (mutant: Mutant): string[] => {
  const text = existsSync(mutant.file) ? readFileSync(mutant.file, 'utf8') : ''
  const count = text.split(mutant.find).length - 1
  const lost = mutant.tests.filter(file => !existsSync(file))
  if (count !== 1) return [`${mutant.name}: its text stands ${count} times in ${mutant.file}`]
  return lost.map(file => `${mutant.name}: there is no ${file}`)
}
// All mutants have to fit the code, even if only a sample of them runs.
const stale = (options.sample === undefined ? chosen : known).flatMap(whyStale)
const names = known.map(({ name }) => name)
const doubled = names.filter((name, at) => names.indexOf(name) !== at)
for (const each of [...stale, ...doubled.map(name => `${name}: two mutants have this name`)]) console.error(each)
if (options.check || chosen.length === 0) {
  console.log(`${chosen.length} mutants, ${stale.length} stale`)
  process.exit(stale.length + doubled.length > 0 || chosen.length === 0 ? 1 : 0)
}

const copy = mkdtempSync(path.join(tmpdir(), 'caseworker-mutants-'))
for (const name of COPIED) cpSync(name, path.join(copy, name), { recursive: true })
symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'))
// The Worker wants the folder of its assets; no test of a mutant looks into it.
mkdirSync(path.join(copy, 'dist/site'), { recursive: true })
let running: number | undefined
const stop = () => {
  if (running !== undefined) process.kill(-running, 'SIGKILL')
}
process.once('SIGINT', () => process.exit(130))
process.once('exit', () => {
  stop()
  rmSync(copy, { recursive: true, force: true })
})

function vitest(tests: readonly string[], only?: string): Promise<Run> {
  const output = path.join(copy, 'report.json')
  rmSync(output, { force: true })
  const filter = only === undefined ? [] : ['--testNamePattern', only]
  const report = ['--reporter=json', `--outputFile=${output}`]
  const config = ['--config', 'test/vitest.config.ts', '--root', '.']
  const child = spawn('npx', ['vitest', 'run', ...config, ...report, '--bail', '1', ...filter, ...tests], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
  })
  running = child.pid
  return new Promise(resolve => {
    // A mutant may loop for ever: that is noticed, too.
    const timer = setTimeout(() => {
      stop()
      resolve({ failed: 1, passed: 0 })
    }, RUN_WITHIN_MS)
    child.on('exit', () => {
      clearTimeout(timer)
      running = undefined
      resolve(existsSync(output) ? read(output) : { failed: 0, passed: 0, broken: 'vitest wrote no report' })
    })
  })
}

function read(output: string): Run {
  const report = JSON.parse(readFileSync(output, 'utf8')) as TestReport
  const [failed, passed] = [report.numFailedTests, report.numPassedTests]
  const unloaded = report.testResults.find(each => each.status === 'failed' && each.assertionResults.length === 0)
  if (failed === 0 && unloaded) return { failed, passed, broken: unloaded.message.split('\n')[0] ?? 'it does not load' }
  return failed + passed === 0 ? { failed, passed, broken: 'no test ran' } : { failed, passed }
}

/** Runs the tests on the unchanged tree: a mutant proves nothing where they fail without it. */
async function baseline(): Promise<string[]> {
  const wanted = new Map(chosen.map(({ tests, only }) => [JSON.stringify([tests, only]), { tests, only }]))
  const whole = [...new Set(chosen.flatMap(({ tests }) => tests))]
  const all = await vitest(whole)
  if (all.failed === 0 && !all.broken) return []
  const failing: string[] = []
  for (const { tests, only } of wanted.values()) {
    const { failed, broken } = await vitest(tests, only)
    if (failed > 0 || broken) failing.push(`${tests.join(' ')} ${only ?? ''}: ${broken ?? 'fails'} without a mutant`)
  }
  return failing
}

async function judge(mutant: Mutant): Promise<string> {
  if (whyStale(mutant).length > 0) return 'stale'
  const { file, find, replace, tests, only } = mutant
  const target = path.join(copy, file)
  const text = readFileSync(target, 'utf8')
  writeFileSync(
    target,
    text.replace(find, () => replace),
  )
  try {
    const { failed, broken } = await vitest(tests, only)
    return failed > 0 ? 'killed' : broken ? `broken: ${broken}` : 'SURVIVED'
  } finally {
    writeFileSync(target, text)
  }
}

if (options.sample !== undefined)
  console.log(`${chosen.length} of ${known.length} mutants, by the seed "${options.seed}"`)
const failing = options['without-baseline'] || options.sample !== undefined ? [] : await baseline()
for (const each of failing) console.error(each)
const rows: { mutant: Mutant; verdict: string }[] = []
for (const [nth, mutant] of chosen.entries()) {
  const startedAt = Date.now()
  const verdict = await judge(mutant)
  rows.push({ mutant, verdict })
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  console.log(`${nth + 1}/${chosen.length} ${verdict.padEnd(9)} ${mutant.name} (${mutant.file}, ${seconds} s)`)
}
const alive = rows.filter(({ verdict }) => verdict !== 'killed')
console.log(`\n${rows.length - alive.length} of ${rows.length} killed`)
for (const { mutant, verdict } of alive) console.log(`${verdict}: ${mutant.name}: ${mutant.why}`)
process.exitCode = alive.length + failing.length + stale.length > 0 ? 1 : 0
