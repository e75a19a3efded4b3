import { existsSync, rmSync } from 'node:fs'
import {
  account,
  counted,
  expect,
  expectMatch,
  home,
  inHome,
  npmRun,
  read,
  real,
  setUpWell,
} from './support/installations.ts'

// What is done at three in the morning, by the commands that the guide gives: against an emulated account, whose database is a
// real one on this machine.
const DATABASE = inHome('database')
const inDatabase = { FAKE_DATABASE: DATABASE, RESTORE_SETTLE_SECONDS: '0' }
const OF_ACME = ['--installation', 'acme']
const queues = () => account().queues.filter(name => name.startsWith('caseworker-acme-'))
const isPaused = () => account().secrets['caseworker-acme']?.PAUSED

try {
  setUpWell(['--name', 'acme', '--location', 'apac'], inDatabase)
  pausesAndResumes()
  pausesWhatItCan()
  refusesMistakes()
  restores()
  console.log(`an installation paused, resumed and restored: ${counted.checks} checks`)
} finally {
  rmSync(home, { recursive: true, force: true })
}

function pausesAndResumes(): void {
  const paused = npmRun('admin', ['pause', ...OF_ACME])
  expect(paused.status, 0, paused.output)
  expect(isPaused(), 'true', 'the secret')
  expect([...account().paused].sort(), [...queues()].sort(), 'queues that do not deliver')
  expect(
    paused.calls.filter(call => /^(deploy|d1)/.test(call)),
    [],
    'what a pause deploys, or asks the database',
  )
  expectMatch(paused.output, /npm run admin -- resume --installation acme/, 'how it goes on')
  const resumed = npmRun('admin', ['resume', ...OF_ACME])
  expect([resumed.status, isPaused(), account().paused], [0, 'false', []], 'resumed')
  expectMatch(resumed.calls[0] ?? '', /^secret put/, 'the Worker goes on before its queues do')
}

function pausesWhatItCan(): void {
  const { status, output, calls } = npmRun('admin', ['pause', ...OF_ACME], { FAKE_FAILS: 'queues pause-delivery' })
  expect([status, isPaused()], [1, 'true'], 'a pause whose queues do not follow')
  expect(calls.filter(call => call.startsWith('queues')).length, queues().length, 'queues that were tried')
  expectMatch(output, /Authentication error[\s\S]*run the same command again/, 'what is said of it')
  expect(npmRun('admin', ['resume', ...OF_ACME]).status, 0, 'resumed')
}

function refusesMistakes(): void {
  const restore = ['restore', ...OF_ACME, '--yes']
  const mistakes: [args: string[], because: RegExp][] = [
    [['pause'], /^--installation is missing/],
    [['pause', '--installation', 'acm'], /^there is no installations\/acm\.toml/],
    [['pause', 'acme'], /^unexpected argument "acme"/],
    [restore, /^restore needs --to or --bookmark/],
    [[...restore, '--to', '2026-11-26 03:00'], /^--to must be a time with its zone/],
    [[...restore, '--to', '2126-11-26T03:00:00Z'], /^--to lies ahead/],
    [[...restore, '--to', '2020-11-26T03:00:00Z'], /^--to is more than 30 days ago/],
    [['restore', ...OF_ACME, '--bookmark', '0000-1'], /^there is no terminal to ask at/],
  ]
  for (const [args, because] of mistakes) {
    const { status, calls, output } = npmRun('admin', args)
    expect([status, calls], [2, []], args.join(' '))
    expectMatch(output, because, args.join(' '))
  }
}

function rows<Row>(sql: string): Row[] {
  const where = ['--local', '--persist-to', DATABASE, '--config', 'installations/acme.toml']
  const printed = real('d1', 'execute', 'DB', ...where, '--json', '--command', sql)
  return (JSON.parse(printed) as { results: Row[] }[])[0]?.results ?? []
}

function restores(): void {
  npmRun('team', ['Acme', ...OF_ACME], inDatabase)
  // Another run of setup keeps a bookmark: to that moment the database goes back.
  setUpWell(['--name', 'acme'], inDatabase)
  const to = new Date().toISOString()
  const later = Date.now() + 1_000
  rows(`UPDATE api_key SET revoked_at = ${later}; UPDATE user SET is_active = 0, updated_at = ${later};
    UPDATE team SET name = 'Damaged'; INSERT INTO opt_out (team, phone, since, message) VALUES (1, '+919448300007', ${later}, 'm')`)
  const restored = npmRun('admin', ['restore', ...OF_ACME, '--to', to, '--yes'], inDatabase)
  expect(restored.status, 0, restored.output)
  const order = [
    'secret put',
    'queues pause',
    'time-travel info',
    'time-travel restore',
    'migrations apply',
    'd1 execute',
  ]
  const places = order.map(each => restored.calls.findIndex(call => call.includes(each)))
  expect(
    places.slice(0, 5).every((place, nth) => place >= 0 && place > (places[nth - 1] ?? -1)),
    true,
    `the order of ${restored.calls.join('\n')}`,
  )
  const [team] = rows<{ name: string }>('SELECT name FROM team')
  expect(team?.name, 'Acme', 'what was damaged')
  const [taken] = rows<object>(`SELECT (SELECT count(*) FROM api_key WHERE revoked_at = ${later}) AS keys,
    (SELECT count(*) FROM user WHERE is_active = 0) AS users, (SELECT count(*) FROM opt_out) AS opt_outs`)
  expect(taken, { keys: 1, users: 1, opt_outs: 1 }, 'what was taken away, and stays so')
  expect([isPaused(), account().paused], ['false', []], 'the installation afterwards')
  const bookmark = /restore --installation acme --bookmark (\S+)/.exec(restored.output)?.[1] ?? ''
  expectMatch(read('acme.bookmarks'), new RegExp(`${bookmark} before a restore`), 'the bookmark that is kept')
  const back = npmRun('admin', ['restore', ...OF_ACME, '--bookmark', bookmark, '--yes'], inDatabase)
  expect(
    [back.status, rows<{ name: string }>('SELECT name FROM team')[0]?.name],
    [0, 'Damaged'],
    'the restore taken back',
  )
  expect(existsSync(DATABASE), true, 'the database')
}
