import { spawn, spawnSync } from 'node:child_process'
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { sql } from 'drizzle-orm'
import { runner } from '../scripts/installation/command.ts'
import { decide, readPauseState, type Wish } from '../scripts/installation/pause-rules.ts'
import { writeRows } from '../scripts/installation/rows.ts'
import { statement } from '../src/db/statement.ts'
import { getKeyId } from '../src/plugin/secret/key-id.ts'
import {
  account,
  counted,
  emulated,
  expect,
  expectMatch,
  home,
  npmRun,
  read,
  setUp,
  setUpWell,
  startDatabase,
  toHomePath,
} from './support/installations.ts'

// The commands of the guide for a night's emergency run against an emulated account, whose database is a real one on
// this machine.
const database = await startDatabase()
const inDatabase = {
  FAKE_DATABASE: database.address,
  RESTORE_SETTLE_SECONDS: '0',
  ROLLBACK_SETTLE_SECONDS: '0',
  ROTATION_SETTLE_SECONDS: '0',
}
const OF_ACME = ['--installation', 'acme']
const queues = () => account().queues.filter(name => name.startsWith('caseworker-acme-'))
/** The value that the Worker meets; without one it goes on. */
const isPaused = () => account().secrets['caseworker-acme']?.PAUSED ?? 'false'

const back = (...args: string[]) => npmRun('admin', ['rollback', ...OF_ACME, '--yes', ...args], inDatabase)
const deployed = () => account().workers['caseworker-acme']?.deployments[0]?.versions[0]?.version_id ?? ''

const getSecrets = () => account().secrets['caseworker-acme'] ?? {}
const rotate = (...args: string[]) => npmRun('admin', ['rotate-key', ...OF_ACME, ...args], inDatabase)
const removeKey = () => npmRun('admin', ['remove-previous-key', ...OF_ACME], inDatabase)

const SECRET_LABEL = Buffer.from('w/secret')
const TAG_BYTES = 16
const toBytes = (base64: string) => new Uint8Array(Buffer.from(base64, 'base64'))

try {
  setUpWell(['--name', 'acme', '--location', 'apac'], inDatabase)
  decidesByRules()
  writesWithinACommand()
  pausesAndResumes()
  pausesWhatItCan()
  namesTheQueueThatFails()
  refusesMistakes()
  namesTheNextStep()
  restores()
  staysClosed()
  meetsOthers()
  await rotatesTheKey()
  await givesNoKeyInPlaceOfALostOne()
  opensATeamUnseen()
  followsTheGuide()
  rollsBack()
  passesBySameCode()
  opensNoPause()
  knowsOtherMachines()
  keepsSecrets()
  await looksWhetherItWorks()
  meetsMigrations()
  crossesAClass()
  console.log(`an installation paused, resumed, restored and taken back: ${counted.checks} checks`)
} finally {
  await database.stop()
  rmSync(home, { recursive: true, force: true })
}

/** Who may open or close an installation, whatever a machine has in its files. */
function decidesByRules(): void {
  const [own, other] = ['RESTORE_0123ABCD', 'RESTORE_4567CDEF']
  const restore = (by: string | undefined, takesOver = false): Wish => ({ verb: 'restore', own: by, takesOver })
  const resume = (abandonsRestore: boolean): Wish => ({ verb: 'resume', abandonsRestore })
  const decisions: [secrets: string[], wish: Wish, decision: string][] = [
    [['SECRETS_KEY'], { verb: 'pause' }, 'allowed'],
    [['PAUSED'], { verb: 'pause' }, 'allowed'],
    [['PAUSED', own], { verb: 'pause' }, 'stays'],
    [['PAUSED'], resume(false), 'allowed'],
    [['PAUSED', own], resume(false), 'unfinished'],
    [['PAUSED', own], resume(true), 'allowed'],
    [['PAUSED'], { verb: 'rollback' }, 'allowed'],
    [['PAUSED', own], { verb: 'rollback' }, 'unfinished'],
    [['PAUSED'], restore(undefined), 'allowed'],
    [['PAUSED', own], restore(own), 'allowed'],
    [['PAUSED', own], restore(undefined), 'of another'],
    [['PAUSED', own, other], restore(own), 'of another'],
    [['PAUSED', other], restore(own, true), 'allowed'],
  ]
  for (const [secrets, wish, decision] of decisions)
    expect(decide(readPauseState(secrets), wish), decision, `${JSON.stringify(wish)} with ${secrets}`)
}

