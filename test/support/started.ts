import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { operatorTokenFile } from '../../scripts/local/running.ts'
import { sleep } from './sleep.ts'
import './fresh-connections.ts'

const PORTS = { first: 12_000, last: 32_000 }
const READY_WITHIN_MS = 300_000
/**
 * The kept part of the server's complaints: for each webhook that cannot be reached, workerd writes some lines at each
 * attempt.
 */
const COMPLAINTS_CHARACTERS_MAX = 20_000

/** A team of a server that runs. */
export interface StartedTeam {
  url: string
  token: string
  /** The token of the operator of the installation. */
  operator: string
  stop: () => Promise<void>
}

interface StartOptions {
  settings?: Record<string, string>
  port?: number
  /** A folder whose database has something already. It is removed at the end. */
  state?: string
  /** True sends the server's complaints to the check's own standard error at once, and not only if the check fails. */
  isLoud?: boolean
}

export const newState = (): string => mkdtempSync(path.join(tmpdir(), 'caseworker-check-'))

/** A fresh `npm start` on a port and data of its own, as a newcomer has it: its demo team. */
export async function startServer(options: StartOptions = {}): Promise<StartedTeam> {
  const { settings = {}, state = newState(), isLoud = false } = options
  const port = options.port ?? (await freePort())
  const env = { ...process.env, ...settings, PORT: String(port), STATE: state }
  const remove = () => rmSync(state, { recursive: true, force: true })
  const stop = await run(env, isLoud).catch((error: unknown) => {
    remove()
    throw error
  })
  return {
    url: `http://localhost:${port}`,
    token: readFileSync(path.join(state, 'demo-token'), 'utf8').trim(),
    operator: readFileSync(operatorTokenFile(state), 'utf8').trim(),
    async stop() {
      await stop()
      remove()
    },
  }
}

/** Runs `npm start` until it is ready; returns what stops it. */
async function run(env: NodeJS.ProcessEnv, isLoud: boolean): Promise<() => Promise<void>> {
  const child = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const ended = new Promise(resolve => child.on('exit', resolve))
  let printed = ''
  let complaints = ''
  child.stdout.on('data', chunk => (printed += chunk))
  child.stderr.on('data', chunk => {
    if (isLoud) process.stderr.write(chunk)
    else complaints = (complaints + chunk).slice(-COMPLAINTS_CHARACTERS_MAX)
  })
  const interrupt = () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, 'SIGINT')
  }
  // Whatever ends the check, nothing goes on running; where it fails, the last complaints are told.
  process.once('exit', code => {
    interrupt()
    if (code !== 0) process.stderr.write(complaints)
  })
  const stop = async () => {
    interrupt()
    await ended
  }
  const deadline = Date.now() + READY_WITHIN_MS
  while (!/\ncurl .*\n/.test(printed)) {
    if (Date.now() > deadline || child.exitCode !== null) {
      await stop()
      throw new Error(`npm start did not get ready:\n${printed}`)
    }
    await sleep(200)
  }
  return stop
}

/**
 * A port whose neighbour is free, too: the emulated WhatsApp gets that. Below those that the system gives to connections and
 * to whoever does not mind: one of these may be taken by the time that the server begins to listen.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(PORTS.first, PORTS.last)
    if ((await isFree(port)) && (await isFree(port + 1))) return port
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false)).listen(port, () => server.close(() => resolve(true)))
  })

/** Debian's browser, or whichever `CHROMIUM` names; undefined where there is none. */
export function chromium(): string | undefined {
  const named = process.env.CHROMIUM ?? 'chromium'
  try {
    return execFileSync('which', [named], { encoding: 'utf8' }).trim()
  } catch {
    return undefined
  }
}
