import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readArguments } from '../scripts/arguments.ts'
import { sleep } from './support/sleep.ts'
import { freePort } from './support/started.ts'

readArguments(
  'usage: [KILLS=<number>] [STATE=<folder>] [PORT=<number>] npm run kill\nKills npm start ten times, or as often as KILLS says, during large jobs (applications of dry runs, undos, updates), and counts the effects.',
)

// Runs jobs of 5,000 entries under `npm start`: applications of dry runs, undos and updates, by turns. Ends the whole process
// group with kill -9 at random moments, starts it again, and looks whether every entry took effect exactly once. STATE and
// PORT may be given.
const KILLS = Number(process.env.KILLS ?? 10)
const ENTRIES = 5_000
const PROCESSES = 500
/** The limit is enough for a machine that is busy with other things. */
const READY_WITHIN_MS = 300_000
const ENDED_WITHIN_MS = 600_000
const KILLS_MAX = 4 * KILLS
/** The jobs that are killed. Two kills, as in CI, meet the first two: an application runs its entries as an update does. */
const KINDS = ['apply', 'undo', 'update'] as const

const isOurs = process.env.STATE === undefined
const state = process.env.STATE ?? mkdtempSync(path.join(tmpdir(), 'caseworker-kill-'))
const port = Number(process.env.PORT ?? (await freePort()))
const origin = `http://localhost:${port}`
const leads = '/v1/ext/procedure/kill/process'
let token = ''
let running: ChildProcess | undefined
/** How many jobs have changed every process ten times, and the numbers of those that were undone. */
let changes = 0
const undone = new Set<number>()

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the check says what it expects of a body
  _data: any
  // biome-ignore lint/suspicious/noExplicitAny: likewise
  _meta: any
}

try {
  running = await start()
  await call('PUT', '/v1/ext/procedure/kill', {
    name: 'Kill',
    states: [{ shortId: 'NEW' }],
    startState: 'NEW',
    completedState: 'NEW',
    attributes: [{ shortId: 'key', type: 'string' }],
    primaryKey: 'key',
  })
  const created = await call(
    'POST',
    `${leads}/bulk-create`,
    Array.from({ length: PROCESSES }, (_, index) => ({ key: `K${index}` })),
  )
  await ended(created._data.id)

  let [kills, jobs, inTheMiddle] = [0, 0, 0]
  let job = ''
  let aliveMs = 1_000
  const goesOn = () => inTheMiddle < KILLS && kills < KILLS_MAX
  while (goesOn() || job !== '') {
    const kind = KINDS[(job === '' ? jobs : jobs - 1) % KINDS.length] ?? 'update'
    if (job === '') {
      jobs++
      job = await begin(kind)
    }
    if (goesOn()) {
      await sleep(Math.random() * aliveMs)
      // The rest may be done before a restarted server is ready, so a job that is unfinished at this look counts as
      // interrupted.
      const before = await call('GET', `/v1/ext/background-job/${job}`)
      kill()
      running = await start()
      const after = await call('GET', `/v1/ext/background-job/${job}`)
      const done: number = before._meta.bjEntryCompletionStatusVsCount.SUCCESS
      console.log(`kill ${++kills}, with ${done} of ${ENTRIES} entries done (${kind})`)
      // A kill that came too late comes sooner the next time, so this works on machines of any speed.
      if (done < ENTRIES) inTheMiddle++
      if (done > ENTRIES / 2) aliveMs *= 0.7
      else aliveMs *= 1.3
      if (after._data.completedAt === 0) continue
    } else await ended(job)
    await check(job)
    job = ''
  }
  if (inTheMiddle < KILLS) throw new Error(`of ${kills} kills only ${inTheMiddle} met a job on its way`)
  console.log(
    `${kills} kills, ${inTheMiddle} of them in the middle, ${jobs} jobs of ${ENTRIES} entries: each entry took effect exactly once`,
  )
} finally {
  kill()
  if (isOurs) rmSync(state, { recursive: true, force: true })
}