/** Linux takes 128 KiB in one argument of a command; what takes more is refused by a word that names it. */
function writesWithinACommand(): void {
  const text = 'कुंजी'.repeat(300)
  const written: string[] = []
  const run = (args: readonly string[]) => {
    written.push(args.at(-1) ?? '')
    return { isDone: true, stdout: '', output: '' }
  }
  const many = 120
  const statements = Array.from({ length: many }, (_, nth) =>
    statement(sql`UPDATE team SET name = ${`${nth} ${text}`}`),
  )
  writeRows({ run, config: 'acme.toml' }, statements)
  const longest = Math.max(...written.map(command => Buffer.byteLength(command)))
  expect(longest < 128 * 1024, true, `${longest} bytes in a command`)
  const parts = written.flatMap(command => command.split(';\n'))
  expect(
    parts.map(part => /'(\d+) /.exec(part)?.[1]),
    statements.map((_, nth) => String(nth)),
    'statements, each once and in their order',
  )
  expectMatch(runner({})(['x'.repeat(200_000)]).output, /E2BIG/, 'what is said of a command that is too long')
}

function pausesAndResumes(): void {
  const paused = npmRun('admin', ['pause', ...OF_ACME])
  expect(paused.status, 0, paused.output)
  expect(isPaused(), 'true', 'the secret')
  expect([...account().paused].sort(), [...queues()].sort(), 'queues that do not deliver')
  expect(
    paused.calls.filter(call => /^(deploy |d1)/.test(call)),
    [],
    'what a pause deploys, or asks the database',
  )
  expectMatch(paused.output, /npm run admin -- resume --installation acme/, 'how it goes on')
  const resumed = npmRun('admin', ['resume', ...OF_ACME])
  expect([resumed.status, isPaused(), account().paused], [0, 'false', []], 'resumed')
  const changes = resumed.calls.filter(call => !/^(versions|deployments)/.test(call))
  expectMatch(changes[0] ?? '', /^secret delete PAUSED/, 'the Worker goes on before its queues do')
  // Done, and not heard of: the next command is the same one.
  const lost = npmRun('admin', ['pause', ...OF_ACME], { FAKE_LOSES: 'secret put' })
  expect([lost.status, isPaused()], [1, 'true'], lost.output)
  expectMatch(lost.output, /Whether acme is paused is not known\. Run the same command again/, 'what is said of it')
  expect(npmRun('admin', ['pause', ...OF_ACME]).status, 0, 'paused twice')
  const open = npmRun('admin', ['resume', ...OF_ACME], { FAKE_LOSES: 'secret delete' })
  expectMatch(open.output, /Whether acme goes on is not known\. Run the same command again/, 'what is said of it')
  expect([npmRun('admin', ['resume', ...OF_ACME]).status, isPaused()], [0, 'false'], 'resumed twice')
}

function pausesWhatItCan(): void {
  // What was chosen is not needed to pause; what of a restore is broken is named.
  const [chosen, kept] = ['acme.json', 'acme.restore.secrets.json'].map(file => toHomePath('installations', file))
  const text = read('acme.json')
  writeFileSync(chosen ?? '', '')
  expect([npmRun('admin', ['pause', ...OF_ACME]).status, isPaused()], [0, 'true'], 'a pause beside an empty file')
  expect(npmRun('admin', ['resume', ...OF_ACME]).status, 0, 'resumed')
  const refused = setUp(['--name', 'acme'])
  expect([refused.status, refused.calls], [1, []], refused.output)
  expectMatch(refused.output, /^installations\/acme\.json is empty: put it back/, 'an empty file')
  writeFileSync(chosen ?? '', text)
  writeFileSync(kept ?? '', '{"run":')
  const broken = npmRun('admin', ['restore', ...OF_ACME, '--to', new Date().toISOString(), '--yes'])
  expectMatch(
    broken.output,
    /installations\/acme\.restore\.secrets\.json is no JSON \(.*\): put it back/,
    'a broken file',
  )
  rmSync(kept ?? '')
  const { status, output, calls } = npmRun('admin', ['pause', ...OF_ACME], { FAKE_FAILS: 'queues pause-delivery' })
  expect([status, isPaused()], [1, 'true'], 'a pause whose queues do not follow')
  expect(calls.filter(call => call.startsWith('queues')).length, queues().length, 'queues that were tried')
  expectMatch(output, /Authentication error[\s\S]*run the same command again/, 'what is said of it')
  expect(npmRun('admin', ['resume', ...OF_ACME]).status, 0, 'resumed')
}

/** All others follow, it alone is named, and the next command goes on from there. */
function namesTheQueueThatFails(): void {
  for (const failing of [queues().at(0), queues().at(-1)]) {
    for (const verb of ['pause', 'resume']) {
      const command = `queues ${verb}-delivery ${failing}`
      const { status, calls, output } = npmRun('admin', [verb, ...OF_ACME], { FAKE_FAILS: command })
      const left = queues().filter(queue => (queue === failing) !== (verb === 'pause'))
      expect([status, [...account().paused].sort()], [1, left.sort()], `${command}: ${output}`)
      expect(calls.filter(call => call.startsWith('queues')).length, queues().length, 'queues that were tried, once')
      expectMatch(output, new RegExp(`wrangler ${command} failed:`), 'which one failed')
      expectMatch(
        output,
        new RegExp(`The same holds for ${failing}\\. The rest is done: run th`),
        'that no other one did',
      )
      expect(npmRun('admin', [verb, ...OF_ACME]).status, 0, 'the next command')
      expect([...account().paused].sort(), verb === 'pause' ? queues().sort() : [], 'queues that do not deliver')
    }
  }
}

function refusesMistakes(): void {
  const restore = ['restore', ...OF_ACME, '--yes']
  const mistakes: [args: string[], because: RegExp][] = [
    [['pause'], /^--installation is missing/],
    [
      ['pause', '--installation', 'acm'],
      /^there is no installation acm here \(installations\/acm\.toml\): there are acme\./,
    ],
    [['pause', 'acme'], /^unexpected argument "acme"/],
    [['pause', ...OF_ACME, '--to', '2026-11-26T03:00:00Z'], /^pause has no option --to/],
    [['resume', ...OF_ACME, '--yes'], /^resume has no option --yes/],
    [restore, /^restore needs --to or --bookmark/],
    [[...restore, '--to', '2026-11-26T03:00:00Z', '--bookmark', '0000-1'], /^restore takes one of --to and --bookmark/],
    [[...restore, '--bookmark', '0000-1', '--unread'], /^--unread is for --to/],
    [[...restore, '--to', '2026-11-26 03:00'], /^--to must be a time with its zone/],
    [[...restore, '--to', '2126-11-26T03:00:00Z'], /^--to lies ahead/],
    [[...restore, '--to', '2020-11-26T03:00:00Z'], /^--to is more than 30 days ago/],
    [['restore', ...OF_ACME, '--to', new Date().toISOString()], /^there is no terminal to ask at/],
    [
      [...restore, '--bookmark', '0000-1'],
      /^installations\/acme\.bookmarks has no bookmark 0000-1\. Nothing was changed/,
    ],
    [['pauze', ...OF_ACME], /^there is no command pauze: pause, resume/],
  ]
  for (const [args, because] of mistakes) {
    const { status, calls, output } = npmRun('admin', args)
    expect([status, calls], [2, []], args.join(' '))
    expectMatch(output, because, args.join(' '))
    expectMatch(output, /\n\nHow it is used: {2}npm run admin -- --help\n$/, args.join(' '))
  }
}

/** Something is broken: what is printed says what to do next, and nothing gets worse by it. */
function namesTheNextStep(): void {
  // It keeps a bookmark, to which the database goes back.
  setUpWell(['--name', 'acme'], inDatabase)
  const now = new Date().toISOString()
  const restore = ['restore', ...OF_ACME, '--to', now, '--yes']
  const isRefused = /Authentication error[\s\S]*npx wrangler whoami/
  const stays = /Nothing was restored, and acme may be paused[\s\S]*resume --installation acme/
  const isDone = /The database is restored\. What is left is to end the pause:\n {2}npm run admin -- resume/
  const steps: [args: string[], fails: string, said: RegExp, paused: string][] = [
    [['pause', ...OF_ACME], 'secret put', /npx wrangler whoami[\s\S]*Run the same command again/, 'false'],
    [['pause', ...OF_ACME], 'queues pause-delivery', isRefused, 'true'],
    [
      ['resume', ...OF_ACME],
      'queues resume-delivery',
      /not the command of before:\n {2}npm run admin -- resume/,
      'false',
    ],
    [restore, 'queues pause-delivery', stays, 'true'],
    [restore, 'd1 time-travel', /name a later one by --to\. Nothing was changed/, 'true'],
    [
      restore,
      'd1 migrations',
      new RegExp(`nobody reads or writes[\\s\\S]*restore --installation acme --to ${now}`),
      'closed',
    ],
    [restore, 'queues resume-delivery', isDone, 'false'],
  ]
  npmRun('admin', ['resume', ...OF_ACME])
  for (const [args, FAKE_FAILS, said, paused] of steps) {
    const { status, output } = npmRun('admin', args, { ...inDatabase, FAKE_FAILS })
    expect([status, isPaused()], [1, paused], `${args[0]} without ${FAKE_FAILS}: ${output}`)
    expectMatch(output, said, `${args[0]} without ${FAKE_FAILS}`)
    expect(
      output.split('\n').every(line => line.length < 1_000),
      true,
      `the lines of ${output}`,
    )
  }
  npmRun('admin', ['resume', ...OF_ACME])
  const nowhere = npmRun('team', ['suspend', 'acme', '--installation', 'acm'])
  expect([nowhere.status, nowhere.calls], [1, []], nowhere.output)
  expectMatch(nowhere.output, /^there is no installation acm here [^:]*: there are acme\./, 'a wrong name')
  resumesSends()
}

/** A rollback that fails, or is interrupted while it waits, leaves what ran as it is, and its queue delivering. */
function resumesSends(): void {
  setUpWell(['--name', 'acme'], inDatabase)
  const before = deployed()
  const failed = npmRun('admin', ['rollback', ...OF_ACME, '--yes'], { ...inDatabase, FAKE_FAILS: 'versions deploy' })
  expect([failed.status, deployed(), account().paused], [1, before, []], failed.output)
  expectMatch(failed.output, /What ran goes on/, 'what is said of it')
  for (const [moment, reason] of [
    ['before', 'wrangler queues pause-delivery .* failed'],
    ['after', '(interrupted by SIGINT|wrangler queues pause-delivery .* failed)'],
  ]) {
    const interrupts = { FAKE_INTERRUPTS: `SIGINT ${moment} 1 queues pause-delivery`, ROLLBACK_SETTLE_SECONDS: '5' }
    const { status, output } = npmRun('admin', ['rollback', ...OF_ACME, '--yes'], { ...inDatabase, ...interrupts })
    expect([status, deployed(), account().paused], [1, before, []], `interrupted ${moment} its pause: ${output}`)
    expectMatch(output, new RegExp(`What ran goes on[\\s\\S]*${reason}`), 'what is said of it')
  }
  const early = { FAKE_INTERRUPTS: 'SIGINT before 1 versions deploy' }
  const kept = npmRun('admin', ['rollback', ...OF_ACME, '--yes'], { ...inDatabase, ...early })
  expect([kept.status, deployed(), account().paused], [1, before, []], kept.output)
  expectMatch(kept.output, /What ran goes on/, 'an interruption before the deployment')
  const late = { FAKE_INTERRUPTS: 'SIGINT after 1 versions deploy' }
  const done = npmRun('admin', ['rollback', ...OF_ACME, '--yes'], { ...inDatabase, ...late })
  expect([done.status, deployed() === before, account().paused], [1, false, []], done.output)
  expectMatch(
    done.output,
    new RegExp(`${deployed()} was deployed all the same[\\s\\S]*rollback --installation acme --to ${before}`),
    'an interruption after the deployment',
  )
  expect(back('--to', before).status, 0, 'back to what ran before')
  // Killed before its deployment, and behind it: whatever comes next has the queue deliver.
  for (const last of ['queues pause-delivery', 'versions deploy']) {
    const killed = npmRun('admin', ['rollback', ...OF_ACME, '--yes'], {
      ...inDatabase,
      FAKE_INTERRUPTS: `SIGKILL after 1 ${last}`,
    })
    expect([killed.status, account().paused], [null, ['caseworker-acme-sends']], killed.output)
    expectMatch(killed.output, /delivers again by:\n +npm run admin -- resume --installation acme\n/, 'how it does')
    if (last === 'versions deploy') expect([back().status, account().paused], [2, []], 'the same command again')
    setUpWell(['--name', 'acme'], inDatabase)
    expect(account().paused, [], 'setup after it')
  }
  const mistaken = back('--url', 'api.example.com')
  expect([mistaken.status, mistaken.calls], [2, []], mistaken.output)
}

function rows<Row>(sql: string): Row[] {
  const where = ['--remote', '--config', 'installations/acme.toml']
  const printed = emulated(['d1', 'execute', 'DB', ...where, '--json', '--command', sql], inDatabase)
  return (JSON.parse(printed) as { results: Row[] }[])[0]?.results ?? []
}

function restores(): void {
  npmRun('team', ['create', 'Acme', ...OF_ACME], inDatabase)
  const addPasskey = (name: string) =>
    rows(`INSERT INTO passkey (id, team, user, name, credential, public_key, counter, transports, backed_up, created_at, challenge)
      VALUES ('${name}', 1, 'u', '${name}', '${name}', 'k', 0, '[]', 0, 0, '${name}')`)
  for (const name of ['kept', 'removed']) addPasskey(name)
  for (const name of ['Paid', 'Limited', 'Gone']) npmRun('team', ['create', name, ...OF_ACME], inDatabase)
  npmRun('team', ['suspend', 'paid', ...OF_ACME], inDatabase)
  npmRun('team', ['limit', 'limited', '--rows-per-day', '5', ...OF_ACME], inDatabase)
  putIntoUse()
  // Another run of setup keeps a bookmark: to that moment the database goes back.
  setUpWell(['--name', 'acme'], inDatabase)
  const to = new Date().toISOString()
  const later = Date.now() + 1_000
  rows(`UPDATE api_key SET revoked_at = ${later} WHERE team = 1; UPDATE user SET is_active = 0, updated_at = ${later} WHERE team = 1;
    DELETE FROM passkey WHERE id = 'removed';
    UPDATE team SET name = 'Damaged', suspended_at = ${later} WHERE no = 1; DELETE FROM team WHERE short_id = 'gone'; INSERT INTO opt_out (team, phone, since, message) VALUES (1, '+919448300007', ${later}, 'm')`)
  takeOutOfUse(later)
  npmRun('team', ['resume', 'paid', ...OF_ACME], inDatabase)
  npmRun('team', ['limit', 'limited', '--rows-per-day', '7', ...OF_ACME], inDatabase)
  npmRun('team', ['create', 'Made since', ...OF_ACME], inDatabase)
  const command = ['restore', ...OF_ACME, '--to', to, '--yes']
  // It breaks off after the database has gone back, and does not know any more what the restore took away.
  const broken = npmRun('admin', command, { ...inDatabase, FAKE_FAILS: 'd1 migrations' })
  expect([broken.status, isPaused()], [1, 'closed'], 'a restore that breaks off')
  const restored = npmRun('admin', command, inDatabase)
  expect(restored.status, 0, restored.output)
  const before = ['secret put', 'queues pause', 'd1 execute', 'time-travel restore']
  const after = ['migrations apply', 'd1 execute', 'secret put', 'd1 execute', 'secret delete', 'queues resume']
  let at = 0
  for (const step of [...before, ...after]) {
    const found = restored.calls.findIndex((call, nth) => nth >= at && call.includes(step))
    expect(found >= at, true, `${step} after the first ${at} of ${restored.calls.join('\n')}`)
    at = found + 1
  }
  const states = (output: string) => [...output.matchAll(/PAUSED of acme is "?(\w+)/g)].map(([, state]) => state)
  expect(states(broken.output), ['true', 'closed'], 'the states of an installation whose restore breaks off')
  // A database that has gone back is not opened for reading.
  expect(states(restored.output), ['closed', 'restored', 'removed'], 'the states, run again')
  const [team] = rows<{ name: string }>('SELECT name FROM team')
  expect(team?.name, 'Acme', 'what was damaged')
  // A receiver that failed at the moment of the restore would be disabled at its next failure.
  const failing = rows<{ since: number | null }>('SELECT failing_since AS since FROM webhook_progress ORDER BY webhook')
  expect(
    failing.map(({ since }) => since !== null && since >= Date.parse(to)),
    [true, false],
    'since when webhooks fail, after a restore',
  )
  keepsDecisions(restored.output)
  keepsOutOfUse(restored.output, later)
  const [taken] = rows<object>(`SELECT (SELECT count(*) FROM api_key WHERE revoked_at = ${later}) AS keys,
    (SELECT count(*) FROM user WHERE is_active = 0) AS users, (SELECT count(*) FROM opt_out) AS opt_outs,
    (SELECT count(*) FROM team WHERE suspended_at = ${later}) AS suspended,
    (SELECT count(*) FROM sign_in_link WHERE team = 1 AND used_at IS NULL) AS links, (SELECT group_concat(id) FROM passkey) AS passkeys`)
  const expected = { keys: 1, users: 1, opt_outs: 1, suspended: 1, links: 0, passkeys: 'kept' }
  expect(taken, expected, 'what was taken away, and stays so')
  expect([isPaused(), account().paused], ['false', []], 'the installation afterwards')
  expect(existsSync(toHomePath('installations/acme.restore.secrets.json')), false, 'what was kept of it, afterwards')
  const bookmark = /restore --installation acme --bookmark (\S+)/.exec(broken.output)?.[1] ?? ''
  expectMatch(read('acme.bookmarks'), new RegExp(`${bookmark} before a restore`), 'the bookmark that is kept')
  expectMatch(restored.output, new RegExp(`--bookmark ${bookmark}\n`), 'how it is taken back, run again')
  const back = npmRun('admin', ['restore', ...OF_ACME, '--bookmark', bookmark, '--yes'], inDatabase)
  expect(
    [back.status, rows<{ name: string }>('SELECT name FROM team')[0]?.name],
    [0, 'Damaged'],
    'the restore taken back',
  )
  rows('DELETE FROM webhook; DELETE FROM webhook_progress; DELETE FROM plugin; DELETE FROM background_job')
  restoresUnread()
  namesWhatIsNotErased()
  goesBackOnce()
  asksForTheMoment()
  heedsEachSignal()
  carriesOverTwice()
}

function putIntoUse(): void {
  for (const [nth, name] of ['kept', 'disabled', 'moved', 'removed'].entries())
    rows(`INSERT INTO webhook (no, id, team, url, secret, created_at, updated_at)
      VALUES (${nth}, '${name}', 1, 'https://${name}.example.com', '', 0, 0)`)
  rows('INSERT INTO webhook_progress (webhook, team, position, failing_since) VALUES (0, 1, 0, 5), (2, 1, 0, NULL)')
  for (const [nth, name] of ['Kept', 'Removed'].entries())
    rows(`INSERT INTO plugin (no, id, team, name, business_account_id, phone_numbers, graph_version, access_token, app_secret, verify_token, created_at, updated_at)
      VALUES (${nth}, '${name}', 1, '${name}', '1', '[]', 'v1', 't', 't', 't', 0, 0)`)
  // Scheduled for a later time; one that sends, and has begun, is for the cron.
  for (const [nth, name] of ['kept', 'scheduled', 'begun'].entries())
    rows(`INSERT INTO background_job (no, id, team, type, completion_status, total, queue, created_by, updated_at, wake_at, start_at, started_at)
      VALUES (${nth}, '${name}', 1, 'send', 'NOT_STARTED', 3, 'sends', 'u', 0, 0, 9e15, 0)`)
}

function takeOutOfUse(at: number): void {
  rows(`UPDATE webhook SET enabled = 0, disabled_at = ${at}, disabled_reason = 'it failed' WHERE id = 'disabled';
    UPDATE webhook SET url = 'https://new.example.com', types = '["process.created"]' WHERE id = 'moved';
    UPDATE webhook SET deleted_at = ${at}, enabled = 0 WHERE id = 'removed';
    UPDATE plugin SET deleted_at = ${at}, access_token = '', app_secret = '', verify_token = '' WHERE id = 'Removed';
    UPDATE background_job SET completion_status = 'CANCELLED', completed_at = ${at}, cancelled = 3 WHERE id <> 'kept';
    UPDATE background_job SET started_at = ${at} - 1 WHERE id = 'begun';
    DELETE FROM sign_in_link WHERE team = 1`)
}

/** What teams have taken out of use since then stays so, and is named. */
function keepsOutOfUse(output: string, at: number): void {
  expect(
    rows<object>('SELECT id, enabled, url, types, deleted_at AS gone, disabled_at AS at FROM webhook ORDER BY no'),
    [
      { id: 'kept', enabled: 1, url: 'https://kept.example.com', types: null, gone: null, at: null },
      { id: 'disabled', enabled: 0, url: 'https://disabled.example.com', types: null, gone: null, at },
      { id: 'moved', enabled: 1, url: 'https://new.example.com', types: '["process.created"]', gone: null, at: null },
      { id: 'removed', enabled: 0, url: 'https://removed.example.com', types: null, gone: null, at: null },
    ],
    'webhooks after a restore',
  )
  expect(
    rows<object>('SELECT id, access_token AS token, deleted_at AS gone FROM plugin ORDER BY no'),
    [
      { id: 'Kept', token: 't', gone: null },
      { id: 'Removed', token: '', gone: at },
    ],
    'plugins after a restore',
  )
  expect(
    rows<object>(
      'SELECT id, completion_status AS status, completed_at AS at, cancelled FROM background_job ORDER BY no',
    ),
    [
      { id: 'kept', status: 'NOT_STARTED', at: 0, cancelled: 0 },
      { id: 'scheduled', status: 'CANCELLED', at, cancelled: 3 },
      { id: 'begun', status: 'NOT_STARTED', at: 0, cancelled: 0 },
    ],
    'jobs after a restore',
  )
  const named = [
    'the webhook disabled to https://disabled.example.com of acme stays disabled',
    'the webhook moved to https://moved.example.com of acme keeps the address, the types and the procedures of now: it leads to https://new.example.com',
    'the webhook removed to https://removed.example.com of acme was removed, and is back disabled',
    'the plugin "Removed" (Removed) of acme stays removed',
    'the job scheduled of acme stays cancelled',
  ]
  for (const each of named) expect(output.includes(`  ${each}\n`), true, `${each}, in ${output}`)
}

/** Decisions of the operator about teams since then stay; lost ones are printed. */
function keepsDecisions(output: string): void {
  const decided = rows<object>(`SELECT short_id AS team, suspended_at IS NOT NULL AS is_suspended, rows_per_day AS max
    FROM team ORDER BY no`)
  expect(
    decided,
    [
      { team: 'acme', is_suspended: 1, max: null },
      { team: 'paid', is_suspended: 0, max: null },
      { team: 'limited', is_suspended: 0, max: 7 },
      { team: 'gone', is_suspended: 1, max: null },
    ],
    'teams after a restore',
  )
  expectMatch(output, /over of teams: acme suspended, paid resumed, limited limited to 7 rows a day/, 'what is decided')
  expectMatch(
    output,
    /suspended: gone\.[\s\S]*resume gone --installation acme[\s\S]*erase [0-9a-f-]{36} /,
    'what is back',
  )
  expectMatch(output, /lost {6}teams that were made or imported since: made_since/, 'what is lost')
  npmRun('team', ['create', 'Next', ...OF_ACME], inDatabase)
  expect(rows<object>("SELECT no FROM team WHERE short_id = 'next'"), [{ no: 6 }], 'a number that was not given before')
}

/** The database does not answer: the command says so, and goes on if it is told to. */
function restoresUnread(): void {
  const to = new Date().toISOString()
  const command = ['restore', ...OF_ACME, '--to', to, '--yes']
  const silent = { ...inDatabase, FAKE_FAILS: 'd1 execute' }
  const stopped = npmRun('admin', command, silent)
  expect([stopped.status, isPaused()], [1, 'true'], 'a restore whose database does not answer')
  expectMatch(stopped.output, /could not be read[\s\S]*nothing is restored[\s\S]*--unread/, 'what is said of it')
  const restored = npmRun('admin', [...command, '--unread'], inDatabase)
  expect([restored.status, isPaused()], [0, 'false'], restored.output)
  expect(/carried/.test(restored.output), false, 'what is carried over of a database that was not read')
}

/** An erasure that cannot be made again is named, and the installation stays closed until somebody decides. */
function namesWhatIsNotErased(): void {
  const command = ['restore', ...OF_ACME, '--to', new Date().toISOString(), '--yes']
  const failed = [{ team: 7, what: 'customer', id: 'a-customer', cause: 'Error: it is damaged' }]
  const FAKE_REPLAY = JSON.stringify({ erasedAgain: 12, left: 0, failed, failedRuns: 3 })
  const stopped = npmRun('admin', command, { ...inDatabase, FAKE_REPLAY })
  expect([stopped.status, isPaused()], [1, 'restored'], stopped.output)
  expectMatch(stopped.output, /erased {4}again: 12, 1 failed/, 'how far it came')
  expectMatch(stopped.output, /customer a-customer of team 7: Error: it is damaged/, 'what is not erased')
  // The bucket with the notes does not answer: the cron runs, and comes to none of them.
  const silent = { FAKE_REPLAY: JSON.stringify({ erasedAgain: 0, left: 0, failed: [] }), RESTORE_CRON_SECONDS: '2' }
  const blind = npmRun('admin', command, { ...inDatabase, ...silent })
  expect([blind.status, isPaused()], [1, 'restored'], blind.output)
  expectMatch(
    blind.output,
    /the cron of acme runs, and has come to no erasure in 2 s[\s\S]*stays closed/,
    'what is said',
  )
  const restored = npmRun('admin', command, inDatabase)
  expect([restored.status, isPaused()], [0, 'false'], restored.output)
}

/** Killed while it ends the pause, and run again: what was written since stays. Run once more, it goes back. */
function goesBackOnce(): void {
  for (const last of ['secret delete RESTORE', 'secret delete PAUSED', 'queues resume-delivery']) {
    rows("UPDATE team SET name = 'Kept' WHERE no = 1")
    emulated(['d1', 'time-travel', 'info', 'DB', '--config', 'installations/acme.toml'], inDatabase)
    const command = ['restore', ...OF_ACME, '--to', new Date().toISOString(), '--yes']
    const getNote = () => rows<{ name: string }>('SELECT name FROM team WHERE no = 1')[0]?.name
    rows("UPDATE team SET name = 'Before' WHERE no = 1")
    const killed = npmRun('admin', command, { ...inDatabase, FAKE_INTERRUPTS: `SIGKILL after 1 ${last}` })
    expect([killed.status, getNote()], [null, 'Kept'], `killed after ${last}: ${killed.output}`)
    rows("UPDATE team SET name = 'Written since' WHERE no = 1")
    const again = npmRun('admin', command, inDatabase)
    const goesOn = [again.status, getNote(), isPaused(), account().paused, Object.keys(getSecrets())]
    expect(goesOn, [0, 'Written since', 'false', [], ['SECRETS_KEY']], `after ${last}: ${again.output}`)
    expectMatch(again.output, /by a command that broke off[\s\S]*To go back once more/, 'what is said of it')
    if (last !== 'queues resume-delivery') continue
    expect([npmRun('admin', command, inDatabase).status, getNote()], [0, 'Kept'], 'gone back once more')
  }
}

/** Cloudflare may not have the moment: it is asked before anybody is shut out. */
function asksForTheMoment(): void {
  const to = new Date(Date.now() - 29 * 86_400_000).toISOString()
  const { status, output, calls } = npmRun('admin', ['restore', ...OF_ACME, '--to', to, '--yes'], inDatabase)
  expect([status, isPaused(), account().paused, calls.length], [1, 'false', [], 1], output)
  expectMatch(output, /Invalid timestamp[\s\S]*name a later one by --to\. Nothing was changed/, 'what is said of it')
  const old = new Date(Date.now() - 31 * 86_400_000).toISOString()
  const file = toHomePath('installations', 'acme.bookmarks')
  writeFileSync(file, `${read('acme.bookmarks')}${old} 0000-old\n`)
  const gone = npmRun('admin', ['restore', ...OF_ACME, '--bookmark', '0000-old', '--yes'], inDatabase)
  expect([gone.status, gone.calls], [2, []], gone.output)
  expectMatch(gone.output, /^the bookmark 0000-old is of more than 30 days ago/, 'what is said of it')
}

/** Whoever ends a restore that waits is told what is the case, and leaves no process behind that seems to work on it. */
function heedsEachSignal(): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    const command = ['restore', ...OF_ACME, '--to', new Date().toISOString(), '--yes']
    const interrupts = { FAKE_INTERRUPTS: `${signal} after ${queues().length} queues pause-delivery` }
    const { status, output } = npmRun('admin', command, { ...inDatabase, ...interrupts, RESTORE_SETTLE_SECONDS: '30' })
    expect([status, JSON.parse(read('acme.restore.secrets.json')).pid], [1, 0], `${signal}: ${output}`)
    expectMatch(output, /Nothing was restored, and acme may be paused[\s\S]*resume --installation acme/, signal)
    expect(npmRun('admin', ['resume', ...OF_ACME]).status, 0, 'resumed')
  }
}

/** A wrong, too early time, and then the right one: what was decided before the first restore stays. */
function carriesOverTwice(): void {
  const addUser = (team: number, id: string) =>
    rows(`INSERT INTO user (no, id, team, username, role, created_at, updated_at)
      SELECT max(no) + 1, '${id}', ${team}, '${id}', 'admin', ${Date.now()}, ${Date.now()} FROM user`)
  const keepMoment = () => {
    emulated(['d1', 'time-travel', 'info', 'DB', '--config', 'installations/acme.toml'], inDatabase)
    return new Date().toISOString()
  }
  const restore = (to: string) => npmRun('admin', ['restore', ...OF_ACME, '--to', to, '--yes'], inDatabase)
  addUser(1, 'early')
  const early = keepMoment()
  npmRun('team', ['create', 'Newcomer', ...OF_ACME], inDatabase)
  const [{ no } = { no: 0 }] = rows<{ no: number }>("SELECT no FROM team WHERE short_id = 'newcomer'")
  for (const id of ['late', 'stays']) addUser(no, id)
  const now = Date.now()
  rows(`INSERT INTO session (id, team, user, hash, method, created_at, last_used_at, expires_at)
      VALUES ('s', ${no}, 'late', 's', 'link', ${now}, ${now}, ${now + 86_400_000});
    INSERT INTO background_job (no, id, team, type, completion_status, total, queue, created_by, updated_at, wake_at, start_at, started_at)
      VALUES (9, 'lost', ${no}, 'send', 'NOT_STARTED', 3, 'sends', 'u', 0, 0, 9e15, 0)`)
  const right = keepMoment()
  const at = Date.now() + 1
  rows(`UPDATE user SET is_active = 0, updated_at = ${at} WHERE id IN ('early', 'late');
    UPDATE session SET ended_at = ${at} WHERE id = 's';
    UPDATE background_job SET completion_status = 'CANCELLED', completed_at = ${at}, cancelled = 3 WHERE id = 'lost'`)
  const wrong = restore(early)
  expect(wrong.status, 0, wrong.output)
  expectMatch(
    wrong.output,
    /over: .* 0 sessions, .* 1 users[\s\S]*lost {6}teams .*newcomer/,
    'what is carried over first',
  )
  expectMatch(wrong.output, /If it was the wrong time, restore to the right one/, 'what is said of a wrong time')
  const restored = restore(right)
  expect([restored.status, /suspended|lost {6}/.test(restored.output)], [0, false], restored.output)
  expectMatch(restored.output, /over: .* 1 sessions, /, 'what is carried over')
  const [kept] =
    rows<object>(`SELECT (SELECT group_concat(id) FROM user WHERE is_active = 0 AND id IN ('early', 'late', 'stays')) AS users,
    (SELECT ended_at FROM session WHERE id = 's') AS ended, (SELECT completion_status FROM background_job WHERE id = 'lost') AS job,
    (SELECT suspended_at FROM team WHERE no = ${no}) AS suspended`)
  const expected = { users: 'early,late', ended: at, job: 'CANCELLED', suspended: null }
  expect(kept, expected, 'what was decided before both')
  // From now on the database tells of the team: who erases it is not overruled.
  rows(`DELETE FROM team WHERE no = ${no}`)
  expectMatch(restore(right).output, /gone {6}since, back, and suspended: newcomer/, 'a team that is erased after both')
}

/** A restore that broke off: nobody opens what it has closed without saying so. */
function staysClosed(): void {
  setUpWell(['--name', 'acme'], inDatabase)
  const command = ['restore', ...OF_ACME, '--to', new Date().toISOString(), '--yes']
  // The database has gone back, and the reply is lost.
  const lost = npmRun('admin', command, { ...inDatabase, FAKE_LOSES: 'd1 time-travel restore' })
  expect([lost.status, isPaused()], [1, 'closed'], lost.output)
  expectMatch(lost.output, /acme stays closed[\s\S]*restore --installation acme --to/, 'what is said of it')
  expect(/Nothing was restored/.test(lost.output), false, 'that nothing was restored')
  const paused = npmRun('admin', ['pause', ...OF_ACME])
  expect([paused.status, isPaused()], [0, 'closed'], 'a pause of somebody else')
  expectMatch(paused.output, /closed by a restore that has not ended/, 'what is said to them')
  const opened = npmRun('admin', ['resume', ...OF_ACME])
  expect([opened.status, isPaused()], [1, 'closed'], 'an end of somebody else')
  expectMatch(opened.output, /Nothing was changed[\s\S]*resume --installation acme --abandon-restore/, 'what is said')
  expect([back().status, isPaused()], [1, 'closed'], 'a rollback of somebody else')
  setUpWell(['--name', 'acme'], inDatabase)
  expect(isPaused(), 'closed', 'the state after a deployment')
  const again = npmRun('admin', [...command, '--unread'], { ...inDatabase, FAKE_FAILS: 'd1 time-travel' })
  expect([again.status, isPaused()], [1, 'closed'], 'run again, and broken off again')
  expect(/PAUSED of acme is "true"/.test(again.output), false, 'an installation that is open for reading meanwhile')
  expectMatch(again.output, /--to \S+ --unread\n?$/, 'the same command')
  const restored = npmRun('admin', command, inDatabase)
  expect([restored.status, isPaused()], [0, 'false'], restored.output)
  npmRun('admin', command, { ...inDatabase, FAKE_FAILS: 'd1 migrations' })
  const abandoned = npmRun('admin', ['resume', ...OF_ACME, '--abandon-restore'])
  expect([abandoned.status, isPaused(), Object.keys(getSecrets())], [0, 'false', ['SECRETS_KEY']], abandoned.output)
}

/** Two people restore at once, on one machine or on two. */
function meetsOthers(): void {
  const file = toHomePath('installations', 'acme.restore.secrets.json')
  const command = ['restore', ...OF_ACME, '--to', new Date().toISOString(), '--yes']
  npmRun('admin', command, { ...inDatabase, FAKE_FAILS: 'd1 migrations' })
  const kept = readFileSync(file, 'utf8')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(kept), pid: process.pid }))
  const second = npmRun('admin', command, inDatabase)
  expect([second.status, second.calls, isPaused()], [1, [], 'closed'], second.output)
  expectMatch(second.output, /is running on this machine \(process \d+\): nothing was changed/, 'a second one')
  renameSync(file, `${file}.elsewhere`)
  const elsewhere = npmRun('admin', command, inDatabase)
  expect([elsewhere.status, isPaused()], [1, 'closed'], elsewhere.output)
  expectMatch(elsewhere.output, /another restore was begun[\s\S]*--take-over/, 'a second machine')
  const taken = npmRun('admin', [...command, '--take-over'], inDatabase)
  expect([taken.status, isPaused(), Object.keys(getSecrets())], [0, 'false', ['SECRETS_KEY']], taken.output)
  // What the first machine has kept is of a restore that is over.
  rmSync(`${file}.elsewhere`)
  writeFileSync(file, kept)
  const states = npmRun('admin', command, inDatabase).output.match(/PAUSED of acme is "?\w+/g)
  expect(states?.length, 4, `the states of a new one: ${states}`)
}

