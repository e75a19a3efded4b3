import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildSync } from 'esbuild'
import { contradictions, type Examples } from './generators/examples.ts'
import { type Collection, sendCollection } from './generators/postman.ts'
import { documentIn, GENERATORS, runTool } from './generators/tools.ts'
import { EXAMPLE_SENDER, findSender, startTeam } from './support/check-server.ts'
import { expectSame, heldExpectations } from './support/expectations.ts'

// Other people's tools on the document that `npm start` serves: it is clean for their linters, and the clients
// that they generate compile and work. test/generators/README.md says what is known of each.
const FOLDER = path.resolve('test/generators')
const PROGRAMS = ['openapi-fetch', 'hey-api', 'orval-fetch', 'orval-zod', 'swagger-typescript-api']
const DONE = {
  created: [201, 7],
  updated: [200, 'CONTACTED'],
  found: [81],
  refused: [409, 'duplicate_primary_key'],
  job: 'SUCCESS',
  uploaded: true,
}
const READ = { created: 201, sent: true, found: [81], fetched: 'NEW', newest: 2, job: 1, refused: [false, false] }

/** Requests that a fresh start refuses as they are printed: nothing to cancel or resend, no opt-out, nobody signed. */
const MAY_BE_REFUSED = [
  ...[
    'cancelJob',
    'retryJob',
    'applyJob',
    'resendMessage',
    'removeOptOut',
    'getMedia',
    'receiveWebhook',
    'verifyWebhook',
  ],
  ...['downloadMessageMedia'],
  ...['deleteProcessByPrimaryKey'],
  // The demo team has no customer with the id of the example's other one.
  'mergeRecord',
  // Events of these numbers are older than those that the feed keeps of the demo team.
  ...['listEvents', 'replayWebhook'],
  // Only pages of the installation sign in, and only a session has passkeys.
  ...[
    'signIn',
    'lookAtSignInLink',
    'signOut',
    'endSession',
    'challengeSignIn',
    'challengePasskey',
    'addPasskey',
    'deletePasskey',
  ],
  ...['beginOpenId', 'answerOpenId'],
]

install()
const home = mkdtempSync(path.join(tmpdir(), 'caseworker-generators-'))
const running = await startTeam('generators')
try {
  writeFileSync(documentIn(home), await (await fetch(`${running.url}/openapi.json`)).text())
  await lint()
  const printed = await (await fetch(`${running.url}/postman.json`)).text()
  const collection = JSON.parse(printed.replaceAll(EXAMPLE_SENDER, await findSender(running))) as Collection
  await examples(collection)
  await generate()
  await compile()
  for (const name of PROGRAMS) call(name)
  console.log(`other people's tools: ${heldExpectations()} checks`)
} finally {
  await running.stop()
  rmSync(home, { recursive: true, force: true })
}

/**
 * Installs the tools, which are no dependencies of the project: their TypeScript would replace its own. In CI, always
 * from nothing.
 */
function install(): void {
  const changed = (name: string) => statSync(path.join(FOLDER, name), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const isInstalled = changed('node_modules/.package-lock.json') > changed('package-lock.json')
  if (isInstalled && process.env.CI !== 'true') return
  const args = ['ci', '--prefix', FOLDER, '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', args, { encoding: 'utf8' })
  const warnings = stderr.split('\n').filter(line => line !== '' && !line.includes('Unknown user config'))
  expectSame([status, warnings], [0, []], 'npm ci in test/generators, and its warnings')
}

async function lint(): Promise<void> {
  const problems = await runTool(
    home,
    ...(['spectral', 'lint', '--ruleset', path.join(FOLDER, 'spectral.yaml')] as const),
    ...['--fail-severity', 'hint', '--format', 'json', '--quiet', 'openapi.json'],
  )
  expectSame(JSON.parse(problems.slice(problems.indexOf('['))), [], 'what Spectral finds')
}

/** Two at a time: each is busy with one core. */
async function generate(): Promise<void> {
  cpSync(path.join(FOLDER, 'programs'), path.join(home, 'programs'), { recursive: true })
  cpSync(path.join(FOLDER, 'tsconfig.json'), path.join(home, 'tsconfig.json'))
  symlinkSync(path.join(FOLDER, 'node_modules'), path.join(home, 'node_modules'))
  mkdirSync(path.join(home, 'made'))
  const waiting = Object.values(GENERATORS)
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next(home)
  }
  await Promise.all([worker(), worker()])
  const programs = readdirSync(path.join(home, 'programs')).map(name => path.basename(name, '.ts'))
  expectSame(programs.sort(), [...PROGRAMS].sort(), 'the programs')
}

/** `--strict` and `noUncheckedIndexedAccess`, everything that was generated included. */
async function compile(): Promise<void> {
  expectSame(await runTool(home, 'tsc', '-p', '.'), '', 'what tsc says')
}

/** Makes real calls: creates, updates, searches, is refused, changes in bulk, uploads. */
function call(name: string): void {
  const outfile = path.join(home, `${name}.mjs`)
  buildSync({
    entryPoints: [path.join(home, 'programs', `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  })
  const env = { ...process.env, API: running.url, TOKEN: running.token }
  const said = execFileSync('node', [outfile], { env, encoding: 'utf8', timeout: 600_000 })
  expectSame(JSON.parse(said), name === 'orval-zod' ? READ : DONE, name)
}

/**
 * Each request of the Postman collection is the example of its operation: it succeeds, and its response is as the
 * example says.
 */
async function examples(collection: Collection): Promise<void> {
  const document = JSON.parse(readFileSync(documentIn(home), 'utf8')) as Examples
  const sent = await sendCollection(home, collection, { token: running.token })
  const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))
  const missing = operations.filter(({ operationId }) => !sent.some(({ id }) => id === operationId))
  expectSame(
    missing.map(({ operationId }) => operationId),
    [],
    'operations that the collection lacks',
  )
  const refused = sent.filter(({ id, status }) => (status < 200 || status >= 300) && !MAY_BE_REFUSED.includes(id))
  expectSame(
    refused.map(({ id, status, body }) => `${id} ${status} ${body}`),
    [],
    'examples that are refused',
  )
  expectSame(contradictions(document, sent), [], 'examples that their own requests contradict')
}
