import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { buildExampleRequest, type ExampleRequest, type SampledOperation } from '../src/docs/samples/request.ts'
import { type Exchange, recordingProxy } from './samples/proxy.ts'
import { withStandIns } from './samples/stand-ins.ts'
import { thingsIn } from './samples/things.ts'
import { startTeam } from './support/check-server.ts'
import { ONLY_IN_PAGES } from './support/only-in-pages.ts'
import { type Misfits, schemaCheck } from './support/schema-check.ts'

// Runs the sample of every operation in every language, as `/openapi.json` of `npm start` has it. Each must send
// the request of the operation's example, and be answered as documented. TypeScript is compiled under strict before.

/**
 * Requests that cannot go well as printed: only the provider can sign one; no customer has sent a file;
 * and only pages of the installation sign in, and add passkeys in a session.
 */
const OTHERWISE: Record<string, number> = {
  receiveWebhook: 401,
  downloadMessageMedia: 404,
  ...ONLY_IN_PAGES,
}

interface Operation extends SampledOperation {
  id: string
  operation: SampledOperation['operation'] & { 'x-codeSamples': { lang: string; source: string }[] }
}
interface OpenApi {
  paths: Record<string, Record<string, Operation['operation']>>
  components: { schemas: object }
}
interface Language {
  lang: string
  extension: string
  /** A command does not fail because the request was refused. */
  isCommand?: true
  run: (folder: string) => Promise<Ended[]>
}
interface Ended {
  name: string
  error: string | null
  /** The number of printed values or characters. */
  printed: number
}

const LANGUAGES: Language[] = [
  {
    lang: 'Shell',
    extension: 'sh',
    isCommand: true,
    run: folder => runAll('bash', ['test/samples/run.sh', folder], folder),
  },
  { lang: 'TypeScript', extension: 'ts', run: compileAndRun },
  { lang: 'JavaScript', extension: 'mjs', run: folder => runAll('node', ['test/samples/run.js', folder], folder) },
  { lang: 'Python', extension: 'py', run: runPython },
]

const home = mkdtempSync(path.join(tmpdir(), 'caseworker-samples-'))
const running = await startTeam('samples')
const proxy = await recordingProxy(running.url)
const problems: string[] = []
try {
  const document = (await (await fetch(`${running.url}/openapi.json`)).json()) as OpenApi
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ id: operation.operationId, method, path, operation })),
  )
  const misfits = schemaCheck(document.components.schemas)
  await Promise.all(LANGUAGES.map(language => tryAll(language, operations, misfits)))
} finally {
  proxy.stop()
  await running.stop()
  rmSync(home, { recursive: true, force: true })
}
for (const problem of problems) console.error(`\n${problem}`)
console.log(`samples: ${proxy.exchanges.length} requests, ${problems.length} wrong`)
process.exitCode = problems.length === 0 ? 0 : 1

async function tryAll(language: Language, operations: Operation[], misfits: Misfits): Promise<void> {
  const folder = path.join(home, language.lang)
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'offer.pdf'), '%PDF-1.7\n')
  const things = thingsIn({ url: `${proxy.url}/things`, token: running.token })
  const written: { name: string; sample: string; request: ExampleRequest; operation: Operation }[] = []
  for (const [at, operation] of operations.entries()) {
    const name = `${String(at).padStart(3, '0')}-${operation.id}`
    const source = operation.operation['x-codeSamples'].find(({ lang }) => lang === language.lang)?.source ?? ''
    const origin = `${proxy.url}/${language.lang}-${name}`
    const request = JSON.stringify(buildExampleRequest(operation, origin))
    const [sample = '', wanted = ''] = await withStandIns(
      [source.replaceAll(running.url, origin), request],
      operation.id,
      things,
    )
    writeFileSync(path.join(folder, `${name}.${language.extension}`), `${sample}\n`)
    written.push({ name, sample, request: JSON.parse(wanted) as ExampleRequest, operation })
  }
  const startedAt = Date.now()
  const ended = await language.run(folder)
  for (const { name, sample, request, operation } of written) {
    const [exchange] = proxy.exchanges.filter(({ sender }) => sender === `${language.lang}-${name}`)
    const outcome = ended.find(each => each.name === name)
    const wrong = [
      ...(exchange === undefined ? ['it sends nothing'] : listFaults(exchange, request, operation, misfits)),
      ...(outcome === undefined ? ['it was not run'] : endFaults(outcome, exchange, language)),
    ]
    if (wrong.length > 0) problems.push(`${operation.id} in ${language.lang}: ${wrong.join('; ')}\n${sample}`)
  }
  console.log(`${language.lang}: ${written.length} samples run in ${Date.now() - startedAt} ms`)
}