/** Encrypts as the Worker does: AES-GCM, with the column as additional data, `<key id>.<iv>.<body>`. */
async function encryptSecret(text: string, key: string): Promise<string> {
  const iv = Buffer.alloc(12, 1)
  const cipher = createCipheriv('aes-256-gcm', toBytes(key), iv).setAAD(SECRET_LABEL)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${await getKeyId(toBytes(key))}.${iv.toString('base64')}.${body.toString('base64')}`
}

/** Decrypts by the key of the account that the value names. */
async function decryptSecret(stored: string): Promise<string> {
  const [id = '', iv = '', body = ''] = stored.split('.')
  for (const key of [getSecrets().SECRETS_KEY ?? '', getSecrets().SECRETS_KEY_PREVIOUS ?? '']) {
    if ((await getKeyId(toBytes(key))) !== id) continue
    const bytes = Buffer.from(body, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', toBytes(key), toBytes(iv)).setAAD(SECRET_LABEL)
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return `${decipher.update(bytes.subarray(0, -TAG_BYTES), undefined, 'utf8')}${decipher.final('utf8')}`
  }
  return `unreadable: ${id}`
}

/** A new SECRETS_KEY, broken off at each step: whatever is set, what is stored can be read. */
async function rotatesTheKey(): Promise<void> {
  const { SECRETS_KEY: first = '' } = getSecrets()
  const stored = await encryptSecret('the secret', first)
  rows(
    `INSERT INTO webhook (no, id, team, url, secret, created_at, updated_at) VALUES (1, 'w', 1, '', '${stored}', 0, 0)`,
  )
  setUpWell(['--name', 'acme'], inDatabase)
  const before = new Date().toISOString()
  const readStored = async () => {
    const [row] = rows<{ secret: string }>('SELECT secret FROM webhook')
    return decryptSecret(row?.secret ?? '')
  }
  const other = toHomePath('other.env')
  writeFileSync(other, `SECRETS_KEY_PREVIOUS=${Buffer.alloc(32, 9).toString('base64')}\n`)
  const refused = rotate('--env-file', other)
  expect([refused.status, getSecrets().SECRETS_KEY_PREVIOUS], [1, undefined], refused.output)
  expectMatch(
    refused.output,
    /encrypted under others: 1 under k\w{8}\. Nothing was changed/,
    'another key than the present',
  )
  expectMatch(removeKey().output, /is not being changed[\s\S]*rotate-key --installation acme/, 'nothing to remove')
  const rotation = toHomePath('installations', 'acme.rotation.secrets.json')
  // Another command on this machine makes a key while this one asks what is stored.
  const meanwhile = toHomePath('meanwhile.cjs')
  writeFileSync(
    meanwhile,
    `const fs = require('node:fs')
const open = fs.openSync
fs.openSync = (file, ...args) => {
  if (String(file).includes('rotation')) fs.writeFileSync(${JSON.stringify(rotation)}, '{"of":"another"}')
  return open(file, ...args)
}
require('node:module').syncBuiltinESMExports()
`,
  )
  const atOnce = npmRun('admin', ['rotate-key', ...OF_ACME], {
    ...inDatabase,
    NODE_OPTIONS: `--require ${meanwhile}`,
  })
  expect([atOnce.status, getSecrets().SECRETS_KEY_PREVIOUS], [1, undefined], atOnce.output)
  expect(read('acme.rotation.secrets.json'), '{"of":"another"}', 'the key of another command')
  expectMatch(atOnce.output, /another rotate-key has begun meanwhile[\s\S]*Nothing was changed/, 'two at once')
  rmSync(rotation)
  const broken = npmRun('admin', ['rotate-key', ...OF_ACME], {
    ...inDatabase,
    FAKE_INTERRUPTS: 'SIGKILL before 2 secret',
  })
  const { SECRETS_KEY_PREVIOUS: second = '' } = getSecrets()
  expect([broken.status, getSecrets().SECRETS_KEY, await readStored()], [null, first, 'the secret'], broken.output)
  const silent = npmRun('admin', ['rotate-key', ...OF_ACME], { ...inDatabase, FAKE_CRON: 'off' })
  expect(
    [silent.status, getSecrets().SECRETS_KEY, getSecrets().SECRETS_KEY_PREVIOUS],
    [1, second, first],
    silent.output,
  )
  expectMatch(silent.output, /1 secrets are still under the key before[\s\S]*run the same command again/, 'no cron')
  expect(await readStored(), 'the secret', 'what is read of it')
  expectMatch(
    removeKey().output,
    /1 secrets [\s\S]* are still encrypted under the key k\w{8}, so it stays/,
    'too early',
  )
  expect(getSecrets().SECRETS_KEY_PREVIOUS, first, 'the key that stays')
  renameSync(rotation, `${rotation}.elsewhere`)
  rows('DELETE FROM webhook')
  const elsewhere = rotate()
  expect([elsewhere.status, getSecrets().SECRETS_KEY], [2, second], elsewhere.output)
  expectMatch(elsewhere.output, /was begun elsewhere and has not ended[\s\S]*Nothing was changed/, 'another machine')
  const again = await encryptSecret('the secret', second)
  rows(
    `INSERT INTO webhook (no, id, team, url, secret, created_at, updated_at) VALUES (1, 'w', 1, '', '${again}', 0, 0)`,
  )
  // The file is lost: both keys lead out of it, whichever of them the Worker writes under.
  const both = toHomePath('both.env')
  writeFileSync(both, `SECRETS_KEY=${second}\nSECRETS_KEY_PREVIOUS=${first}\n`)
  const interrupted = npmRun('admin', ['rotate-key', ...OF_ACME, '--env-file', both], {
    ...inDatabase,
    FAKE_INTERRUPTS: 'SIGKILL after 1 secret',
  })
  const { SECRETS_KEY, SECRETS_KEY_PREVIOUS } = getSecrets()
  expect(
    [[SECRETS_KEY, SECRETS_KEY_PREVIOUS].sort(), await readStored()],
    [[first, second].sort(), 'the secret'],
    `a lost file: ${interrupted.output}`,
  )
  rmSync(rotation)
  const found = rotate('--env-file', both)
  expect(
    [found.status, getSecrets().SECRETS_KEY, getSecrets().SECRETS_KEY_PREVIOUS, await readStored()],
    [0, second, first, 'the secret'],
    found.output,
  )
  renameSync(`${rotation}.elsewhere`, rotation)
  const done = rotate()
  expect([done.status, await readStored()], [0, 'the secret'], done.output)
  expect(done.calls.filter(call => call.startsWith('secret')).length, 1, 'what is not done twice')
  rows("INSERT INTO erased_identity (team, hash, erased_at) VALUES (1, 'h', 1)")
  rows(`UPDATE erased_identity SET erased_at = ${Date.now() - 86_400_000}`)
  expectMatch(removeKey().output, /is needed until \d{4}-[\s\S]*who were erased before/, 'a number that is known by it')
  rows('DELETE FROM erased_identity')
  const lost = npmRun('admin', ['remove-previous-key', ...OF_ACME], { ...inDatabase, FAKE_LOSES: 'secret delete' })
  expect([lost.status, getSecrets().SECRETS_KEY_PREVIOUS], [1, undefined], 'a key that is removed, unheard')
  // Killed behind each file that it writes.
  const killer = toHomePath('kill.cjs')
  writeFileSync(
    killer,
    `const fs = require('node:fs')
const rename = fs.renameSync
let left = Number(process.env.KILL_BEHIND)
fs.renameSync = (...args) => {
  rename(...args)
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
}
require('node:module').syncBuiltinESMExports()
`,
  )
  for (const KILL_BEHIND of ['1', '2']) {
    const env = { ...inDatabase, NODE_OPTIONS: `--require ${killer}`, KILL_BEHIND }
    const killed = npmRun('admin', ['remove-previous-key', ...OF_ACME], env)
    expect(killed.status, null, `killed behind file ${KILL_BEHIND}: ${killed.output}`)
  }
  const removed = removeKey()
  expect(
    [removed.status, getSecrets().SECRETS_KEY_PREVIOUS, await readStored()],
    [0, undefined, 'the secret'],
    removed.output,
  )
  expect(JSON.parse(read('acme.secrets.json')), { SECRETS_KEY: second }, 'the key that is kept')
  expectMatch(removed.output, /the old one in installations\/acme\.k\w{8}\.secrets\.json/, 'where the old one is')
  // A database of before the change comes back with what is under the key of now.
  const restored = npmRun('admin', ['restore', ...OF_ACME, '--to', before, '--yes'], inDatabase)
  expect([restored.status, await readStored()], [0, 'the secret'], restored.output)
  rows('DELETE FROM webhook')
}

/** A Worker without its key gets no other one by itself while anything is stored that only the lost one can decrypt. */
async function givesNoKeyInPlaceOfALostOne(): Promise<void> {
  const { SECRETS_KEY: key = '' } = getSecrets()
  const kept = toHomePath('installations', 'acme.secrets.json')
  renameSync(kept, `${kept}.elsewhere`)
  rows(
    `INSERT INTO webhook (no, id, team, url, secret, created_at, updated_at)
      VALUES (1, 'w', 1, '', '${await encryptSecret('the secret', key)}', 0, 0)`,
  )
  emulated(['secret', 'delete', 'SECRETS_KEY', '--config', toHomePath('installations', 'acme.toml')], inDatabase)
  const [lost, id] = [deployed(), await getKeyId(toBytes(key))]
  const refused = setUp(['--name', 'acme'], inDatabase)
  expect([refused.status, getSecrets(), deployed(), existsSync(kept)], [2, {}, lost, false], refused.output)
  expectMatch(
    refused.output,
    new RegExp(`has no SECRETS_KEY any more[^]*: 1 under ${id}\\.[^]*--env-file`),
    'the way out',
  )
  const env = toHomePath('lost.env')
  writeFileSync(env, `SECRETS_KEY=${Buffer.alloc(32, 5).toString('base64')}\n`)
  const other = setUpWell(['--name', 'acme', '--env-file', env], inDatabase)
  expectMatch(other.output, new RegExp(`SECRETS_KEY that was given cannot be read: 1 under ${id}\n`), 'another key')
  writeFileSync(env, `SECRETS_KEY_PREVIOUS=${key}\n`)
  setUpWell(['--name', 'acme', '--env-file', env], inDatabase)
  expect(getSecrets().SECRETS_KEY_PREVIOUS, key, 'the key that was found again')
  for (const name of ['SECRETS_KEY', 'SECRETS_KEY_PREVIOUS'])
    emulated(['secret', 'delete', name, '--config', toHomePath('installations', 'acme.toml')], inDatabase)
  writeFileSync(env, `SECRETS_KEY=${key}\n`)
  const found = setUpWell(['--name', 'acme', '--env-file', env], inDatabase)
  expect([getSecrets(), found.output.includes('cannot be read')], [{ SECRETS_KEY: key }, false], found.output)
  renameSync(`${kept}.elsewhere`, kept)
  rows('DELETE FROM webhook')
}

/** A team that was made, and whose token nobody has seen. */
function opensATeamUnseen(): void {
  const half = npmRun('team', ['create', 'Half', ...OF_ACME], {
    ...inDatabase,
    FAKE_LOSES: 'd1 execute DB --remote --config installations/acme.toml --yes --json --command INSERT',
  })
  expectMatch(half.output, /resume half --revoke-keys --installation acme/, 'a team whose token was never shown')
  const [, ...words] = /npm run team -- (.*--revoke-keys.*)/.exec(half.output)?.[1]?.split(' ') ?? []
  const resumed = npmRun('team', ['resume', ...words], inDatabase).output
  expectMatch(resumed, /sign in +\S+/, 'its sign-in link')
  expectMatch(
    resumed,
    /^suspended [\s\S]*\n(waiting \d+ s [\s\S]*\n)?resumed /,
    'a team that is resumed when nothing trusts its keys',
  )
  const suspended = npmRun('team', ['suspend', 'half', ...OF_ACME], inDatabase)
  expectMatch(suspended.output, /resume half --installation acme\n/, 'how it is taken back')
}

/** Every command of the guide about the whole of an installation, as it stands there; only its time is another. */
function followsTheGuide(): void {
  const guide = readFileSync('src/docs/guides/running.md', 'utf8')
  const blocks = [...guide.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) => text.trim().split('\n'))
  const commands = blocks.filter(line => /^npm run admin -- /.test(line))
  expect(commands.length >= 4, true, 'commands in the guide')
  setUpWell(['--name', 'acme'], inDatabase)
  for (const command of commands) {
    const [, words = ''] = / -- (.*)/.exec(command) ?? []
    const args = words.replace(/--to \S+/, `--to ${new Date().toISOString()}`).split(' ')
    // No secret is changed of a version that a rollback went back to.
    if (args[0] === 'rotate-key') setUpWell(['--name', 'acme'], inDatabase)
    const asks = args[0] === 'restore' || args[0] === 'rollback'
    const { status, output } = npmRun('admin', [...args, ...(asks ? ['--yes'] : [])], inDatabase)
    expect(status, 0, `${command}\n${output}`)
  }
}

function rollsBack(): void {
  const before = deployed()
  setUpWell(['--name', 'acme'], inDatabase)
  const after = deployed()
  const done = back()
  expect([done.status, deployed(), account().paused], [0, before, []], done.output)
  expectMatch(done.output, /classes +of objects: the same\nschema +the same/, 'what is said beforehand')
  expectMatch(
    done.output,
    new RegExp(`npm run admin -- rollback --installation acme --to ${after}`),
    'how it is taken back',
  )
  const views = done.calls.filter(call => call.startsWith('versions view'))
  expect(views, [...new Set(views)], 'versions that are asked for, each once')
  const order = ['queues pause-delivery caseworker-acme-sends', 'versions deploy', 'queues resume-delivery']
  const places = order.map(each => done.calls.findIndex(call => call.startsWith(each)))
  expect(
    places.every((place, nth) => place > (places[nth - 1] ?? -1)),
    true,
    `the order of ${done.calls.join('\n')}`,
  )
  // Cloudflare changes no secret of a version that is not the newest one.
  expect([npmRun('admin', ['pause', ...OF_ACME]).status, isPaused()], [0, 'true'], 'a pause after a rollback')
  expect([npmRun('admin', ['resume', ...OF_ACME]).status, isPaused(), deployed()], [0, 'false', before], 'its end')
  const undone = back('--to', after)
  expect([undone.status, deployed(), isPaused()], [0, after, 'false'], undone.output)
  expectMatch(back('--to', after).output, /is the version that runs/, 'a rollback to what runs')
  expectMatch(back('--to', 'nothing').output, /there is no version nothing[\s\S]*of 20/, 'a version that is not there')
}

/** Setup that was run twice from one commit makes two versions of the same code: to go back to one changes nothing. */
function passesBySameCode(): void {
  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.co', ...args], { cwd: home, stdio: 'ignore' })
  const commit = () => git('commit', '--quiet', '--allow-empty', '--message', 'more')
  git('init', '--quiet')
  commit()
  setUpWell(['--name', 'acme'], inDatabase)
  const good = deployed()
  commit()
  setUpWell(['--name', 'acme'], inDatabase)
  const bad = deployed()
  npmRun('admin', ['pause', ...OF_ACME])
  npmRun('admin', ['resume', ...OF_ACME])
  setUpWell(['--name', 'acme'], inDatabase)
  const done = back()
  expect([done.status, deployed()], [0, good], done.output)
  expectMatch(done.output, new RegExp(`passed by ${bad} .*the same code`), 'what is passed by')
  const again = back('--to', bad)
  expect([again.status, deployed(), /the same commit/.test(again.output)], [0, bad, false], again.output)
  rmSync(toHomePath('.git'), { recursive: true })
}

/** What was deployed in a pause is paused: it is no version to go back to. */
function opensNoPause(): void {
  setUpWell(['--name', 'acme'], inDatabase)
  const before = deployed()
  npmRun('admin', ['pause', ...OF_ACME])
  const inPause = deployed()
  setUpWell(['--name', 'acme'], inDatabase)
  npmRun('admin', ['resume', ...OF_ACME])
  const chosen = back('--to', inPause)
  expectMatch(chosen.output, /that version is paused[\s\S]*git worktree add[\s\S]*setup -- --name acme/, 'a paused one')
  const done = back()
  expect([done.status, deployed(), isPaused(), account().paused], [0, before, 'false', []], done.output)
  const again = back()
  expect([again.status, deployed()], [2, before], 'a rollback once more')
  expectMatch(again.output, /runs after a rollback already[\s\S]*--to/, 'what is said of it')
  const isShown = (id: string) => again.output.includes(`\n  ${id} of 20`)
  expect([isShown(inPause), isShown(before)], [false, true], 'versions of code, and none of secrets')
  // A pause that breaks off must not begin with the next deployment.
  npmRun('admin', ['pause', ...OF_ACME], { FAKE_FAILS: 'versions deploy' })
  const refused = setUp(['--name', 'acme'], inDatabase)
  expect([refused.status, isPaused()], [1, 'false'], refused.output)
  expectMatch(refused.output, /would pause acme[\s\S]*resume --installation acme/, 'what is said of it')
  expect([npmRun('admin', ['resume', ...OF_ACME]).status, deployed()], [0, before], 'its end')
  setUpWell(['--name', 'acme'], inDatabase)
  expect(isPaused(), 'false', 'the deployment after it')
}

/** The account tells what runs, not the files of the machine that somebody is at. */
function knowsOtherMachines(): void {
  const [files, other] = [toHomePath('installations'), toHomePath('other-machine')]
  const keep = () => cpSync(files, other, { recursive: true })
  const change = () => {
    rmSync(files, { recursive: true })
    renameSync(other, files)
  }
  setUpWell(['--name', 'acme'], inDatabase)
  keep()
  expect(back().status, 0, 'a rollback on one machine')
  const old = deployed()
  change()
  expect([npmRun('admin', ['pause', ...OF_ACME]).status, isPaused()], [0, 'true'], 'a pause on another one')
  expect([npmRun('admin', ['resume', ...OF_ACME]).status, deployed()], [0, old], 'its end')
  keep()
  setUpWell(['--name', 'acme'], inDatabase)
  const code = account().workers['caseworker-acme']?.versions.length
  change()
  npmRun('admin', ['pause', ...OF_ACME])
  expect([npmRun('admin', ['resume', ...OF_ACME]).status, isPaused()], [0, 'false'], 'a pause after a deployment')
  const versions = account().workers['caseworker-acme']?.versions ?? []
  expect(
    versions.findIndex(({ id }) => id === deployed()),
    0,
    `what runs, of ${versions.length} and before ${code}`,
  )
}

/** A version has the secrets of its time: an old key must not come back with it. */
function keepsSecrets(): void {
  const env = toHomePath('acme.env')
  writeFileSync(env, `SECRETS_KEY_PREVIOUS=${Buffer.alloc(32, 7).toString('base64')}\n`)
  setUpWell(['--name', 'acme', '--env-file', env], inDatabase)
  const now = deployed()
  const refused = npmRun('admin', ['rollback', ...OF_ACME], inDatabase)
  expect([refused.status, deployed()], [1, now], refused.output)
  const said = /SECRETS_KEY_PREVIOUS changed after that version[\s\S]*git worktree add/
  expectMatch(refused.output, said, 'why, before anything is asked, and what to do')
  // Nobody sees before that a value is another one; Cloudflare refuses the version.
  for (const address of ['T0', 'T1']) {
    writeFileSync(env, `ALERT_URL=https://hooks.example.com/${address}\n`)
    setUpWell(['--name', 'acme', '--env-file', env], inDatabase)
  }
  const last = deployed()
  const late = back()
  expect([late.status, deployed(), account().paused], [1, last, []], late.output)
  expectMatch(late.output, /ALERT_URL changed after that version[\s\S]*git worktree add/, 'a value that is another one')
}