/** Accepts the next job that is killed, after what it follows from has ended. */
async function begin(kind: (typeof KINDS)[number]): Promise<string> {
  const number = changes++
  // Each process is changed ten times, each time in an attribute of its own: nothing can hide a lost change.
  const processes = Array.from({ length: ENTRIES }, (_, index) => ({
    key: `K${index % PROCESSES}`,
    update: { data: { [`job${number}_${Math.floor(index / PROCESSES)}`]: index } },
  }))
  const query = kind === 'apply' ? '?dryRun=true' : ''
  const accepted = await call('PATCH', `${leads}${query}`, { processes }, { 'idempotency-key': `kill-${number}` })
  const { id } = accepted._data
  if (kind === 'update') return id
  await ended(id)
  if (kind === 'undo') undone.add(number)
  return (await call('POST', `/v1/ext/background-job/${id}/${kind}`))._data.id
}

/**
 * Every process has every attribute that every job so far has given it and that was not taken back, and was changed as often
 * as it had to be.
 */
async function check(id: string): Promise<void> {
  const { _data, _meta } = await call('GET', `/v1/ext/background-job/${id}`)
  if (_meta.bjEntryCompletionStatusVsCount.SUCCESS !== ENTRIES) throw new Error(JSON.stringify({ _data, _meta }))
  for (let skip = 0; skip < PROCESSES; skip += 100) {
    const page = await call('POST', `${leads}/list`, { skip, limit: 100 })
    for (const { data } of page._data) {
      const expected = { key: data.key, ...listAttributes(Number(data.key.slice(1))) }
      if (JSON.stringify(sorted(data)) !== JSON.stringify(sorted(expected)))
        throw new Error(`process ${data.key} is ${JSON.stringify(data)}`)
    }
  }
  const sample = await fetch(`${origin}${leads}/key/K0`, { headers: { authorization: `Bearer ${token}` } })
  const version = Number(/"(\d+)-/.exec(sample.headers.get('etag') ?? '')?.[1])
  const expected = ((changes + undone.size) * ENTRIES) / PROCESSES
  if (version !== 1 + expected) throw new Error(`K0 was changed ${version - 1} times, not ${expected}`)
}

function listAttributes(index: number): Record<string, number> {
  const attributes: Record<string, number> = {}
  for (let job = 0; job < changes; job++)
    for (let nth = 0; nth < ENTRIES / PROCESSES && !undone.has(job); nth++)
      attributes[`job${job}_${nth}`] = nth * PROCESSES + index
  return attributes
}

function sorted(data: object): [string, unknown][] {
  return Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))
}

async function ended(id: string): Promise<void> {
  const deadline = Date.now() + ENDED_WITHIN_MS
  for (;;) {
    const { _data, _meta } = await call('GET', `/v1/ext/background-job/${id}`)
    const counts = Object.values(_meta.bjEntryCompletionStatusVsCount as Record<string, number>)
    if (counts.reduce((sum, count) => sum + count, 0) !== _data.total) throw new Error(JSON.stringify(_meta))
    if (_data.completedAt !== 0) return
    if (Date.now() > deadline) throw new Error(`the job has not ended: ${JSON.stringify(_meta)}`)
    await sleep(200)
  }
}

async function call(
  method: string,
  route: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${origin}${route}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as Answer
  if (!response.ok) throw new Error(`${method} ${route}: ${JSON.stringify(answer)}`)
  return answer
}

async function start(): Promise<ChildProcess> {
  const env = { ...process.env, PORT: String(port), STATE: state }
  const child = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let said = ''
  child.stdout.on('data', chunk => (said += chunk))
  child.stderr.on('data', chunk => (said += chunk))
  const deadline = Date.now() + READY_WITHIN_MS
  while (!/\ncurl .*\n/.test(said)) {
    await sleep(100)
    // A process that was killed holds its folder until the system has cleared it away.
    if (child.exitCode !== null && said.includes('is in use by process') && Date.now() < deadline) return start()
    if (Date.now() > deadline || child.exitCode !== null) throw new Error(`npm start did not get ready:\n${said}`)
  }
  token = readFileSync(path.join(state, 'demo-token'), 'utf8').trim()
  return child
}

/** Kills the server as a loss of power does: no process can say goodbye. */
function kill(): void {
  if (running?.pid !== undefined)
    try {
      process.kill(-running.pid, 'SIGKILL')
    } catch {
      // The process is gone already.
    }
  const left = execFileSync('ps', ['-eo', 'pid,args'], { encoding: 'utf8' })
    .split('\n')
    .filter(line => line.includes(state) && !line.includes('ps -eo') && Number.parseInt(line, 10) !== process.pid)
  for (const line of left) process.kill(Number.parseInt(line, 10), 'SIGKILL')
}
