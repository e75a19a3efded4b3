import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { matches, parsePattern } from './support/pattern.ts'
import { started } from './support/started.ts'

// Runs every call in the guides and the README as printed, against a fresh `npm start`, and compares what comes out with what
// is printed below it. A block that calls nothing is an installation step, which other checks take.
const GUIDES = 'src/docs/guides'
/** In the order in which they are read; what is not named follows. The README leaves a lead behind, so it comes last. */
const FIRST = ['start.md', 'queries.md', 'retries.md']

interface Example {
  place: string
  language: 'sh' | 'ts'
  commands: string
  expected: string | undefined
}

function examplesIn(file: string): Example[] {
  const text = readFileSync(file, 'utf8')
  const blocks = text.matchAll(/^```(sh|ts)\n([\s\S]*?)^```(?:\n+```(?:json|text)\n([\s\S]*?)^```)?/gm)
  return [...blocks]
    .map(({ 1: language, 2: commands = '', 3: expected, index }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length}`,
      language: language === 'ts' ? ('ts' as const) : ('sh' as const),
      commands,
      expected,
    }))
    .filter(({ language, commands }) => language === 'ts' || /\$API|npx caseworker/.test(commands))
}

const running = await started()
const env = { ...process.env, API: running.url, TOKEN: running.token }
const kept = mkdtempSync(path.join(tmpdir(), 'caseworker-examples-'))
let [run, failed] = [0, 0]
try {
  const known = new Set(await operationsOf(running.url))
  const needs = new Map(
    [...readFileSync('src/docs/guides.ts', 'utf8').matchAll(/slug: '(\w+)'.*needs: '(\w+)'/g)].map(match => [
      `${match[1]}.md`,
      match[2] ?? '',
    ]),
  )
  const others = readdirSync(GUIDES).filter(name => !FIRST.includes(name))
  for (const guide of [...FIRST, ...others]) {
    const needed = needs.get(guide)
    if (needed !== undefined && !known.has(needed)) console.log(`${guide}: left out, there is no ${needed}`)
    else tryAll(path.join(GUIDES, guide))
  }
  tryAll('README.md')
} finally {
  await running.stop()
  rmSync(kept, { recursive: true, force: true })
}
console.log(`${run} examples run as printed, ${failed} did not`)
process.exitCode = failed === 0 && run > 30 ? 0 : 1

function tryAll(file: string): void {
  // What a block exports, later blocks of the same page may use.
  const exported = path.join(kept, path.basename(file))
  const examples = examplesIn(file)
  tryProgram(examples.filter(({ language }) => language === 'ts'))
  for (const { place, commands, expected } of examples.filter(({ language }) => language === 'sh')) {
    run += 1
    const before = existsSync(exported) ? `. ${exported}\n` : ''
    const script = `set -euo pipefail\n${before}${commands}\nexport -p > ${exported}\n`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8', timeout: 60_000 })
    tell({ place, commands }, status === 0 ? difference(expected, stdout) : `ended with ${status}: ${stderr}`, stdout)
  }
}

function tell(
  { place, commands }: Pick<Example, 'place' | 'commands'>,
  wrong: string | undefined,
  stdout: string,
): void {
  if (wrong === undefined) return
  failed += 1
  console.error(`\n${place}\n${commands}${wrong}\n${stdout.slice(0, 3000)}`)
}

/** The TypeScript of a page is one program, in the order in which it is read. It has the client as its users have it, with its types. */
function tryProgram(examples: Example[]): void {
  if (examples.length === 0) return
  execFileSync('npm', ['run', '--silent', 'build'])
  const file = 'dist/example.ts'
  const END = '\u0000'
  writeFileSync(file, examples.map(({ commands }) => `${commands}console.log('${END}')\n`).join('\n'))
  const settings = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const types = spawnSync('npx', ['tsc', '--ignoreConfig', ...settings, file], { encoding: 'utf8' })
  const { status, stdout, stderr } = spawnSync('node', ['--import', 'tsx', file], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  rmSync(file)
  const outputs = stdout.split(`${END}\n`)
  for (const [at, example] of examples.entries()) {
    run += 1
    const output = outputs[at]
    const ended = at < outputs.length - 1 && output !== undefined
    const differs = ended ? matches(example.expected ?? output, output) : `ended with ${status}: ${stderr}`
    tell(example, types.status === 0 ? differs : types.stdout, output ?? '')
  }
}

function difference(expected: string | undefined, stdout: string): string | undefined {
  if (expected === undefined)
    return /"_errors":\["/.test(stdout) && !stdout.includes('invalid_request') ? 'answered an error' : undefined
  try {
    return matches(parsePattern(expected), JSON.parse(stdout))
  } catch (error) {
    return String(error)
  }
}

async function operationsOf(url: string): Promise<string[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.values(paths).flatMap(methods => Object.values(methods).map(({ operationId }) => operationId))
}
