import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { transformSync } from 'esbuild'
import { startTeam } from './support/check-server.ts'
import { expectMatch, expectSame, heldExpectations } from './support/expectations.ts'

// Packs the package, installs it elsewhere without a network, and uses it as its users do: the client with its types, and
// the command line, against `npm start`.
const ROWS = 2_500
const home = mkdtempSync(path.join(tmpdir(), 'caseworker-client-'))
const toHomePath = { cwd: home, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const

const running = await startTeam('client')

function install(): void {
  const packed = execFileSync(
    'npm',
    // The package is not built before, which would take the client away from other checks: `npm start` has built it.
    ['pack', '--ignore-scripts', '--workspace', 'caseworker', '--json', '--silent', '--pack-destination', home],
    {
      encoding: 'utf8',
    },
  )
  const [{ filename, files }] = JSON.parse(packed.slice(packed.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ]
  const SHIPPED =
    /^(dist\/(types\/.*\.d\.ts|(client|command-line)\.js)|bin\/caseworker\.js|package\.json|README\.md|LICENSE)$/
  const names = files.map(file => file.path)
  expectSame(
    names.filter(name => !SHIPPED.test(name)),
    [],
    'files in the package that nobody needs',
  )
  expectSame(
    ['LICENSE', 'README.md', 'bin/caseworker.js'].filter(name => !names.includes(name)),
    [],
    'files that the package lacks',
  )
  const manifest = { name: 'user', private: true, type: 'module' }
  writeFileSync(path.join(home, 'package.json'), JSON.stringify(manifest))
  const installed = spawnSync('npm', ['install', '--offline', '--no-audit', '--no-fund', filename], toHomePath)
  const warnings = lines(installed.stderr).filter(line => !line.includes('Unknown user config'))
  expectSame([installed.status, warnings], [0, []], 'the installation, and its warnings')
  const list = JSON.parse(execFileSync('npm', ['ls', '--all', '--json'], toHomePath)) as {
    dependencies: Record<string, object>
  }
  expectSame(Object.keys(list.dependencies), ['caseworker'], 'what is installed')
  expectSame('dependencies' in (list.dependencies.caseworker ?? {}), false, 'the package has dependencies')
}

const PROGRAM = `import { caseworker, CaseworkerError, type TaggedProcess, type Job } from 'caseworker'

interface Lead { lead_id: string; city?: string; score?: number }
const [baseUrl = '', token = ''] = process.argv.slice(2)
const client = caseworker({ baseUrl, token })
const leads = client.processes<Lead>('lead')
const made: TaggedProcess<Lead> = await leads.create({ data: { lead_id: 'NPM-1', score: 7 } })
const score: number | undefined = made.data.score
const job: Job = await client.jobs.wait((await leads.bulkUpdate([{ lead_id: 'NPM-1', update: { data: { score: 8 } } }])).id)
const found: string[] = []
for await (const lead of leads.list({ where: { score: { '>=': 8 }, lead_id: 'NPM-1' } })) found.push(lead.data.lead_id)
let code: string | undefined
try {
  await leads.create({ data: { lead_id: 'NPM-1' } })
} catch (error) {
  if (error instanceof CaseworkerError && error.is('duplicate_primary_key')) code = error.errors[0]?.processId
}
console.log(JSON.stringify({ score, job: job.counts.SUCCESS, found, same: code === made.id }))
`
const COMMON = `import { caseworker } from 'caseworker'
export const leads = caseworker({ baseUrl: '', token: '' }).processes<{ score: number }>('lead')
`
/** Each line is a mistake that the types must not let through. */
const MISTAKES = `import { caseworker } from 'caseworker'
const leads = caseworker({ baseUrl: '', token: '' }).processes<{ score: number }>('lead')
leads.update('id', { data: { score: 'high' } })
leads.create({ status: 'DONE' })
leads.list({ where: { score: { '~': 1 } } })
caseworker({ baseUrl: '' })
`

/** Bundles the client for an importer: nothing else is loaded with it. */
function bundle(): void {
  const text = readFileSync(path.join(home, 'node_modules/caseworker/dist/client.js'), 'utf8')
  expectSame(/^import |\bimport\(|\brequire\(/m.test(text), false, 'the client loads something')
}

/** Compiles with the strictest settings, without skipping our declarations, for browsers and for Node. */
function types(): void {
  writeFileSync(path.join(home, 'program.ts'), PROGRAM)
  writeFileSync(path.join(home, 'mistakes.ts'), MISTAKES)
  writeFileSync(path.join(home, 'process.d.ts'), 'declare const process: { argv: string[] }\n')
  const tsc = (file: string, ...more: string[]) => {
    const settings = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'ES2022']
    const args = ['--noEmit', ...settings, '--lib', 'ES2022,DOM', '--types', '', ...more, 'process.d.ts', file]
    return spawnSync(path.resolve('node_modules/.bin/tsc'), args, toHomePath)
  }
  for (const more of [
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
    ['--module', 'preserve'],
  ])
    expectSame(tsc('program.ts', ...more).stdout, '', `types with ${more.join(' ')}`)
  writeFileSync(path.join(home, 'common.cts'), COMMON)
  for (const more of [
    ['--module', 'commonjs'],
    ['--module', 'nodenext'],
  ])
    expectSame(tsc('common.cts', ...more).stdout, '', `types of a CommonJS module with ${more.join(' ')}`)
  const wrong = [...tsc('mistakes.ts', '--module', 'nodenext').stdout.matchAll(/^mistakes\.ts\((\d+)/gm)]
  expectSame(
    wrong.map(match => match[1]),
    ['3', '4', '5', '6'],
    'the mistakes that are found',
  )
}

async function client(): Promise<void> {
  writeFileSync(path.join(home, 'common.cjs'), "console.log(typeof require('caseworker').caseworker)")
  expectSame(execFileSync('node', ['--no-warnings', 'common.cjs'], toHomePath), 'function\n', 'a CommonJS module')
  const script = transformSync(PROGRAM, { loader: 'ts' }).code
  writeFileSync(path.join(home, 'program.mjs'), script)
  const said = execFileSync('node', ['program.mjs', running.url, running.token], toHomePath)
  expectSame(JSON.parse(said), { score: 7, job: 1, found: ['NPM-1'], same: true }, 'what the program says')
}

interface Ended {
  status: number | null
  stdout: string
  stderr: string
}

function installed(...args: string[]): Ended {
  return caseworkerWith({}, ...args)
}
function caseworkerWith(changes: Record<string, string>, ...args: string[]): Ended {
  const env = {
    ...process.env,
    CASEWORKER_URL: running.url,
    CASEWORKER_TOKEN: running.token,
    npm_config_offline: 'true',
    ...changes,
  }
  return spawnSync('node_modules/.bin/caseworker', args, { ...toHomePath, env })
}
const lines = (text: string) => text.split('\n').filter(line => line !== '')

async function commandLine(): Promise<void> {
  reading()
  const imported = bulk()
  mistakes()
  wholes()
  await brokenConnection()
  await stops(imported)
}

function reading(): void {
  expectMatch(installed('--help').stdout, /bulk <procedure> <file>/, 'help')
  // The command is started as people do it; npx takes a second to find what the others start at once.
  const version = execFileSync('npx', ['--no-install', 'caseworker', '--version'], toHomePath)
  expectMatch(version, /^\d+\.\d+\.\d+(-rc\.\d+)?\n$/, 'version')
  const listed = installed(
    'list',
    'lead',
    '--where',
    '{"city": {"=": ["Pune", "Oslo"]}}',
    '--sort',
    'score:desc',
    '--limit',
    '2',
  )
  const ids = lines(listed.stdout).map(line => (JSON.parse(line) as { data: { lead_id: string } }).data.lead_id)
  expectSame([listed.status, ids], [0, ['LEAD-000003', 'LEAD-000001']], 'list')
  const got = JSON.parse(installed('get', 'lead', 'LEAD-000002').stdout) as { id: string; data: { city: string } }
  expectSame(got.data.city, 'São Paulo', 'get by key')
  expectSame((JSON.parse(installed('get', 'lead', got.id).stdout) as { id: string }).id, got.id, 'get by id')
  const changed = installed(
    'update',
    'lead',
    'LEAD-000002',
    'score=61',
    'state=CONTACTED',
    '--data',
    '{"interests": ["loan"]}',
  )
  const { state, data } = JSON.parse(changed.stdout) as { state: string; data: { score: number; interests: string[] } }
  expectSame([state, data.score, data.interests], ['CONTACTED', 61, ['loan']], 'update')
}

function bulk(): string {
  const rows = Array.from(
    { length: ROWS },
    (_, at) => `CSV-${at},"Person, ""the"" ${at}",${at % 100},loan;card,9194${String(at).padStart(8, '0')}`,
  )
  writeFileSync(
    path.join(home, 'new.csv'),
    `lead_id,name,score,interests,record.phone_number\r\n${rows.join('\r\n')}\r\n`,
  )
  const made = installed('bulk', 'lead', 'new.csv', '--create', '--idempotency-key', 'first')
  expectSame([made.status, lines(made.stdout).length], [0, 1], `bulk create: ${made.stderr}`)
  expectMatch(made.stderr, /100 % {2}2,500 of 2,500\n(.*\n)*All of 2,500 entries succeeded/, 'progress')
  const one = JSON.parse(installed('get', 'lead', 'CSV-42').stdout) as { data: object; record: { data: object } }
  const { lead_id: _, ...data } = one.data as { lead_id: string }
  expectSame(data, { name: 'Person, "the" 42', score: 42, interests: ['loan', 'card'] }, 'what a row became')
  expectSame(
    installed('bulk', 'lead', 'new.csv', '--create', '--idempotency-key', 'first').stdout,
    made.stdout,
    'the same key',
  )

  const changes = [
    { lead_id: 'CSV-1', state: 'CONTACTED' },
    { lead_id: 'NOBODY', data: { score: 1 } },
    { lead_id: 'CSV-2', update: { data: { score: 'high' } } },
  ]
  writeFileSync(path.join(home, 'changes.ndjson'), changes.map(each => JSON.stringify(each)).join('\n'))
  const partly = installed('bulk', 'lead', 'changes.ndjson')
  expectSame(partly.status, 1, 'the end of a job that failed in part')
  expectMatch(partly.stderr, /line 2, NOBODY: .*not found[\s\S]*line 3, CSV-2: .*score/, 'failures that are told')
  const id = partly.stdout.trim()
  expectSame(installed('watch', id).status, 1, 'watching it')
  expectSame(lines(installed('results', id).stdout).length, 3, 'results')
  const failed = lines(installed('results', id, '--failed').stdout).map(
    line => (JSON.parse(line) as { index: number }).index,
  )
  expectSame(failed, [2, 1], 'results that failed')
  expectSame(
    installed('results', id, '--failed', '--format', 'csv', '-o', 'failed.csv').status,
    0,
    'results into a file',
  )
  const csv = lines(readFileSync(path.join(home, 'failed.csv'), 'utf8'))
  expectSame([csv.length, csv[0]?.includes(',_status,_error,')], [3, true], 'the file')
  expectSame(lines(installed('results', made.stdout.trim(), '--format', 'csv').stdout).length, ROWS + 1, 'all results')
  const later = installed('bulk', 'lead', 'changes.ndjson', '--detach')
  expectSame([later.status, /^[0-9a-f-]{36}\n$/.test(later.stdout)], [0, true], 'not waited for')
  return made.stdout.trim()
}

function mistakes(): void {
  const refused = installed('update', 'lead', 'LEAD-000001', 'state=CONTACTD', 'nextActionAt=1795276206')
  expectSame([refused.status, refused.stdout], [3, ''], 'a refused update')
  for (const part of [
    /\/body\/state/,
    /hint: did you mean "CONTACTED"\?/,
    /hint: 1795276206000/,
    /\/docs\/errors#invalid_request/,
    /request [0-9a-f-]{36}/,
  ])
    expectMatch(refused.stderr, part, 'why it was refused')
  expectMatch(
    installed('update', 'lead', 'LEAD-000001', 'scor=95').stderr,
    /"scor" is not an attribute of lead \(did you mean "score"\?\)/,
    'a name that nobody declared',
  )
  writeFileSync(path.join(home, 'strange.ndjson'), '{"data": {"lead_id": "STRANGE-1", "scroe": 5}}\n')
  const strange = installed('bulk', 'lead', 'strange.ndjson', '--create')
  expectSame(strange.status, 0, 'a name that nobody declared')
  expectSame(
    strange.stderr.match(/"scroe" is not an attribute of lead.* \(did you mean "score"\?\)/g)?.length,
    1,
    'a warning',
  )
  const addressless: [Record<string, string>, RegExp][] = [
    [{ CASEWORKER_URL: '' }, /CASEWORKER_URL is empty/],
    [{ CASEWORKER_URL: 'localhost:8787' }, /CASEWORKER_URL must be an address such as http:/],
    [{ CASEWORKER_TOKEN: '' }, /CASEWORKER_TOKEN is empty/],
  ]
  for (const [changes, why] of addressless) {
    const { status, stderr } = caseworkerWith(changes, 'list', 'lead')
    expectSame(status, 2, JSON.stringify(changes))
    expectMatch(stderr, why, JSON.stringify(changes))
  }
  expectMatch(installed('get', 'lead', 'NOBODY').stderr, /not found/, 'what is not there')
  writeFileSync(path.join(home, 'strange.csv'), 'lead_id,scroe\nSTRANGE-2,5\n')
  writeFileSync(path.join(home, 'keyless.csv'), 'score\n1\n')
  const usage: [string[], RegExp][] = [
    [['remove', 'lead'], /no command "remove"/],
    [['list'], /list needs <procedure>/],
    [['list', 'lead', '--wher', '{}'], /--wher/],
    [['list', 'lead', '--where', '[]'], /--where takes a JSON object/],
    [
      ['bulk', 'lead', 'strange.csv'],
      /the column "scroe" is no field, and no attribute of lead \(did you mean "score"\?/,
    ],
    [['bulk', 'lead', 'keyless.csv'], /lead_id or id is needed, and there are "score"/],
    [['bulk', 'lead', 'nowhere.csv'], /nowhere\.csv cannot be read/],
    [['bulk', 'lead', 'program.ts'], /neither \.csv, \.xlsx nor \.ndjson/],
  ]
  for (const [args, why] of usage) {
    const { status, stderr } = installed(...args)
    expectSame(status, 2, args.join(' '))
    expectMatch(stderr, why, args.join(' '))
  }
}

/** A file is read to its end before its first row is sent, and a job that is not there leaves no file behind. */
function wholes(): void {
  const rows = Array.from({ length: 100_001 }, (_, at) => `LATE-${at},1`)
  writeFileSync(path.join(home, 'late.csv'), `lead_id,score\n${rows.join('\n')}\nLATE,"1\n`)
  const late = installed('bulk', 'lead', 'late.csv', '--create')
  expectSame([late.status, late.stdout], [2, ''], 'a mistake in the last line')
  expectMatch(late.stderr, /line 100003: a quote is opened in this row and never closed/, 'a mistake in the last line')
  const lost = installed('results', crypto.randomUUID(), '-o', 'none.ndjson')
  expectSame([lost.status, existsSync(path.join(home, 'none.ndjson'))], [3, false], 'the results of no job')
}

/** More rows than a request of JSON takes are one job, also where the connection breaks midway. */
async function brokenConnection(): Promise<void> {
  const rows = Array.from({ length: 100_001 }, (_, at) => `NOBODY-${at},1`)
  writeFileSync(path.join(home, 'many.csv'), `lead_id,score\n${rows.join('\n')}\n`)
  const keys: unknown[] = []
  const proxy = http.createServer((request, response) => {
    const { method = '', headers, socket } = request
    if (method === 'PATCH') keys.push(headers['idempotency-key'])
    if (method === 'PATCH' && keys.length === 1) return request.once('data', () => socket.destroy())
    const onward = http.request(`${running.url}${request.url}`, { method, headers, agent: false }, answer => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    return request.pipe(onward)
  })
  await new Promise<void>(resolve => proxy.listen(0, 'localhost', resolve))
  const url = `http://localhost:${(proxy.address() as AddressInfo).port}`
  const env = { ...process.env, CASEWORKER_URL: url, CASEWORKER_TOKEN: running.token }
  const args = ['bulk', 'lead', 'many.csv', '--detach']
  const child = spawn('node_modules/.bin/caseworker', args, { cwd: home, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let [said, why] = ['', '']
  child.stdout.on('data', chunk => {
    said += chunk
  })
  child.stderr.on('data', chunk => {
    why += chunk
  })
  const code = await new Promise(resolve => child.on('close', resolve))
  proxy.close()
  expectSame([code, lines(said).length], [0, 1], `sent again: ${why}`)
  expectSame([keys.length, new Set(keys).size, typeof keys[0]], [2, 1, 'string'], 'the tries, and their key')
  const cancelled = await fetch(`${running.url}/v1/ext/background-job/${said.trim()}/cancel`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.token}` },
  })
  const { _data: job } = (await cancelled.json()) as { _data: { total: number } }
  expectSame(job.total, 100_001, 'the entries of the one job')
}

/** A reader may go, and a watcher may stop: neither is an error of the program. */
async function stops(job: string): Promise<void> {
  const env = { ...process.env, CASEWORKER_URL: running.url, CASEWORKER_TOKEN: running.token }
  const bin = path.join(home, 'node_modules/.bin/caseworker')
  for (const command of ['list lead --limit 2000', `results ${job}`]) {
    const piped = spawnSync('bash', ['-c', `set -o pipefail; ${bin} ${command} | head -1`], { ...toHomePath, env })
    expectSame([piped.status, piped.stderr, lines(piped.stdout).length], [0, '', 1], `a reader that goes: ${command}`)
  }
  const input = readFileSync(path.join(home, 'changes.ndjson'))
  const fed = spawnSync(bin, ['bulk', 'lead', '-', '--format', 'ndjson', '--detach'], { ...toHomePath, env, input })
  expectSame(fed.status, 0, 'what is piped in')
  const apiData = { procedureId: 'lead', processId: 'x', processUpdate: {} }
  const body = JSON.stringify({ entries: [{ apiType: 'PROCESS_UPDATE', apiData }], startAt: Date.now() + 3_600_000 })
  const headers = { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' }
  const response = await fetch(`${running.url}/v1/ext/background-job`, { method: 'POST', headers, body })
  const { _data: waiting } = (await response.json()) as { _data: { id: string } }
  const child = spawn(bin, ['watch', waiting.id], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', chunk => {
    const isWaiting = said.includes('Waiting')
    said += chunk
    if (!isWaiting && said.includes('Waiting')) child.kill('SIGINT')
  })
  const code = await new Promise(resolve => child.on('exit', resolve))
  expectSame(code, 130, 'watching, interrupted')
  expectMatch(said, /^Change 1 process\nWaiting to start with 1 entry\n/, 'what a job does, and what it waits for')
  expectMatch(said, /the job continues: caseworker watch/, 'watching, interrupted')
}

try {
  install()
  bundle()
  types()
  await client()
  await commandLine()
  console.log(`packed, installed and used: ${heldExpectations()} checks of client and command line`)
} finally {
  await running.stop()
  rmSync(home, { recursive: true, force: true })
}
