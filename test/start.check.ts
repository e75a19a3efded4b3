import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freshPages, stampPages } from '../scripts/fresh-pages.ts'
import { sleep } from './support/sleep.ts'
import { freePort } from './support/started.ts'

// Starts the API as a newcomer does, runs the call it prints, ends it with Ctrl-C, and looks whether anything is left.
const READY_WITHIN_MS = 300_000
const ENDED_WITHIN_MS = 10_000
const REFUSAL_ROUNDS = 20
const REFUSED_ENTRIES = [1, 500, 5_000]
const home = mkdtempSync(path.join(tmpdir(), 'caseworker-start-'))
const state = path.join(home, 'state')
const port = await freePort()
const env = { ...process.env, PORT: String(port), STATE: state }
const started: ChildProcess[] = []
/** The sources and tools of the pages. */
const COPIED = [
  ...['src', 'scripts', 'drizzle', 'dist', 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...['CHANGELOG.md', 'LICENSE', 'SECURITY.md'],
]

try {
  explainsItself()
  await endsWhereTheDemoFails()
  buildsWhatHasChanged()
  const first = await start()
  refusesTaken(port, state)
  refusesTaken(port, path.join(home, 'other'))
  refusesTaken(port - 1, state)
  refuses(await freePort(), state, 'is in use')
  isPrivate(first)
  listensOnThisMachineAlone()
  await hidesWhatIsWranglers()
  await examinesOnce()
  await keepsConnections(first)
  await findsTheStartForATeam()
  await servesFilesOfPages()
  await stop(first)
  const second = await start()
  if (second.token !== first.token) throw new Error('the second start has another token: it did not keep the data')
  await endsWithItsRuntime(second)
  await endsWhereItIsKilled(await start())
  console.log(
    'started three times; the printed call worked; a taken port was refused; connections were kept; however it ended, nothing was left',
  )
} finally {
  for (const { pid } of started.flatMap(({ pid = 0 }) => findDescendants(pid))) process.kill(pid, 'SIGKILL')
  rmSync(home, { recursive: true, force: true })
}

/** The Worker answers any address below the pages' own: only where files come first is a script one. */
async function servesFilesOfPages(): Promise<void> {
  const origin = `http://localhost:${port}`
  const page = await (await fetch(`${origin}/admin`)).text()
  const scripts = [...page.matchAll(/src="([^"]+\.js)"/g)].map(([, address]) => address)
  if (scripts.length === 0) throw new Error('the page of the admin area names no script')
  for (const address of scripts) {
    const type = (await fetch(`${origin}${address}`)).headers.get('content-type') ?? ''
    if (!type.startsWith('text/javascript')) throw new Error(`${address} is ${type}, and no script`)
  }
}

/** Builds in a copy: other checks use the pages of this folder meanwhile. */
function buildsWhatHasChanged(): void {
  const copy = path.join(home, 'copy')
  for (const name of COPIED) cpSync(name, path.join(copy, name), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'))
  stampPages(copy)
  const page = path.join(copy, 'src/admin/main.tsx')
  const expectFresh = (expected: ReturnType<typeof freshPages>, when: string) => {
    const found = freshPages(copy)
    if (found !== expected) throw new Error(`the pages are ${found}, and not ${expected}, ${when}`)
  }
  expectFresh('current', 'when nothing has changed')
  appendFileSync(path.join(copy, 'scripts/demo.ts'), '\n// Nothing of the pages.\n')
  expectFresh('current', 'when something else has changed')
  appendFileSync(path.join(copy, 'src/docs/guides/start.md'), '\nA sentence of the check.\n')
  expectFresh('built', 'when a guide has changed')
  if (!readFileSync(path.join(copy, 'dist/site/docs/start.html'), 'utf8').includes('A sentence of the check.'))
    throw new Error('the change of a guide is not in what was built')
  appendFileSync(page, "\ndocument.documentElement.dataset.check = 'changed'\n")
  expectFresh('built', 'when a page has changed')
  const has = execFileSync('grep', ['-rlE', 'dataset\\.check=.changed', path.join(copy, 'dist/site/admin')])
  if (has.length === 0) throw new Error('the change of a page is not in what was built')
  expectFresh('current', 'after they were built')
  rmSync(path.join(copy, 'dist/site'), { recursive: true })
  appendFileSync(page, '\nexport const (\n')
  expectFresh('failed', 'when a page does not compile')
}

async function start() {
  const child = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  started.push(child)
  let printed = ''
  let complained = ''
  child.stdout.on('data', chunk => (printed += chunk))
  child.stderr.on('data', chunk => (complained += chunk))
  const deadline = Date.now() + READY_WITHIN_MS
  while (!/\ncurl .*\n/.test(printed)) {
    if (Date.now() > deadline || child.exitCode !== null)
      throw new Error(`npm start did not get ready:\n${printed}${complained}`)
    await sleep(200)
  }
  const warnings = complained.split('\n').filter(line => line.trim() !== '' && !line.includes('Unknown user config'))
  if (warnings.length > 0) throw new Error(`npm start complained:\n${warnings.join('\n')}`)
  const [, call = ''] = /\n(curl .*)\n/.exec(printed) ?? []
  const [, token = ''] = /(cw_\w+)/.exec(printed) ?? []
  const answer = JSON.parse(execFileSync('bash', ['-c', call], { encoding: 'utf8' }))
  if (answer._errors.length > 0 || answer._data.length === 0)
    throw new Error(`the printed call answered ${JSON.stringify(answer)}`)
  return { child, token }
}

/** A second start is refused with the reason, and the first continues. */
function refusesTaken(taken: number, folder: string): void {
  refuses(taken, folder, 'is taken by process')
}

function refuses(onPort: number, folder: string, because: string): void {
  const asked = { ...env, PORT: String(onPort), STATE: folder }
  const { status, stdout, stderr } = spawnSync('npm', ['start'], { env: asked, encoding: 'utf8', timeout: 60_000 })
  const said = stderr.split('\n').filter(line => /^\S/.test(line) && !line.startsWith('npm '))
  if (status !== 1 || said.length !== 1 || !said[0]?.includes(because) || stdout.includes('Caseworker is at'))
    throw new Error(`npm start, which ${because}, ended with ${status}:\n${stdout}${stderr}`)
}

/** Checks what others on this machine could read: files of the local data, and the arguments of each process. */
function isPrivate({ child }: Running): void {
  const own = [state, '.wrangler/running', '.wrangler/worker-options.json'].flatMap(listFiles)
  if (!own.some(file => file.endsWith('.sqlite'))) throw new Error(`no database among ${own.join(', ')}`)
  const open = own.filter(file => ((getMode(file) ?? 0) & 0o077) !== 0)
  if (open.length > 0)
    throw new Error(`others on this machine may read ${open.length} files\n${open.slice(0, 9).join('\n')}`)
  const secrets = ['secrets-key', 'operator-token', 'demo-token'].map(name =>
    readFileSync(path.join(state, name), 'utf8').trim(),
  )
  const processes = findDescendants(child.pid ?? 0)
  if (!processes.some(({ command }) => / serve --binary /.test(command)))
    throw new Error('the runtime is not among them')
  for (const { pid, command } of processes) {
    const started = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (secrets.some(secret => started.includes(secret))) throw new Error(`a secret is in the arguments of ${command}`)
  }
}

/** Returns the mode of a file; undefined if it is gone: those beside a database come and go. */
function getMode(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mode
}

function listFiles(file: string): string[] {
  if (!statSync(file, { throwIfNoEntry: false })?.isDirectory()) return [file]
  return [file, ...readdirSync(file).flatMap(name => listFiles(path.join(file, name)))]
}

/** The control interface of the emulated WhatsApp asks for no token: only who is on this machine may reach it. */
function listensOnThisMachineAlone(): void {
  const LISTENING = '0A'
  const LOOPBACK = ['0100007F', '00000000000000000000000001000000']
  const lines = ['tcp', 'tcp6'].flatMap(name => readFileSync(`/proc/net/${name}`, 'utf8').trim().split('\n').slice(1))
  const addresses = lines.flatMap(line => {
    const [, local = '', , kind] = line.trim().split(/\s+/)
    const [address = '', number = ''] = local.split(':')
    return kind === LISTENING && [port, port + 1].includes(Number.parseInt(number, 16)) ? [address] : []
  })
  if (addresses.length < 2 || addresses.some(address => !LOOPBACK.includes(address)))
    throw new Error(`the ports listen on ${addresses.join(', ')}`)
}

/** Wrangler's explorer takes SQL without a token, and its paths for a cron run what nobody asked for. */
async function hidesWhatIsWranglers(): Promise<void> {
  for (const address of [
    ...['cdn-cgi/explorer', 'cdn-cgi/explorer/api/d1/database', 'cdn-cgi/mf/scheduled', 'cdn-cgi/handler/scheduled'],
    ...['__scheduled?cron=*+*+*+*+*', 'cdn-cgi/mf/reload'],
  ]) {
    for (const method of ['GET', 'POST']) {
      const { status } = await fetch(`http://localhost:${port}/${address}`, { method })
      if (status !== 404) throw new Error(`${method} /${address} answered ${status}`)
    }
  }
}

/**
 * Whoever has only one of both, the folder of the data or the port, makes a team there, suspends, resumes and limits it, in whatever
 * folder of the project.
 */
async function findsTheStartForATeam(): Promise<void> {
  const { PORT: _port, STATE: _state, ...others } = process.env
  for (const [name, known] of [
    ['By its port', { PORT: String(port) }],
    ['By its data', { STATE: state }],
  ] as const) {
    const asked = { env: { ...others, ...known }, encoding: 'utf8', cwd: 'test/whatsapp', timeout: 300_000 } as const
    const run = (...args: string[]) => spawnSync('npm', ['run', 'team', '--', ...args], asked)
    const { status, stdout, stderr } = run('create', name)
    const [token = ''] = /cw_\w+/.exec(stdout) ?? []
    const ask = async () => {
      const headers = { authorization: `Bearer ${token}` }
      // Connections that were closed while this process waited are still in the pool until it hears of it.
      await sleep(100)
      return (await fetch(`http://localhost:${port}/v1/ext/me`, { headers })).status
    }
    // The Worker has not met the token yet, so it does not remember that it was accepted.
    const team = name.toLowerCase().replaceAll(' ', '_')
    const suspended = run('suspend', team)
    const refused = await ask()
    if (status !== 0 || suspended.status !== 0 || refused !== 403 || !stdout.includes(`http://localhost:${port}/`))
      throw new Error(`"${name}" is no team of the start that runs, or was not suspended (${refused}):
${stdout}${stderr}${suspended.stdout}${suspended.stderr}`)
    const resumed = run('resume', team, '--revoke-keys')
    const [link = ''] = /cwl_\w+/.exec(resumed.stdout) ?? []
    const headers = { 'content-type': 'application/json', origin: `http://localhost:${port}` }
    const body = JSON.stringify({ link })
    const looked = await fetch(`http://localhost:${port}/v1/session/link`, { method: 'POST', headers, body })
    if (looked.status !== 200)
      throw new Error(`"${name}" was not resumed with a link that works:\n${resumed.stdout}${resumed.stderr}`)
    // This runs once: each command takes seconds.
    if (known.STATE === undefined) continue
    const [limited, unlimited] = [run('limit', team, '--rows-per-day', '1000'), run('limit', team, '--none')]
    const isSaid = /to 1000 rows a day; it has written \d+ today/.test(limited.stdout)
    if (!isSaid || !unlimited.stdout.includes('any number of rows a day'))
      throw new Error(`"${name}" was not limited:
${limited.stdout}${limited.stderr}${unlimited.stdout}${unlimited.stderr}`)
  }
}

/** The isolate of the real runtime remembers, too, what the parts were found to be. */
async function examinesOnce(): Promise<void> {
  const headers = { authorization: `Bearer ${readFileSync(path.join(state, 'operator-token'), 'utf8').trim()}` }
  const ask = async () => {
    const response = await fetch(`http://localhost:${port}/v1/health?deep=true`, { headers })
    return ((await response.json()) as { _data: { examinedAt: number } })._data.examinedAt
  }
  const [first, second] = [await ask(), await ask()]
  if (first === undefined || first !== second)
    throw new Error(`the parts were examined at ${first}, and again at ${second}`)
}

/**
 * A refusal leaves the body of its request unread, on routes that take it as a stream. The next call on the same connection, which is a
 * POST and so not sent again by clients, gets its answer nevertheless.
 */
async function keepsConnections({ token }: { token: string }): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = (method: string, address: string, body: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }
      const outgoing = request({ agent, host: 'localhost', port, method, path: `/v1/ext/${address}`, headers })
      outgoing.on('error', reject)
      outgoing.on('response', response => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', chunk => (text += chunk))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      outgoing.end(body)
    })
  const refused = REFUSED_ENTRIES.map(length =>
    JSON.stringify({ processes: Array.from({ length }, (_, index) => ({ lead_id: `NONE-${index}` })) }),
  )
  const searched = JSON.stringify({ limit: 1 })
  try {
    for (let round = 1; round <= REFUSAL_ROUNDS; round += 1) {
      for (const body of refused)
        expectStatus(404, await send('PATCH', 'procedure/nope/process', body), `refusal of round ${round}`)
      expectStatus(
        200,
        await send('POST', 'procedure/lead/process/list', searched),
        `call after refusals, round ${round}`,
      )
    }
  } finally {
    agent.destroy()
  }
}