/** The rollback checks the answering version afterwards, and prints how to undo it where a check fails. */
async function looksWhetherItWorks(): Promise<void> {
  setUpWell(['--name', 'acme'], inDatabase)
  const server = (
    status: number,
  ) => `require('node:http').createServer((_, response) => response.writeHead(${status}).end())
    .listen(0, function () { console.log(this.address().port) })`
  for (const status of [200, 500]) {
    const installation = spawn(process.execPath, ['-e', server(status)])
    try {
      const [port] = (await once(installation.stdout, 'data')) as [Buffer]
      const done = back('--url', `http://127.0.0.1:${String(port).trim()}`)
      expect(done.status, status === 200 ? 0 : 1, done.output)
      expectMatch(done.output, new RegExp(`/v1/health: ${status}`), 'what was asked')
    } finally {
      installation.kill()
    }
    setUpWell(['--name', 'acme'], inDatabase)
  }
}

function meetsMigrations(): void {
  const folder = toHomePath('drizzle')
  rmSync(folder)
  cpSync('drizzle', folder, { recursive: true })
  const migrations: [file: string, statement: string, status: number, said: RegExp][] = [
    ['9001_more.sql', 'ALTER TABLE `team` ADD `more` integer;', 0, /9001_more\.sql came since, and only add/],
    [
      '9002_less.sql',
      'UPDATE `team` SET `more` = 1;',
      1,
      /cannot be done: the migration 9002_less\.sql[\s\S]*UPDATE `team`/,
    ],
  ]
  for (const [file, statement, status, said] of migrations) {
    // Times of migrations are whole seconds.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
    writeFileSync(toHomePath('drizzle', file), `${statement}\n`)
    setUpWell(['--name', 'acme'], inDatabase)
    const now = deployed()
    const done = back()
    expect([done.status, deployed() === now], [status, status === 1], done.output)
    expectMatch(done.output, said, 'what is said of the migration')
  }
}

