import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freshPages, stampPages } from '../scripts/fresh-pages.ts'
import { freePort } from './support/started.ts'

// Starts the API as a newcomer does, runs the call it prints, ends it with Ctrl-C, and looks whether anything is left.
const READY_WITHIN_MS = 300_000
const state = mkdtempSync(path.join(tmpdir(), 'caseworker-start-'))
const port = await freePort()
const env = { ...process.env, PORT: String(port), STATE: state }

try {
  buildsWhatHasChanged()
  const first = await start()
  refusesTaken(port, state)
  refusesTaken(port, path.join(state, 'other'))
  refusesTaken(port - 1, state)
  refuses(await freePort(), state, 'is in use')
  await stop(first)
  const second = await start()
  if (second.token !== first.token) throw new Error('the second start has another token: it did not keep the data')
  await stop(second)
  console.log('started twice; the printed call worked; a taken port was refused; Ctrl-C left nothing behind')
} finally {
  for (const line of leftBehind()) process.kill(Number.parseInt(line, 10), 'SIGKILL')
  rmSync(state, { recursive: true, force: true })
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
  refuses(taken, folder, 'is taken')
}

function refuses(onPort: number, folder: string, because: string): void {
  const asked = { ...env, PORT: String(onPort), STATE: folder }
  const { status, stdout, stderr } = spawnSync('npm', ['start'], { env: asked, encoding: 'utf8', timeout: 60_000 })
  const said = stderr.split('\n').filter(line => /^\S/.test(line) && !line.startsWith('npm '))
  if (status !== 1 || said.length !== 1 || !said[0]?.includes(because) || stdout.includes('Caseworker is at'))
    throw new Error(`npm start, which ${because}, ended with ${status}:\n${stdout}${stderr}`)
}

async function stop({ child }: Awaited<ReturnType<typeof start>>) {
  const ended = new Promise(resolve => child.on('exit', resolve))
  // As a terminal does: the signal goes to the whole foreground group.
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await ended
  const deadline = Date.now() + 10_000
  while (leftBehind().length > 0) {
    if (Date.now() > deadline) throw new Error(`left behind:\n${leftBehind().join('\n')}`)
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

function leftBehind(): string[] {
  return execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.includes(state) && !line.includes('ps -eo'))
}