function expectStatus(expected: number, { status, text }: { status: number; text: string }, what: string): void {
  if (status !== expected) throw new Error(`${what}: ${status} and not ${expected}: ${text}`)
}

/** A failure of data that the demo team needs ends the start, with the reason and everything that it has begun. */
async function endsWhereTheDemoFails(): Promise<void> {
  const refusing = `const real = globalThis.fetch
    globalThis.fetch = (url, init) => String(url).endsWith('/v1/ext/procedure/ticket')
      ? Promise.resolve(Response.json({ _meta: { errors: [{ code: 'invalid', message: 'refused by the check' }] } }, { status: 400 }))
      : real(url, init)`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(refusing)}`
  const child = spawn('npm', ['start'], {
    env: { ...env, NODE_OPTIONS },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  started.push(child)
  let [printed, complained] = ['', '']
  const processes: Process[] = []
  child.stdout.on('data', chunk => {
    printed += chunk
    // The demo team fails soon after it has begun: what was there is gathered on the way to it.
    for (const each of findDescendants(child.pid ?? 0))
      if (!processes.some(({ pid }) => pid === each.pid)) processes.push(each)
  })
  child.stderr.on('data', chunk => (complained += chunk))
  const code = await new Promise<number | null>(resolve => child.on('close', resolve))
  if (code !== 1 || !complained.includes('refused by the check') || printed.includes('Caseworker is at'))
    throw new Error(`npm start, whose demo failed, ended with ${code}:\n${printed}${complained}`)
  if (!processes.some(({ command }) => / serve --binary /.test(command))) throw new Error('the runtime was not seen')
  await expectNothingLeft(processes)
}

type Running = Awaited<ReturnType<typeof start>>

async function stop({ child }: Running): Promise<void> {
  const processes = findDescendants(child.pid ?? 0)
  const ended = new Promise(resolve => child.on('exit', resolve))
  // The signal goes to the whole foreground group, as from a terminal.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await ended
  await expectNothingLeft(processes)
}

/** The runtime crashes: that is told, and ends the rest. */
async function endsWithItsRuntime({ child }: Running): Promise<void> {
  const processes = findDescendants(child.pid ?? 0)
  let complained = ''
  child.stderr.on('data', chunk => (complained += chunk))
  const ended = new Promise<number | null>(resolve => child.on('exit', resolve))
  killOne(processes, ({ command }) => / serve --binary /.test(command))
  const code = await ended
  if (code !== 1 || !complained.includes('has ended (signal SIGKILL)'))
    throw new Error(`npm start, whose runtime was killed, ended with ${code}:\n${complained}`)
  await expectNothingLeft(processes)
}

/** A killed process cannot tidy up. */
async function endsWhereItIsKilled({ child }: Running): Promise<void> {
  const processes = findDescendants(child.pid ?? 0)
  killOne(processes, ({ command }) => /^\S*node .*start\.ts/.test(command))
  await expectNothingLeft(processes)
}

interface Process {
  pid: number
  parent: number
  command: string
}

function listProcesses(): Process[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n')
  return lines.map(line => {
    const [pid = '', parent = '', ...command] = line.trim().split(/\s+/)
    return { pid: Number(pid), parent: Number(parent), command: command.join(' ') }
  })
}

/** A process and all that it has started, in turn. */
function findDescendants(root: number): Process[] {
  const all = listProcesses()
  const found = all.filter(({ pid }) => pid === root)
  for (const { pid } of found) found.push(...all.filter(({ parent }) => parent === pid))
  return found
}

function killOne(processes: Process[], isIt: (process: Process) => boolean): void {
  const [victim, ...others] = processes.filter(isIt)
  if (victim === undefined || others.length > 0)
    throw new Error(`not one process to kill:\n${processes.map(({ command }) => command).join('\n')}`)
  process.kill(victim.pid, 'SIGKILL')
}

async function expectNothingLeft(processes: Process[]): Promise<void> {
  const getLeft = () =>
    listProcesses().filter(({ pid, command }) => processes.some(each => each.pid === pid && each.command === command))
  const deadline = Date.now() + ENDED_WITHIN_MS
  for (let left = getLeft(); left.length > 0; left = getLeft()) {
    if (Date.now() > deadline) throw new Error(`left behind:\n${left.map(({ command }) => command).join('\n')}`)
    await sleep(200)
  }
}

function explainsItself(): void {
  const { status, stdout } = spawnSync('npm', ['start', '--', '--help'], { env, encoding: 'utf8' })
  if (status !== 0 || !/\bPORT\b/.test(stdout) || !/\bSTATE\b/.test(stdout) || stdout.includes('local database'))
    throw new Error(`npm start -- --help ended with ${status}:\n${stdout}`)
}
