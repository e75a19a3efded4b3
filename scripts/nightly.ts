import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readArguments, refuseArguments } from './arguments.ts'

// npm run nightly: what takes too long to be run with each change, of which `.ci/run` runs a sample. The random choices follow
// from a seed, which is printed: SEED=<number> npm run nightly makes the same ones. Names of steps run only these.

const SEED = process.env.SEED ?? String(randomInt(1, 2 ** 31))
const KILLS = process.env.KILLS ?? '20'
const VITEST = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--root', '.', '--project']

interface Step {
  name: string
  command: [string, ...string[]]
  env?: Record<string, string>
}

const STEPS: Step[] = [
  { name: 'chaos', command: ['npm', 'run', '--silent', 'chaos'], env: { SEED } },
  { name: 'years', command: ['npm', 'run', '--silent', 'years'] },
  {
    name: 'unkind',
    command: ['npx', ...VITEST, 'far', 'test/far/unkind.test.ts'],
    env: { SEED, CHAOS: 'full', RUNS: process.env.RUNS ?? '1000' },
  },
  { name: 'kill', command: ['npm', 'run', '--silent', 'kill'], env: { KILLS } },
  { name: 'million', command: ['node', 'bench/million.mjs'] },
  { name: 'webhooks', command: ['npx', ...VITEST, 'api', 'test/webhook/catching-up.test.ts'], env: { RUNS: '100000' } },
  ...['generators', 'wrangler', 'gradual', 'previous', 'far/memory'].map(checkStep),
  { name: 'newest', command: ['npm', 'run', '--silent', 'newest'] },
  { name: 'start-up', command: ['node', 'bench/start-up.mjs'] },
  { name: 'mutants', command: ['npm', 'run', '--silent', 'mutants'] },
]

/** CI runs a third of these each day. */
function checkStep(name: string): Step {
  return { name, command: ['node', '--import', 'tsx', `test/${name}.check.ts`], env: { CI: 'true' } }
}

const KNOWN = STEPS.map(({ name }) => name).join(', ')
const USAGE = `usage: [SEED=<number>] [KILLS=<number>] npm run nightly -- [<step>…]
What takes too long to be run with each change. The random choices follow from SEED, which is printed.
Steps: ${KNOWN}`
const { positionals: names } = readArguments(USAGE, { positionalsMax: Number.POSITIVE_INFINITY })
const unknown = names.filter(name => !STEPS.some(step => step.name === name))
if (unknown.length > 0) refuseArguments(`no step ${unknown.join(', ')}; there are ${KNOWN}`, USAGE)

console.log(`SEED=${SEED}`)
const ended = STEPS.filter(({ name }) => names.length === 0 || names.includes(name)).map(run)
console.log('--- seconds of each step')
for (const { name, seconds, isPassed } of ended)
  console.log(`${String(seconds).padStart(6)} s  ${isPassed ? 'passed' : 'failed'}  ${name}`)
const failed = ended.filter(({ isPassed }) => !isPassed)
if (failed.length > 0)
  console.log(`SEED=${SEED} repeats it: npm run nightly -- ${failed.map(({ name }) => name).join(' ')}`)
console.log(`${ended.length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length === 0 ? 0 : 1

function run({ name, command: [program, ...args], env }: Step): { name: string; seconds: number; isPassed: boolean } {
  console.log(`--- ${name}`)
  const startedAt = Date.now()
  const { status } = spawnSync(program, args, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  return { name, seconds: Math.round((Date.now() - startedAt) / 1_000), isPassed: status === 0 }
}
