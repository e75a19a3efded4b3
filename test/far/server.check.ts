import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { casing } from '../../src/db/compile.ts'
import { WALKED_TABLES } from '../../src/team/tables.ts'
import { HOUR_MS } from '../../src/time-units.ts'
import { sleep } from '../support/sleep.ts'
import { startFar } from './server/start.ts'

// The server of `npm run far`: distance, a job through its queue, a fault, an isolate that vanishes; and `npm run team`,
// which exports, erases and imports the team there, refuses one whose secrets could not be read, and backs it up and restores it as
// the guide says. Run from .ci/run.

const LEADS = '/v1/ext/procedure/lead/process'
const DATABASE_MS = 40
const NOTES = 50
const NOTE_CHARACTERS = 100_000

const OPERATOR_TOKEN = 'operator-token-of-the-far-server-012'

// Requests are not collected: two exports of a team are compared, and there are requests between them.
const vars = { OPERATOR_TOKEN, REQUEST_RETENTION_DAYS: '0' }
const far = await startFar({ options: { databaseMs: DATABASE_MS }, vars })

async function call(method: string, path: string, body?: unknown) {
  const startedAt = performance.now()
  const response = await fetch(far.url + path, {
    method,
    headers: { authorization: `Bearer ${far.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { _data, _errors } = (await response.json()) as { _data: Record<string, unknown>; _errors: string[] }
  const trips = Number(/trips=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1])
  return { status: response.status, data: _data, errors: _errors, trips, ms: performance.now() - startedAt }
}

try {
  const procedure = {
    name: 'Lead',
    states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
    startState: 'NEW',
    completedState: 'WON',
    attributes: [{ shortId: 'lead_id', type: 'string' }],
    primaryKey: 'lead_id',
  }
  assert.equal((await call('PUT', '/v1/ext/procedure/lead', procedure)).status, 201)

  const created = await call('POST', LEADS, { data: { lead_id: 'L0' } })
  assert.equal(created.status, 201)
  const warm = await call('GET', `${LEADS}/${created.data.id}`)
  assert.ok(warm.ms >= warm.trips * DATABASE_MS, `${warm.ms} ms for ${warm.trips} trips`)
  await far.control('POST', 'vanish')
  const cold = await call('GET', `${LEADS}/${created.data.id}`)
  assert.ok(cold.trips > warm.trips, `${cold.trips} trips in a cold isolate, ${warm.trips} in a warm one`)

  await far.control('POST', 'faults', [{ kind: 'database', fault: 'lost after', about: 'INTO "process"' }])
  assert.equal((await call('POST', LEADS, { data: { lead_id: 'L1' } })).status, 503)
  assert.equal((await call('GET', `${LEADS}/lead_id/L1`)).status, 200)

  const processes = Array.from({ length: 600 }, (_, n) => ({ data: { lead_id: `B${n}` } }))
  const job = await call('POST', `${LEADS}/bulk-create`, { processes })
  assert.deepEqual([job.status, job.errors], [202, []])
  for (;;) {
    const { data } = await call('GET', `/v1/ext/background-job/${job.data.id}`)
    if (data.completionStatus === 'SUCCESS') break
    await sleep(200)
  }
  await far.control('POST', 'cron')
  console.log('npm run far: distance, faults, isolates, queues and cron are there')
  // A team moves in hundreds of requests: what they do is looked at, and distance was seen above.
  await far.control('PUT', 'options', { databaseMs: 0, objectMs: 0, queueMs: 0, mediaMs: 0, readMs: 0, writeMs: 0 })
  await movesATeam()
} finally {
  await far.stop()
}

function runTeam(verb: string, team: string, folder: string, more: readonly string[] = ['--yes']) {
  return runCommand(verb, team, '--url', far.url, ...(verb === 'erase' ? more : ['--folder', folder]))
}

async function runCommand(...words: string[]) {
  const args = ['--import', 'tsx', 'scripts/team.ts', ...words]
  const child = spawn('node', args, { env: { ...process.env, OPERATOR_TOKEN }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()))
  const code = await new Promise<number | null>(resolve => child.on('exit', resolve))
  return { code, output }
}

/** One command exports a team from the installation, and another imports it. */
async function movesATeam(): Promise<void> {
  const home = mkdtempSync(path.join(tmpdir(), 'caseworker-admin-'))
  const [first, second] = [path.join(home, 'first'), path.join(home, 'second')]
  const well = async (verb: string, folder: string, said: RegExp) => {
    const { code, output } = await runTeam(verb, far.teamId, folder)
    assert.equal(code, 0, `${verb}: ${output}`)
    assert.match(output, said)
  }
  try {
    const webhook = await call('POST', '/v1/ext/webhook', {
      url: 'https://receiver.example.com/events',
      enabled: false,
    })
    assert.deepEqual([webhook.status, webhook.errors], [201, []])
    // This is more history than one request of an import takes.
    for (let nth = 0; nth < NOTES; nth += 1) {
      const note = `${nth} ${'x'.repeat(NOTE_CHARACTERS)}`
      const { status, errors } = await call('PUT', LEADS, { data: { lead_id: 'L0', note } })
      assert.deepEqual([status, errors], [200, []])
    }
    const before = await call('GET', `${LEADS}/lead_id/B599`)
    await well('export', first, /\d+ rows and 0 files of /)
    // A name is not enough to erase a team.
    const byName = await runTeam('erase', 'far', first)
    assert.notEqual(byName.code, 0)
    assert.match(byName.output, /name it by its id/)
    assert.equal((await call('GET', `${LEADS}/lead_id/B599`)).status, 200)
    // The command waits for a minute after the keys were revoked: here that was a while ago.
    const revoked = { sql: 'UPDATE api_key SET revoked_at = ?', params: [Date.now() - 61_000] }
    await far.control('POST', 'query', [revoked])
    const unasked = await runTeam('erase', far.teamId, first, [])
    assert.equal(unasked.code, 2)
    assert.match(unasked.output, /^there is no terminal to ask at: --yes/)
    await well('erase', first, /is erased: \d+ rows, and its files/)
    await far.control('POST', 'vanish')
    assert.equal((await call('GET', `${LEADS}/lead_id/B599`)).status, 401)
    await refusesForeignSecrets(first, path.join(home, 'foreign'))
    await importsFilesFirst(first)
    await well('import', first, /\d+ rows and 1 files of .* are there, and were read back/)
    assert.equal(await loadSuspendedAt(), null)
    // Isolates remember for a few seconds that there was no such token.
    await far.control('POST', 'vanish')
    assert.deepEqual((await call('GET', `${LEADS}/lead_id/B599`)).data, before.data)
    // An alarm scans in between, as it does in a slow run.
    await far.control('POST', 'query', [{ sql: 'UPDATE team SET due_scanned_to = ?', params: [Date.now()] }])
    await well('export', second, /\d+ rows and 1 files of /)
    const [exported, imported] = [readRows(first), readRows(second)]
    assert.equal(imported.length, exported.length)
    for (const [nth, line] of exported.entries())
      if (imported[nth] !== line) assert.deepEqual(readSettled(imported[nth] ?? ''), readSettled(line))
    // The second run skips existing rows.
    await well('import', first, /were read back/)
    console.log('npm run team: a team is exported, erased and imported')
    await followsTheGuide(path.join(home, 'backups'))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** The commands of the guide, as they stand there: a backup, what there is, and a restore to it. */
async function followsTheGuide(backups: string): Promise<void> {
  const guide = readFileSync('src/docs/guides/running.md', 'utf8')
  const [, block = ''] = /```sh\n(npm run team -- backup [\s\S]*?)```/.exec(guide) ?? []
  const commands = block.trim().split('\n')
  assert.equal(commands.length, 3, 'commands in the guide')
  // Both minutes in which isolates still trust what they know have passed at once.
  const early = ['suspended_at', 'erasing_at'].map(
    column => `CREATE TRIGGER early_${column} AFTER UPDATE OF ${column} ON team
    WHEN new.${column} IS NOT NULL BEGIN UPDATE team SET ${column} = new.${column} - 61000 WHERE no = new.no; END`,
  )
  early.push(`CREATE TRIGGER early_key AFTER UPDATE OF revoked_at ON api_key WHEN new.revoked_at IS NOT NULL
    BEGIN UPDATE api_key SET revoked_at = new.revoked_at - 61000 WHERE id = new.id; END`)
  await far.control(
    'POST',
    'query',
    early.map(sql => ({ sql, params: [] })),
  )
  let time = ''
  const follow = async (command = '', ...more: string[]) => {
    const words = command.split(' ').slice('npm run team --'.split(' ').length)
    const own = words.map(word => (word === 'acme_sales' ? 'far' : word.startsWith('https:') ? far.url : word))
    const timed = own.map(word => (/^\d{4}-/.test(word) ? time : word))
    const { code, output } = await runCommand(...timed, '--backups', backups, ...more)
    assert.equal(code, 0, `${command}: ${output}`)
    return output
  }
  // What a disk or a scheduler leaves there is no team and no backup.
  mkdirSync(path.join(backups, far.teamId), { recursive: true })
  for (const file of ['.DS_Store', path.join(far.teamId, 'cron.log')]) writeFileSync(path.join(backups, file), '')
  assert.match(await follow(commands[0]), /backup {5}\S+Z {2}far {2}\d+ rows, 1 files/)
  const listed = await follow(commands[1])
  time = listed.split(' ')[0] ?? ''
  await tellsThatBackupsAreBehind(path.join(backups, far.teamId, time, 'backup.json'))
  const before = await call('GET', `${LEADS}/lead_id/B599`)
  assert.equal((await call('PUT', `${LEADS}/lead_id/B599`, { data: { note: 'damaged' } })).status, 200)
  const restored = await follow(commands[2], '--yes')
  assert.match(
    restored,
    /imported {3}\d+ rows and 1 files, and each was read back:\n +team 1\n[\s\S]*restored {3}far to /,
  )
  await far.control('POST', 'vanish')
  assert.deepEqual((await call('GET', `${LEADS}/lead_id/B599`)).data, before.data)
  const [, undo = ''] = /npm run team -- restore far --backup (\S+)/.exec(restored) ?? []
  assert.ok((await follow(commands[1])).includes(undo), 'the backup of what was there before')
  console.log('npm run team: a team is backed up and restored as the guide says')
}

/** A schedule that no longer runs is noticed by the age of the newest backup. */
async function tellsThatBackupsAreBehind(manifest: string): Promise<void> {
  const [, within = ''] = /--within (\d+)/.exec(readFileSync('src/docs/guides/running.md', 'utf8')) ?? []
  const ask = () => runCommand('backups', 'far', '--within', within, '--backups', path.resolve(manifest, '../../..'))
  assert.equal((await ask()).code, 0)
  const text = readFileSync(manifest, 'utf8')
  const backup = JSON.parse(text) as { at: number }
  writeFileSync(manifest, JSON.stringify({ ...backup, at: backup.at - Number(within) * HOUR_MS }))
  const { code, output } = await ask()
  assert.deepEqual([code, output.includes(`far has no backup of the last ${within} hours`)], [1, true], output)
  writeFileSync(manifest, text)
}

function readRows(folder: string): string[] {
  return readFileSync(path.join(folder, 'rows.ndjson'), 'utf8').split('\n')
}

/** A row without the columns that change though nobody calls, such as the time up to which an alarm has scanned. */
function readSettled(line: string): unknown {
  const { table, row } = JSON.parse(line) as { table: string; row: Record<string, unknown> }
  const moving = WALKED_TABLES.find(({ name }) => name === table)?.moving.map(casing.getColumnCasing.bind(casing)) ?? []
  return { table, row: Object.entries(row).filter(([name]) => !moving.includes(name)) }
}

async function loadSuspendedAt(): Promise<number | null> {
  const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
  const response = await fetch(`${far.url}/v1/operate/team/${far.teamId}`, { headers })
  return ((await response.json()) as { _data: { suspendedAt: number | null } })._data.suspendedAt
}

/** An import that breaks off at a file has let nobody in, and nothing go on: what is erased in a team cannot be there before its files. */
async function importsFilesFirst(folder: string): Promise<void> {
  const file = path.join('objects', '0')
  const name = `MEDIA/${far.teamId}/plan`
  writeFileSync(path.join(folder, 'objects.json'), JSON.stringify([{ name, type: 'text/plain', file }]))
  const { code, output } = await runTeam('import', far.teamId, folder)
  assert.notEqual(code, 0, output)
  assert.match(output, /ENOENT/)
  assert.notEqual(await loadSuspendedAt(), null)
  await far.control('POST', 'vanish')
  assert.equal((await call('GET', `${LEADS}/lead_id/B599`)).status, 401)
  mkdirSync(path.join(folder, 'objects'))
  writeFileSync(path.join(folder, file), 'a plan')
}

/** A team from an installation with another key is refused: nothing of it is written, however large it is. */
async function refusesForeignSecrets(exported: string, foreign: string): Promise<void> {
  cpSync(exported, foreign, { recursive: true })
  const file = path.join(foreign, 'rows.ndjson')
  const rows = readFileSync(file, 'utf8')
  const changed = rows.replace(/^(\{"table":"webhook".*"secret":")k[0-9a-f]{8}\./m, '$1k00000000.')
  assert.notEqual(changed, rows, 'the export has no secret of a webhook')
  writeFileSync(file, changed)
  const { code, output } = await runTeam('import', far.teamId, foreign)
  assert.equal(code, 1, output)
  assert.match(output, /another SECRETS_KEY \(k00000000\); nothing was written/)
  const { code: exportCode, output: exportOutput } = await runTeam('export', far.teamId, path.join(foreign, 'again'))
  assert.notEqual(exportCode, 0, `a part of the team was written: ${exportOutput}`)
  assert.match(exportOutput, /not found/)
}