/** The body as the example has it: the client sends the items of a bulk request as lines. */
function readBody({ sentType, body }: Exchange): unknown {
  if (sentType !== 'application/x-ndjson') return JSON.parse(body || 'null')
  const lines = body.split('\n').filter(line => line !== '')
  return { processes: lines.map(line => JSON.parse(line)) }
}

/** Lists how a request differs from the example, and its response from the documented one. */
function listFaults(
  exchange: Exchange,
  request: ExampleRequest,
  { id, operation }: Operation,
  misfits: Misfits,
): string[] {
  const { status, type, response } = exchange
  const wanted = new URL(request.address)
  const found = new URL(request.origin + exchange.address)
  const isPart = [...wanted.searchParams].every(([name, value]) => found.searchParams.get(name) === value)
  const media = operation.responses[status]?.content?.[type] as { schema?: unknown } | undefined
  const documented = operation.responses[status] !== undefined
  return [
    ...(exchange.method === request.method && found.pathname === wanted.pathname && isPart
      ? []
      : [`it sends ${exchange.method} ${exchange.address}`]),
    ...(request.body === undefined || isDeepStrictEqual(readBody(exchange), request.body)
      ? []
      : [`it sends the body ${exchange.body}`]),
    ...(request.upload === undefined || exchange.body.includes(`filename="${request.upload}"`)
      ? []
      : ['it sends no file']),
    ...(status === (OTHERWISE[id] ?? status) && (status < 300 || id in OTHERWISE) && documented
      ? []
      : [`it is answered ${status}: ${response.slice(0, 500)}`]),
    ...(type === 'application/json' && media?.schema !== undefined
      ? misfits(`${id} ${status}`, media.schema, JSON.parse(response))
      : []),
  ]
}

/** A sample that went well has printed something, save a file, and a list of nothing. */
function endFaults({ error, printed }: Ended, exchange: Exchange | undefined, { isCommand }: Language): string[] {
  const isRefused = exchange !== undefined && exchange.status >= 300
  if (isRefused) return error || isCommand ? [] : ['it takes a refusal for a success']
  const hasNothing = exchange?.type === 'application/pdf' || /"_data":\[\]/.test(exchange?.response ?? '')
  return [...(error ? [error] : []), ...(printed > 0 || hasNothing ? [] : ['it prints nothing'])]
}

/** Compiled as in a project of a user, with the client as it is packed, then run. */
async function compileAndRun(folder: string): Promise<Ended[]> {
  symlinkSync(path.resolve('node_modules'), path.join(folder, 'node_modules'))
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noUnusedLocals: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    outDir: 'run',
    skipLibCheck: false,
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
  writeFileSync(path.join(folder, 'package.json'), '{"type": "module"}')
  const types = spawnSync('node_modules/.bin/tsc', ['-p', folder], { encoding: 'utf8' })
  if (types.status !== 0) problems.push(`the samples in TypeScript do not compile:\n${types.stdout}`)
  return runAll('node', ['test/samples/run.js', path.join(folder, 'run')], folder)
}

/** Runs Python with the package `requests`, which is fetched where the machine has none. */
async function runPython(folder: string): Promise<Ended[]> {
  const hasRequests = () => spawnSync('python3', ['-c', 'import requests'], { env: environment() }).status === 0
  if (!hasRequests())
    spawnSync('python3', ['-m', 'pip', 'install', '--quiet', '--target', path.join(home, 'packages'), 'requests'])
  if (!hasRequests()) problems.push('the samples in Python need the package requests: python3 -m pip install requests')
  return runAll('python3', ['test/samples/run.py', folder], folder)
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, TOKEN: running.token, PYTHONPATH: path.join(home, 'packages') }
}

/** This is not `spawnSync`, since the proxy is in this process. */
async function runAll(command: string, [program = '', folder = '']: [string, string], cwd: string): Promise<Ended[]> {
  const args = [path.resolve(program), folder]
  const { stdout } = await promisify(execFile)(command, args, { cwd, env: environment(), maxBuffer: 1e8 })
  return stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as Ended)
}
