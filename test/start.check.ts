import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freshPages, stampPages } from '../scripts/fresh-pages.ts'
import { freePort } from './support/started.ts'

// Starts the API as a newcomer does, runs the call it prints, ends it with Ctrl-C, and looks whether anything is left.
const READY_WITHIN_MS = 300_000
const ENDED_WITHIN_MS = 10_000
const REFUSAL_ROUNDS = 20
const REFUSED_ENTRIES = [1, 500, 5_000]
const state = mkdtempSync(path.join(tmpdir(), 'caseworker-start-'))
const port = await freePort()
const env = { ...process.env, PORT: String(port), STATE: state }
const started: ChildProcess[] = []

try {
  explainsItself()
  buildsWhatHasChanged()
  const first = await start()
  refusesTaken(port, state)
  refusesTaken(port, path.join(state, 'other'))
  refusesTaken(port - 1, state)
  refuses(await freePort(), state, 'is in use')
  await keepsConnections(first)
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
  rmSync(state, { recursive: true, force: true })
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

/** In a copy: other checks use the pages of this folder meanwhile. */
function buildsWhatHasChanged(): void {
  const copy = path.join(state, 'copy')
  for (const name of ['src', 'scripts', 'dist', 'package.json', 'package-lock.json', 'tsconfig.json'])
    cpSync(name, path.join(copy, name), { recursive: true })
  symlinkSync(path.resolve('node_modules'), path.join(copy, 'node_modules'))
  stampPages(copy)
  const page = path.join(copy, 'src/admin/main.tsx')
  const expectFresh = (expected: ReturnType<typeof freshPages>, when: string) => {
    const found = freshPages(copy)
    if (found !== expected) throw new Error(`the pages are ${found}, and not ${expected}, ${when}`)
  }
  expectFresh('current', 'when nothing has changed')
  appendFileSync(path.join(copy, 'src/chore.ts'), '\n// Nothing of the pages.\n')
  expectFresh('current', 'when something else has changed')
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
    await new Promise(resolve => setTimeout(resolve, 200))
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

/** Beside the one that runs: whoever starts another hears why it can't be, and the first goes on. */
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

type Running = Awaited<ReturnType<typeof start>>

async function stop({ child }: Running): Promise<void> {
  const processes = findDescendants(child.pid ?? 0)
  const ended = new Promise(resolve => child.on('exit', resolve))
  // As a terminal does: the signal goes to the whole foreground group.
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

/** Nothing can be tidied up by what is killed. */
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
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

function explainsItself(): void {
  const { status, stdout } = spawnSync('npm', ['start', '--', '--help'], { env, encoding: 'utf8' })
  if (status !== 0 || !/\bPORT\b/.test(stdout) || !/\bSTATE\b/.test(stdout) || stdout.includes('local database'))
    throw new Error(`npm start -- --help ended with ${status}:\n${stdout}`)
}
