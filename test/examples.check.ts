import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { matches, parsePattern } from './support/pattern.ts'
import { programIn } from './support/program.ts'
import { started } from './support/started.ts'

// Runs every call in the guides and the README as printed, against a fresh `npm start`, and compares what comes out with what
// is printed below it. A block without $API is an installation step, which other checks take.
const GUIDES = 'src/docs/guides'
/** In the order in which they are read; what is not named follows. The README leaves a lead behind, so it comes last. */
const FIRST = ['start.md', 'queries.md', 'retries.md']

interface Example {
  place: string
  commands: string
  expected: string | undefined
}

function examplesIn(file: string): Example[] {
  const text = readFileSync(file, 'utf8')
  const blocks = text.matchAll(/^```sh\n([\s\S]*?)^```(?:\n+```json\n([\s\S]*?)^```)?/gm)
  return [...blocks]
    .map(({ 1: commands = '', 2: expected, index }) => ({
      place: `${file}:${text.slice(0, index).split('\n').length}`,
      commands,
      expected,
    }))
    .filter(({ commands }) => /\$API|npx caseworker/.test(commands))
}

const running = await started()
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
  const env = { ...process.env, API: running.url, TOKEN: running.token }
  for (const { place, commands, stdout, wrong } of programIn(file, env)) {
    run += 1
    if (wrong === undefined) continue
    failed += 1
    console.error(`\n${place}\n${commands}${wrong}\n${stdout.slice(0, 3000)}`)
  }
  for (const { place, commands, expected } of examplesIn(file)) {
    run += 1
    const before = existsSync(exported) ? `. ${exported}\n` : ''
    const script = `set -euo pipefail\n${before}${commands}\nexport -p > ${exported}\n`
    const { status, stdout, stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8', timeout: 60_000 })
    const wrong = status === 0 ? difference(expected, stdout) : `ended with ${status}: ${stderr}`
    if (wrong === undefined) continue
    failed += 1
    console.error(`\n${place}\n${commands}${wrong}\n${stdout.slice(0, 3000)}`)
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