function crossesAClass(): void {
  const template = readFileSync('wrangler.toml', 'utf8')
  const code = readFileSync('src/index.ts', 'utf8')
  const deploy = (text: string, more: string) => {
    mkdirSync(toHomePath('code'), { recursive: true })
    writeFileSync(toHomePath('code', 'index.ts'), `${code}\n${more}\n`)
    writeFileSync(toHomePath('wrangler.toml'), text.replace('main = "src/index.ts"', 'main = "code/index.ts"'))
    return npmRun('setup', ['--name', 'acme'], inDatabase)
  }
  const added = `${template}
[[durable_objects.bindings]]
name = "EXTRA"
class_name = "Extra"

[[migrations]]
tag = "extra"
new_sqlite_classes = ["Extra"]
`
  expect(deploy(added, 'export class Extra {}').status, 0, 'a version with a class more')
  const refused = back()
  expect(refused.status, 1, refused.output)
  expectMatch(refused.output, /the class Extra of objects came after that version[\s\S]*Nothing was changed/, 'why')
  // The old code alone is refused by Cloudflare, too; as the command says, it is taken.
  expect(deploy(template, '').status, 1, 'the code of before as it was')
  const [, classes = ''] = /src\/index\.ts:\n([\s\S]*?)# at the end/.exec(refused.output) ?? []
  const [, tags = ''] = /wrangler\.toml:\n([\s\S]*?)npm run setup/.exec(refused.output) ?? []
  const taken = deploy(`${template}\n${tags}`, classes)
  expect(taken.status, 0, `${taken.output}\n${refused.output}`)
  expect(account().workers['caseworker-acme']?.versions[0]?.id, deployed(), 'what is deployed')
}
