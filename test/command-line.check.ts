import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { formatCommandHelp } from '../src/client/command-line/command/help.ts'
import { formatPlaceholder, parseArguments } from '../src/client/command-line/command/parse.ts'
import { COMMANDS } from '../src/client/command-line/commands.ts'
import { listens } from './command-line/listen.ts'
import { startTeam } from './support/check-server.ts'
import { expectMatch, expectSame, heldExpectations } from './support/expectations.ts'
import { freePort } from './support/started.ts'
import { buildWorkbook, plainRows } from './support/workbook.ts'

// Runs the command line as scripts do, against `npm start`, which builds it: every command, every exit code, files that go out and
// come back, profiles, and the completion of the shells that are here.
const home = mkdtempSync(path.join(tmpdir(), 'caseworker-command-line-'))
const bin = path.join(home, 'bin')
mkdirSync(bin)
writeFileSync(
  path.join(bin, 'caseworker'),
  `#!/bin/sh\nexec '${process.execPath}' '${path.resolve('src/client/bin/caseworker.js')}' "$@"\n`,
  { mode: 0o755 },
)

const { CASEWORKER_URL: _, CASEWORKER_TOKEN: __, ...outside } = process.env
const running = await startTeam('command-line')
const bare = { ...outside, PATH: `${bin}:${outside.PATH}`, XDG_CONFIG_HOME: path.join(home, 'config') }
const env = { ...bare, CASEWORKER_URL: running.url, CASEWORKER_TOKEN: running.token }

type Ended = SpawnSyncReturns<string>
const used = new Set<string>()
function caseworkerWith(environment: NodeJS.ProcessEnv, input: string, ...words: string[]): Ended {
  used.add(words[0] ?? '')
  return spawnSync('caseworker', words, { cwd: home, env: environment, input, encoding: 'utf8', maxBuffer: 1e8 })
}
const caseworker = (...words: string[]): Ended => caseworkerWith(env, '', ...words)
/** The output of a command that must succeed. */
function runCommand(...words: string[]): string {
  const { status, stdout, stderr } = caseworker(...words)
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
  return stdout
}
// biome-ignore lint/suspicious/noExplicitAny: the check says what it expects of an output
const runJson = (...words: string[]): any => JSON.parse(runCommand(...words))
const lines = (text: string) => text.split('\n').filter(line => line !== '')
const file = (name: string) => path.join(home, name)
const read = (name: string) => readFileSync(file(name), 'utf8')

function help(): void {
  const all = runCommand('--help')
  for (const command of COMMANDS) {
    const { name, summary, arguments: known, options, examples } = command
    expectMatch(all, new RegExp(`^  ${name} .*${summary}$`, 'm'), `${name} in the help`)
    const own = formatCommandHelp(command)
    for (const part of [...known.map(each => `<${each.name}>`), ...Object.keys(options).map(each => `--${each}`)])
      expectSame(own.includes(part), true, `${part} in ${name} --help`)
    for (const example of examples) {
      const words = execFileSync('bash', ['-c', `printf '%s\\0' ${example}`], { encoding: 'utf8' }).split('\0')
      expectSame(words[0], name, example)
      parseArguments(command, words.slice(1, -1))
    }
  }
  const rows = COMMANDS.map(
    ({ name, summary, arguments: known }) =>
      `| \`${[name, ...known.map(formatPlaceholder)].join(' ')}\` | ${summary} |\n`,
  )
  const guide = readFileSync('src/docs/guides/client.md', 'utf8')
  expectSame(
    guide.includes(`\n|---|---|\n${rows.join('')}\n`),
    true,
    `the table of the guide: it must be\n${rows.join('')}`,
  )
  expectSame(runCommand('help', 'list'), runCommand('list', '-h'), 'help list')
  expectMatch(runCommand('list', '--help'), /^caseworker list <procedure> \[options\]\n/, 'list --help')
  expectMatch(runCommand('--version'), /^\d+\.\d+\.\d+(-rc\.\d+)?\n$/, 'version')
  const none = caseworker()
  expectSame([none.status, none.stdout, none.stderr], [2, '', all], 'no command')
}

function typos(): void {
  const mistakes: [string[], RegExp][] = [
    [['lst', 'lead'], /no command "lst"; did you mean list\?\nTry caseworker --help/],
    [['frobnicate'], /no command "frobnicate"\n/],
    [
      ['list', 'lead', '--wehre', '{}'],
      /list has no option --wehre; did you mean --where\?\nTry caseworker list --help/,
    ],
    [['list'], /list needs <procedure>/],
    [['get', 'lead', 'A', 'B'], /get takes no further argument: "B"/],
    [
      ['list', 'lead', '--format', 'tabel'],
      /--format cannot be "tabel": it takes table, csv, json, ndjson; did you mean table\?/,
    ],
    [['list', 'lead', '--limit', '0'], /--limit takes a whole number above 0, not 0/],
    [['list', 'lead', '--limit', '5', '--all'], /exclude each other/],
    [['list', 'lead', '--where'], /--where/],
    [['call', 'getProces'], /did you mean getProcessById or getProcessByPrimaryKey\?/],
    [['call', 'getProcessById', 'procedureShortId=lead'], /needs processId=<value>/],
    [['update', 'lead', 'LEAD-000001'], /takes <field>=<value>, or --data/],
    [['update', 'lead', 'score=1'], /takes a process, or --where/],
    [['update', 'lead', 'score=1', 'state=NEW'], /takes a process, or --where/],
    [['update', 'lead', 'LEAD-000001', 'score'], /score is not <name>=<value>/],
    [['--frob', '--help'], /--frob stands before no command/],
    [['send', 'hello_world'], /send takes either --to or --where/],
    [['messages'], /messages takes one of/],
    [['keys', 'rotate', 'x', '--role', 'viewer', '--yes'], /--role is for keys create, not for keys rotate/],
    [['keys', '--role', 'viewer'], /--role is for keys create\n/],
    [['webhooks', 'replay', 'x', '--failed'], /--failed is for webhooks deliveries, not for webhooks replay/],
    [['revert', 'lead', 'LEAD-7', 'last'], /revert takes the number of a version, not last/],
    [['listen', '--after', 'now'], /--after takes the number of an event, not now/],
    [['listen', '--secret', 'whsec_x'], /--secret goes with --forward-to/],
    [['listen', '--forward-to', 'ftp://x'], /--forward-to takes an address such as localhost:3000/],
    [['listen', '--forward-to', '3000', '--secret', 'whsec_x'], /with at least 24 bytes/],
  ]
  for (const [words, why] of mistakes) {
    const { status, stdout, stderr } = caseworker(...words)
    expectSame([status, stdout], [2, ''], words.join(' '))
    expectMatch(stderr, why, words.join(' '))
  }
}

async function exitCodes(): Promise<void> {
  expectSame(caseworker('get', 'lead', 'NOBODY').status, 3, 'a process that is not there')
  const secret = 'cw_nobody0123456789'
  const unknown = caseworker('list', secret, '--token', secret)
  expectSame([unknown.status, unknown.stderr.includes(secret)], [3, false], 'a token that is unknown')
  const failing = createServer((_, response) => response.writeHead(501).end('no')).listen(0)
  const { port } = failing.address() as AddressInfo
  const ended = (url: string) =>
    new Promise<number | null>(resolve => {
      const options = { env: { ...env, CASEWORKER_URL: url }, stdio: 'ignore' } as const
      spawn('caseworker', ['list', 'lead'], options).on('exit', resolve)
    })
  const codes = await Promise.all([ended(`http://localhost:${await freePort()}`), ended(`http://localhost:${port}`)])
  failing.close()
  expectSame(codes, [4, 4], 'no API')
}

function processes(): void {
  const made = runJson(
    'create',
    'lead',
    'lead_id=C-1',
    'city=Lima',
    'score=3',
    'nextActionAt=2026-12-01T10:00:00+05:30',
  )
  expectSame([made.data.score, made.nextActionAt], [3, Date.parse('2026-12-01T04:30:00Z')], 'created')
  expectSame(caseworker('create', 'lead', 'lead_id=C-1').status, 3, 'created twice')
  expectSame(
    runJson('upsert', 'lead', 'lead_id=C-1', 'score=4', '--columns', 'id,score'),
    { id: made.id, score: 4 },
    'upserted',
  )
  const typo = caseworker('update', 'lead', 'C-1', 'scroe=5', '--columns', 'id')
  expectMatch(typo.stderr, /^warning: "scroe" is not an attribute of lead \(did you mean "score"\?\)\n$/, 'a typo')
  runCommand('update', 'lead', 'C-1', 'score=9')
  const [past] = lines(runCommand('history', 'lead', 'C-1')).map(line => JSON.parse(line))
  expectSame(past.changes, [{ field: 'data.score', from: 4, to: 9 }], 'history')
  const asText = runCommand(
    'history',
    'lead',
    'C-1',
    '--limit',
    '1',
    '--format',
    'csv',
    '--columns',
    'version,at,changes',
  )
  expectMatch(asText, /^version,at,changes\n\d+,\d{4}-[^,]+Z,data\.score: 4 → 9\n$/, 'history as CSV')
  expectSame(runJson('revert', 'lead', 'C-1', String(past.version - 1), '--columns', 'score'), { score: 4 }, 'reverted')
  expectSame(runJson('delete', 'lead', 'C-1', '--columns', 'isDeleted'), { isDeleted: true }, 'deleted')
  expectSame(caseworker('get', 'lead', 'C-1').status, 3, 'fetched after it was deleted')
  expectSame(runJson('restore', 'lead', made.id).id, made.id, 'restored')
  const gone = runJson('create', 'lead', 'lead_id=C-2', 'city=Lima')
  expectSame(caseworker('delete', 'lead', gone.id, '--purge').status, 2, 'a purge that nobody confirms')
  expectMatch(runCommand('delete', 'lead', gone.id, '--purge', '--yes'), new RegExp(`^${gone.id} is purged`), 'purged')
  for (const words of [['get'], ['restore'], ['history']])
    expectSame(caseworker(...words, 'lead', gone.id).status, 3, `${words[0]} of what was purged`)
  const table = lines(runCommand('get', 'lead', 'C-1', '--format', 'table', '--columns', 'lead_id,nextActionAt'))
  expectSame(table, ['lead_id  nextActionAt', 'C-1      2026-12-01T04:30:00.000Z'], 'a table')
}

function lists(): void {
  writeFileSync(file('many.csv'), `lead_id,city\n${Array.from({ length: 120 }, (_, at) => `M-${at},Many\n`).join('')}`)
  runCommand('bulk', 'lead', 'many.csv', '--create')
  const where = ['--where', '{"city": "Many"}']
  const some = caseworker('list', 'lead', ...where)
  expectSame(lines(some.stdout).length, 100, 'a list')
  expectMatch(some.stderr, /the first 100 are shown: use --all or --limit/, 'what a list does not show')
  const all = caseworker('list', 'lead', ...where, '--all', '--format', 'csv', '--columns', 'lead_id,city,updatedAt')
  expectSame([lines(all.stdout).length, all.stderr], [121, ''], 'all of a list')
  expectMatch(all.stdout, /^lead_id,city,updatedAt\nM-\d+,Many,\d{4}-\d\d-\d\dT[\d:.]+Z\n/, 'CSV')
  expectSame(
    runJson('list', 'lead', ...where, '--limit', '2', '--format', 'json', '--columns', 'city').length,
    2,
    'JSON',
  )
  expectSame(runJson('list', 'lead', '--where', '{"city": "Nowhere"}', '--format', 'json'), [], 'an empty list')
  expectSame(runCommand('count', 'lead', ...where), '120\n', 'count')
  const figures = runCommand(
    'count',
    'lead',
    ...where,
    '--group-by',
    'city',
    '--group-by',
    'createdAt:month',
    '--sum',
    'score',
  )
  expectMatch(figures, /^{"city":"Many","createdAt":"\d{4}-\d\d[^"]*","count":120,"sum score":(0|null)}\n$/, 'figures')
  const asCsv = runCommand('count', 'lead', ...where, '--max', 'lead_id', '--format', 'csv')
  expectSame(asCsv, 'count,max lead_id\n120,M-99\n', 'figures without groups')
  const sought = runCommand('list', 'lead', '--search', 'm-119', '--columns', 'lead_id', '--format', 'csv')
  expectSame(sought, 'lead_id\nM-119\n', 'words')
}

function updateByQuery(): void {
  const words = ['update', 'lead', '--where', '{"city": "Many"}', 'score=7']
  const asked = caseworker(...words)
  expectSame([asked.status, asked.stdout], [2, ''], 'an update of many that nobody confirms')
  expectMatch(
    asked.stderr,
    /^120 processes of lead will be updated\. Continue\?\nNobody can be asked here: .*--yes/,
    'the count',
  )
  expectSame(runCommand('count', 'lead', '--where', '{"city": "Many", "score": 7}'), '0\n', 'what was changed')
  const answer = (text: string) =>
    spawnSync('script', ['-qec', `caseworker ${words.map(word => `'${word}'`).join(' ')}`, '/dev/null'], {
      cwd: home,
      env,
      encoding: 'utf8',
      input: text,
    } as const)
  const no = answer('n\n')
  if (no.error === undefined) {
    expectSame(no.status, 130, 'no')
    expectSame(runCommand('count', 'lead', '--where', '{"city": "Many", "score": 7}'), '0\n', 'what no has changed')
    expectSame(answer('y\n').status, 0, 'yes')
    expectSame(runCommand('count', 'lead', '--where', '{"city": "Many", "score": 7}'), '120\n', 'what yes has changed')
  } else console.log('no script(1) on this machine: nobody was asked')
  expectSame(caseworker('update', 'lead', '--where', '{}', 'score=1', '--yes').status, 2, 'all, without --all')
  runCommand('create', 'lead', 'lead_id=D-1', 'city=Doomed')
  runCommand('create', 'lead', 'lead_id=D-2', 'city=Doomed')
  const doomed = ['--where', '{"city": "Doomed"}']
  expectSame(caseworker('update', 'lead', ...doomed, 'isDeleted=true', '--yes').status, 0, 'a deletion of many')
  expectSame(runCommand('count', 'lead', ...doomed), '0\n', 'what is left')
  expectMatch(
    runCommand('trash', 'lead', '--limit', '2', '--columns', 'lead_id'),
    /D-1[\s\S]*D-2|D-2[\s\S]*D-1/,
    'the trash',
  )
  expectMatch(
    caseworker('update', 'lead', '--where', '{"city": "Nowhere"}', 'score=1').stderr,
    /nothing was changed/,
    'none',
  )
}

function files(): void {
  const rows = [
    'lead_id,name,score,nextActionAt,interests',
    'F-1,Ann,5,2026-12-01T10:00:00Z,loan;card',
    'F-2,"Two\nlines",high,,',
    '',
    'F-3,Cid,7,tomorrow,',
    'M-1,Dot,8,,',
    'F-4,Eve, Ann,9,,',
  ]
  writeFileSync(file('rows.csv'), `\ufeff${rows.join('\r\n')}\r\n`)
  writeFileSync(file('below.csv'), 'lead_id;name\nF-9;Ann\n;\n;\n')
  expectMatch(
    caseworker('bulk', 'lead', 'below.csv', '--create', '--dry-run').stderr,
    /^2 rows have nothing in any of their cells, and are left out\n1 row, 0 invalid; nothing was sent\n$/m,
    'rows of separators alone',
  )
  const checked = caseworker('bulk', 'lead', 'rows.csv', '--create', '--dry-run', '--failed-to', 'checked.csv')
  expectSame([checked.status, checked.stdout, lines(read('checked.csv')).length], [1, '', 5], 'a check')
  expectMatch(
    checked.stderr,
    /^5 rows, 3 invalid; nothing was sent\n {2}line 3, F-2: "score" must be a number, not "high"\n/,
    'a check',
  )
  const often = Array.from({ length: 300 }, (_, nth) => `O-${nth},Eve,high${nth}`)
  writeFileSync(file('often.csv'), `lead_id,name,score\n${often.join('\n')}\nO-last,Eve,8,9\n`)
  expectMatch(
    caseworker('bulk', 'lead', 'often.csv', '--create', '--dry-run').stderr,
    /line 6, O-4: .*\n {2}line 302: .* 4 cells.*\n {2}and 295 more:\n {2}300 × "score" must be a number, not … \(a number without …\)\n/,
    'a rare reason beside one that most rows have',
  )
  expectSame(caseworker('bulk', 'lead', 'many.csv', '--create', '--dry-run').status, 0, 'a check that finds nothing')
  const first = caseworker('bulk', 'lead', 'rows.csv', '--create', '--failed-to', 'failed.csv')
  expectSame(first.status, 1, 'a job that failed in part')
  for (const part of [
    / {2}line 3, F-2: .*score/,
    / {2}line 6, F-3: .*nextActionAt/,
    / {2}line 7, M-1: .*exists already/,
    / {2}line 8: the row has 6 cells, and the header 5\n/,
  ])
    expectMatch(first.stderr, part, 'line and key of a failed row')
  const failed = read('failed.csv')
  expectMatch(
    failed,
    /^\ufeff_error,lead_id,name,score,nextActionAt,interests\r\n"""score"" must be[^\n]*",F-2,"Two\r?\nlines",high,,\r\n/,
    'the failed rows',
  )
  expectMatch(failed, /\r\n"the row has 6 cells, and the header 5",F-4,Eve," Ann",9,,\r\n$/, 'a row of another width')
  everyRow(runJson('jobs', first.stdout.trim()))
  writeFileSync(file('letters.csv'), 'lead_id,my_error\nF-1,x\n')
  const refused = caseworker('bulk', 'lead', 'rows.csv', '--create', '--failed-to', 'letters.csv')
  expectSame(
    [refused.status, refused.stdout, read('letters.csv')],
    [2, '', 'lead_id,my_error\nF-1,x\n'],
    'a file of somebody',
  )
  expectMatch(
    refused.stderr,
    /^letters\.csv exists, and has no failed rows in it: name another file in --failed-to/,
    'it',
  )
  const folder = caseworker('bulk', 'lead', 'rows.csv', '--create', '--failed-to', '.')
  expectSame([folder.status, folder.stdout], [2, ''], 'a folder for failed rows')
  writeFileSync(file('broken.ndjson'), '{"lead_id"\n{"lead_id": "F-1", "data": {"score": "many"}}\n')
  for (const run of ['the first run', 'the next run']) {
    const ended = caseworker('bulk', 'lead', 'broken.ndjson', '--dry-run', '--failed-to', 'broken-failed.ndjson')
    expectSame([ended.status, lines(read('broken-failed.ndjson')).length], [1, 2], `lines of ${run}`)
    const rows = caseworker('bulk', 'lead', 'rows.csv', '--create', '--dry-run', '--failed-to', 'checked.csv')
    expectSame(rows.status, 1, `rows of ${run}`)
  }
  writeFileSync(file('unreadable.ndjson'), '{"lead_id"\n{"lead_id": F-1}\n')
  for (const run of ['the first run', 'the next run']) {
    const ended = caseworker('bulk', 'lead', 'unreadable.ndjson', '--dry-run', '--failed-to', 'none-readable.ndjson')
    expectSame([ended.status, read('none-readable.ndjson')], [1, read('unreadable.ndjson')], `broken lines of ${run}`)
  }
  for (const text of ['{"lead_id": "F-1"}\nbroken\n', '{\n  "lead_id": "F-1"\n}\n']) {
    writeFileSync(file('own.ndjson'), text)
    const own = caseworker('bulk', 'lead', 'unreadable.ndjson', '--dry-run', '--failed-to', 'own.ndjson')
    expectSame([own.status, read('own.ndjson')], [2, text], "somebody's lines")
  }
  writeFileSync(
    file('fixed.csv'),
    failed.replace('Eve," Ann"', '"Eve, Ann"').replaceAll('high', '6').replace('tomorrow,', '2026-12-01T00:00:00Z,'),
  )
  const again = caseworker('bulk', 'lead', 'fixed.csv', '--upsert', '--failed-to', 'none.csv')
  expectSame([again.status, lines(again.stdout).length], [0, 1], `fixed: ${again.stderr}`)
  expectSame(lines(read('none.csv')).length, 1, 'no failed rows')
  expectSame(
    [runJson('get', 'lead', 'M-1').data.name, runJson('get', 'lead', 'F-2').data.score],
    ['Dot', 6],
    'what was fixed',
  )
  expectSame(runJson('get', 'lead', 'F-1').nextActionAt, Date.parse('2026-12-01T10:00:00Z'), 'a time in ISO 8601')

  runCommand('export', 'lead', '--where', '{"lead_id": ["F-1", "F-2", "F-3"]}', '--sort', 'createdAt', '-o', 'out.csv')
  const before = runJson('get', 'lead', 'F-1')
  const back = caseworker('bulk', 'lead', 'out.csv')
  expectSame(back.status, 0, `an export that is sent back: ${back.stderr}`)
  expectMatch(back.stderr, /cannot be changed and are not sent: createdAt, updatedAt/, 'columns that are not sent')
  const { data, nextActionAt } = runJson('get', 'lead', 'F-1')
  expectSame([data, nextActionAt], [before.data, before.nextActionAt], 'what came back')
  plans()
  expectSame(
    lines(runCommand('export', 'lead', '--format', 'ndjson', '--where', '{"city": "Many"}')).length,
    120,
    'an export',
  )
  runCommand('create', 'lead', 'lead_id=X-1', 'city=Excel', 'name==1+1')
  const excel = ['export', 'lead', '--where', '{"city": "Excel"}', '--columns', 'lead_id,name', '--delimiter']
  expectSame(runCommand(...excel, ';', '--format', 'excel'), "\uFEFFlead_id;name\nX-1;'=1+1\n", 'a file for Excel')
  expectSame(runCommand(...excel, 'tab'), 'lead_id\tname\nX-1\t=1+1\n', 'columns with tabs between them')
  for (const words of [
    [...excel, 'ab'],
    [...excel, ';', '--format', 'json'],
  ])
    expectSame(caseworker(...words).status, 2, words.join(' '))
  const fed = caseworkerWith(
    env,
    '{"lead_id": "F-1", "data": {"score": 9}}\n{"lead_id": "F-9"}\n',
    'bulk',
    'lead',
    '-',
    '--format',
    'ndjson',
    '--failed-to',
    'failed.ndjson',
  )
  expectSame(fed.status, 1, 'standard input')
  expectMatch(fed.stderr, / {2}line 2, F-9: .*not found/, 'a line of standard input')
  expectSame(Object.keys(JSON.parse(read('failed.ndjson'))), ['lead_id', '_error'], 'a failed line')
  const customers = ['lead_id,score,record.phone_number', 'F-1,11,919448300911', 'F-10,12,919448300912', '']
  writeFileSync(file('customers.csv'), customers.join('\n'))
  const upserted = caseworker('bulk', 'lead', 'customers.csv', '--upsert')
  expectSame([upserted.status, lines(upserted.stdout).length], [0, 1], `with customers: ${upserted.stderr}`)
  for (const [key, score, phone] of [
    ['F-1', 11, '919448300911'],
    ['F-10', 12, '919448300912'],
  ])
    expectSame(
      runJson('get', 'lead', String(key), '--columns', 'score,record.phone_number'),
      { score, 'record.phone_number': phone },
      'the customer of a row that exists already, and of a new one',
    )
  expectSame(runJson('records', '--phone', '+91 94483-00912').data.phone_number, '919448300912', 'a customer')
  definesDates()
  const dates = ['ref,amount,due', 'R-1,1|234,03/04/2026', ''].join('\n').replaceAll(',', ';').replace('|', ',')
  writeFileSync(file('dates.csv'), Buffer.from(`\ufeff${dates}`, 'utf16le'))
  const guess = caseworker('bulk', 'bill', 'dates.csv', '--create')
  expectSame(guess.status, 2, `days and numbers that can be read in two ways: ${guess.stderr}`)
  const said = ['--delimiter', ';', '--encoding', 'utf-16le', '--dates', 'dmy', '--decimal', 'comma']
  const bills = caseworker('bulk', 'bill', 'dates.csv', '--create', ...said)
  expectSame(bills.status, 0, `what the options say: ${bills.stderr}`)
  expectSame(runJson('get', 'bill', 'R-1').data, { ref: 'R-1', amount: 1.234, due: '2026-04-03' }, 'as they say it')
  writeFileSync(file('point.csv'), 'ref,amount,due\nR-2,1.234,03/04/2026\n')
  runCommand('bulk', 'bill', 'point.csv', '--create', '--dates', 'mdy', '--decimal', 'point')
  expectSame(runJson('get', 'bill', 'R-2').data, { ref: 'R-2', amount: 1.234, due: '2026-03-04' }, 'the other way')
  const wrong = ['ref;amount;due;Remark', 'W-1;2,5;31.12.2026;', 'W-2;1.5;04/28/2021;']
  writeFileSync(file('wrong.csv'), wrong.join('\n'))
  const allSaid = caseworker('bulk', 'bill', 'wrong.csv', '--create')
  expectSame(allSaid.status, 2, 'a file with several things wrong')
  for (const part of [
    /"Remark" is no field/,
    /"31\.12\.2026" \(line 2\) and "04\/28\/2021" \(line 3\)/,
    /"2,5" \(line 2\) and "1\.5"/,
  ])
    expectMatch(allSaid.stderr, part, 'all that is wrong with a file')
  const comma = caseworker('bulk', 'bill', 'wrong.csv', '--create', '--delimiter', ',')
  expectMatch(comma.stderr, /the header has no ",", and 3 times ";" \(--delimiter\)/, 'a wrong delimiter')
  writeFileSync(file('empty.csv'), '')
  expectMatch(caseworker('bulk', 'bill', 'empty.csv').stderr, /empty\.csv is empty/, 'an empty file')
  writeFileSync(file('latin1.csv'), Buffer.from('ref\nK\xf6ln\n', 'latin1'))
  runCommand('bulk', 'bill', 'latin1.csv', '--create', '--encoding', 'latin1')
  expectSame(runJson('get', 'bill', 'Köln').data.ref, 'Köln', 'latin1')
  for (const words of [
    ['--delimiter', 'ab'],
    ['--encoding', 'latin9'],
    ['--dates', 'ymd'],
    ['--decimal', 'dot'],
  ])
    expectSame(caseworker('bulk', 'bill', 'point.csv', '--create', ...words).status, 2, words.join(' '))
  const excelRows = ['Name;Lead id;Score', ' Köln € ; S-1;7', ';;']
  writeFileSync(file('sheet.csv'), Buffer.from(excelRows.join('\r\n').replace('€', '\x80'), 'latin1'))
  const sheet = caseworker('bulk', 'lead', 'sheet.csv', '--create')
  expectSame(sheet.status, 0, `a file of a spreadsheet: ${sheet.stderr}`)
  expectMatch(
    sheet.stderr,
    /read as Windows-1252 with ";" .*\n.*"Name" is name\n.*"Lead id" is lead_id/,
    'what was recognised',
  )
  expectSame(runJson('get', 'lead', 'S-1').data.name, 'Köln €', 'a cell in Windows-1252')
  const usage: string[][] = [
    ['rows.csv', '--create', '--update'],
    ['rows.csv', '--failed-to', 'rows.csv'],
    ['rows.csv', '--detach', '--failed-to', 'x.csv'],
  ]
  for (const words of usage) expectSame(caseworker('bulk', 'lead', ...words).status, 2, words.join(' '))
}

/** What cannot be read of a file is an entry as well, in the line that it has in the file: whichever way it is sent. */
function everyRow(job: { id: string; total: number; counts: { INVALID: number } }): void {
  expectSame([job.total, job.counts.INVALID], [5, 3], 'the entries of a file')
  const failed = lines(runCommand('results', job.id, '--failed')).map(line => JSON.parse(line).data.apiData.line)
  expectSame(failed, [3, 6, 8, 7], 'the lines of the results')
  const text = '\nlead_id,score\n"E-1",1\n\nE-2\nE-3,high\n,3\n'
  writeFileSync(file('every.csv'), text)
  const plan = ['--upsert', '--plan', '--failed-to', 'every-failed.csv']
  const said =
    /Dry run of 4 entries: 1 would be created; 3 would fail\.[\s\S]* 1 × line 5: the row has 1 cell, and the header 2/
  const of = (line: number) => new RegExp(`"lead_id", the primary key, is required \\(line ${line}\\)`)
  for (const [words, answer] of [
    ['a file', caseworker('bulk', 'lead', 'every.csv', ...plan)],
    ['standard input', caseworkerWith(env, text, 'bulk', 'lead', '-', '--format', 'csv', ...plan)],
  ] as const) {
    expectMatch(answer.stderr, said, `the plan of ${words}`)
    expectMatch(answer.stderr, of(7), `the line of a row without a key of ${words}`)
    expectMatch(answer.stderr, / {2}line 5: the row has 1 cell, and the header 2\n/, `the rows of ${words}`)
    expectMatch(answer.stderr, / {2}line 7: "lead_id", the primary key, is required/, `the rows of ${words}`)
    expectSame(lines(read('every-failed.csv')).length, 4, `the failed rows of ${words}`)
  }
  writeFileSync(file('every.ndjson'), '{"lead_id": "E-1"}\n\n{"lead_id"\n')
  const byLines = caseworker('bulk', 'lead', 'every.ndjson', '--upsert', '--plan')
  expectMatch(byLines.stderr, /Dry run of 2 entries: 1 would be created; 1 would fail/, 'the plan of lines')
  expectMatch(byLines.stderr, / {2}line 3: it is not JSON/, 'a line that is not JSON')
}

/**
 * A plan shows the changes, and nothing is changed before it is applied: at once, or later by the id of the dry run.
 */
function plans(): void {
  const getScore = (key: string) => runJson('get', 'lead', key).data.score
  const before = getScore('F-1')
  writeFileSync(file('plan.csv'), 'lead_id,score\nF-1,91\nP-1,92\nP-2,high\n')
  const plan = ['bulk', 'lead', 'plan.csv', '--upsert', '--plan']
  const asked = caseworker(...plan, '--failed-to', 'plan-failed.csv')
  expectSame([asked.status, asked.stdout], [2, ''], `a plan that nobody has confirmed: ${asked.stderr}`)
  expectMatch(
    asked.stderr,
    /Dry run of 3 entries: 1 would be created, 1 changed; 1 would fail\. Nothing has been changed\./,
    'the counts of a plan',
  )
  expectMatch(
    asked.stderr,
    new RegExp(`  ~ F-1: score ${before} → 91\\n  \\+ P-1: .*score 92`),
    'the changes of a plan',
  )
  expectMatch(asked.stderr, /1 × .*must be a number, not ".*" \(P-2\)\n/, 'the reasons of failures')
  expectMatch(
    asked.stderr,
    /2 entries will be applied, without the 1 that would fail\. What somebody has changed since stays as it is\. Continue\?/,
    'the question',
  )
  expectMatch(read('plan-failed.csv'), /^_error,lead_id,score\n.*,P-2,high\n/, 'the rows that would fail')
  expectSame([getScore('F-1'), caseworker('get', 'lead', 'P-1').status], [before, 3], 'what a plan has changed')
  const [, id = ''] = /to apply it later: caseworker apply (\S+)/.exec(asked.stderr) ?? []
  expectSame(caseworker('apply', id).status, 2, 'applying that nobody has confirmed')
  const applied = caseworker('apply', id, '--yes')
  expectSame([applied.status, getScore('F-1'), getScore('P-1')], [1, 91, 92], `applied: ${applied.stderr}`)
  expectSame(runJson('jobs', applied.stdout.trim()).applyOf, id, 'the job that applies it')
  expectSame(caseworker('apply', id, '--yes').status, 3, 'applied twice')
  const twice = caseworker('apply', id)
  expectSame([twice.status, twice.stdout], [3, ''], 'applied twice, without being asked')
  expectMatch(twice.stderr, /^background job \S+ was applied already, by background job \S+\n$/, 'nobody is asked')
  writeFileSync(file('headed.csv'), 'Lead id,Score,Phone number,state\nH-1,high,no,Contactd\nH-2,low,47 111,Nowhere\n')
  const headed = caseworker('bulk', 'lead', 'headed.csv', '--upsert', '--plan')
  expectMatch(headed.stderr, / {2}2 × "Score" must be a number, not … \(H-1, H-2\)\n/, 'a reason by its heading')
  expectMatch(
    headed.stderr,
    / {2}line 2, H-1: "Score" must .*; "Phone number" must .*; there is no state "Contactd" \(did you mean "CONTACTED"\?\)\n/,
    'each reason of a row by its heading',
  )
  const nowhere = /there is no state "Nowhere" \(there are NEW, CONTACTED, .*\)\n/
  expectMatch(headed.stderr, nowhere, 'the states of a plan')
  writeFileSync(file('nowhere.csv'), 'Lead id,state\nH-2,Nowhere\n')
  expectMatch(caseworker('bulk', 'lead', 'nowhere.csv', '--dry-run').stderr, nowhere, 'the states of a check')
  writeFileSync(file('plan.csv'), 'lead_id,score\nF-1,95\nP-1,96\n')
  const late = /caseworker apply (\S+)/.exec(caseworker(...plan).stderr)?.[1] ?? ''
  runCommand('update', 'lead', 'F-1', 'score=91')
  const left = caseworker('apply', late, '--yes', '--failed-to', 'left.csv')
  expectSame([left.status, getScore('F-1'), getScore('P-1')], [1, 91, 96], `what others have changed: ${left.stderr}`)
  expectMatch(
    left.stderr,
    / {2}1 × since the dry run process F-1 was changed by the API key .+, at 20\S+Z \(make another dry run, .* \(F-1\)\n/,
    'who has changed it, and when',
  )
  expectMatch(
    left.stderr,
    /\nthe failed rows are in left\.csv: others have changed them since the plan; send that file with --plan, which shows what it would change now\n$/,
    'what is to be done',
  )
  expectMatch(
    read('left.csv'),
    /^lead_id,score,_status,_error,.*\r\nF-1,95,ERROR,"since the dry run process F-1 was /,
    'its row',
  )
  expectMatch(
    caseworker('bulk', 'lead', 'left.csv', '--upsert', '--plan').stderr,
    /~ F-1: score 91 → 95\n/,
    'planned again',
  )
  expectMatch(
    caseworker('watch', left.stdout.trim()).stderr,
    /\nto plan them again: --failed-to <file>, and send that file with --plan\n$/,
    'without a file',
  )
  runCommand('update', 'lead', 'P-1', 'score=92')
  writeFileSync(file('repeated.csv'), 'lead_id,score\nR-1,1\nR-2,2\nR-1,3\n')
  const repeated = caseworker('bulk', 'lead', 'repeated.csv', '--upsert', '--plan')
  expectMatch(repeated.stderr, /warning: line 4 has the same lead_id as line 2\n/, 'a plan of rows that repeat a key')
  const nobody = caseworker('update', 'lead', '--where', '{"city": "Nowhere"}', 'score=1', '--plan')
  expectMatch(
    nobody.stderr,
    /Dry run of 0 entries\. Nothing has been changed\.\nThere is nothing to apply\.\n/,
    'a plan of nothing',
  )
  const assigned = caseworker('update', 'lead', '--where', '{"lead_id": "F-1"}', 'assignedTo=meera', '--plan')
  expectMatch(assigned.stderr, / → "Meera [A-Za-z]+"/, 'a plan names users')
  const foreign = caseworker('list', 'lead', '--columns', 'lead_id,scoer', '--limit', '1')
  expectMatch(foreign.stderr, /lead has no attribute "scoer"; did you mean score\?/, 'a column that is none')
  expectMatch(caseworker('call', 'listProcedure').stderr, /did you mean listProcedures\?/, 'an operation that is none')
  const ofPlan = caseworker('undo', id)
  expectSame(ofPlan.status, 3, 'undoing a dry run')
  expectMatch(ofPlan.stderr, /^background job \S+ was a dry run: it has changed nothing\n$/, 'nobody is asked')
  writeFileSync(file('plan.csv'), 'lead_id,score\nF-1,93\nP-1,92\n')
  const whole = caseworker(...plan, '--yes')
  expectSame([whole.status, getScore('F-1')], [0, 93], `a plan that is applied at once: ${whole.stderr}`)
  expectMatch(whole.stderr, /1 would be changed, 1 given the values that they have\./, 'what has its values already')
  const same = caseworker(...plan)
  expectSame(same.status, 0, 'a plan that changes nothing')
  expectMatch(same.stderr, /There is nothing to apply\./, 'a plan that changes nothing')
  const where = ['update', 'lead', '--where', '{"lead_id": ["F-1", "P-1"]}', 'score=94', '--plan']
  expectMatch(caseworker(...where).stderr, /~ F-1: score 93 → 94/, 'the plan of all that match')
  expectSame([caseworker(...where, '--yes').status, getScore('P-1')], [0, 94], 'all that match')
  for (const words of [
    [...plan, '--detach'],
    [...plan, '--dry-run'],
    ['update', 'lead', 'F-1', 'score=1', '--plan'],
  ])
    expectSame(caseworker(...words).status, 2, words.join(' '))
}

function definesDates(): void {
  const attributes = [
    { shortId: 'ref', type: 'string' },
    { shortId: 'amount', type: 'float' },
    { shortId: 'due', type: 'date' },
  ]
  const states = [{ shortId: 'NEW' }]
  const bill = { name: 'Bill', states, startState: 'NEW', completedState: 'NEW', attributes, primaryKey: 'ref' }
  writeFileSync(file('bill.json'), JSON.stringify(bill))
  runCommand('procedures', 'bill', '--put', 'bill.json')
  const wrong = {
    ...bill,
    startState: 'NWE',
    attributes: [...attributes, { shortId: 'day', type: 'dat' }],
    primaryKey: 'rf',
  }
  writeFileSync(file('wrong.json'), JSON.stringify(wrong))
  const refused = caseworker('procedures', 'bill', '--put', 'wrong.json')
  for (const place of ['attributes/3/type', 'startState', 'primaryKey'])
    expectMatch(refused.stderr, new RegExp(`^/body/${place}: `, 'm'), 'all that is wrong with a definition')
}

/** Numbers and days of a workbook are what they are, whatever they look like; a text option means nothing to it. */
async function workbooks(): Promise<void> {
  const styles = '<cellXfs><xf numFmtId="0"/></cellXfs>'
  const sheets = {
    Notes: plainRows([['read me']]),
    Leads: plainRows([['Lead id', 'City', 'score'], ['BOOK-1', 'Oslo', 71], [], ['BOOK-2', 'Bergen', 72]]),
  }
  writeFileSync(file('leads.xlsx'), await buildWorkbook({ sheets, styles }))
  const made = caseworker('bulk', 'lead', 'leads.xlsx', '--upsert', '--sheet', 'Leads')
  expectSame([made.status, lines(made.stdout).length], [0, 1], 'a workbook')
  expectMatch(
    made.stderr,
    /^leads\.xlsx is read from its sheet "Leads"\n {2}"Lead id" is lead_id/,
    'what was recognised',
  )
  expectSame(runJson('get', 'lead', 'BOOK-2').data.score, 72, 'a number of a workbook')
  const keyless = plainRows([['Lead id', 'score'], ['BOOK-3', 1], [], [], ['', 2], ['BOOK-4', 3, 'more']])
  writeFileSync(file('keyless.xlsx'), await buildWorkbook({ sheets: { Leads: keyless }, styles }))
  const keys = caseworker('bulk', 'lead', 'keyless.xlsx', '--upsert', '--plan')
  expectMatch(keys.stderr, /Dry run of 3 entries: 1 would be created; 2 would fail/, 'the plan of a workbook')
  expectMatch(keys.stderr, /is required \(line 5\)/, 'the line of a workbook')
  expectMatch(keys.stderr, / {2}line 6: the row has 3 cells, and the header 2\n/, 'a wide row of a workbook')
  const broken = plainRows([['Lead id', 'City', 'score'], ['BOOK-5', 'Os\nlo\n', 1], [], ['BOOK-6', 'Bergen', 'many']])
  writeFileSync(file('broken.xlsx'), await buildWorkbook({ sheets: { Leads: broken }, styles }))
  const rows = caseworker('bulk', 'lead', 'broken.xlsx', '--upsert')
  expectMatch(rows.stderr, / {2}line 4, BOOK-6: "score" must be/, 'the row of a sheet below line breaks in a cell')
  expectSame(
    lines(runCommand('results', rows.stdout.trim())).map(line => JSON.parse(line).data.apiData.line),
    [2, 4],
    'the rows of a sheet in the results',
  )
  const first = caseworker('bulk', 'lead', 'leads.xlsx', '--upsert', '--dry-run')
  expectMatch(first.stderr, /^other sheets of leads\.xlsx: "Leads" \(--sheet\)/, 'a workbook of two sheets')
  const unsaved = `${plainRows([['lead_id', 'city']])}<row r="2"><c><v>1</v></c><c><f>A2</f><v/></c></row>`
  writeFileSync(file('unsaved.xlsx'), await buildWorkbook({ sheets: { Leads: unsaved } }))
  const refusals: [RegExp, ...string[]][] = [
    [/^unsaved\.xlsx cannot be read: the formula of B2 has no saved value: open the workbook in a/, 'unsaved.xlsx'],
    [/it has no sheet "Three": there are "Notes", "Leads"/, 'leads.xlsx', '--sheet', 'Three'],
    [/--decimal is for text/, 'leads.xlsx', '--decimal', 'comma'],
    [/--failed-to writes CSV/, 'leads.xlsx', '--failed-to', 'failed.xlsx'],
    [/--sheet is for a workbook/, 'one.ndjson', '--sheet', 'Leads'],
  ]
  for (const [said, ...args] of refusals) {
    const refused = caseworker('bulk', 'lead', ...args)
    expectSame(refused.status, 2, args.join(' '))
    expectMatch(refused.stderr, said, args.join(' '))
  }
}

function jobs(): void {
  writeFileSync(file('one.ndjson'), '{"lead_id": "NOBODY", "data": {"score": 9}}')
  const { stdout } = caseworker('bulk', 'lead', 'one.ndjson')
  const id = stdout.trim()
  expectSame(lines(runCommand('jobs', '--limit', '2')).length, 2, 'jobs')
  expectSame(runJson('jobs', id).counts.ERROR, 1, 'a job')
  const watched = caseworker('watch', id)
  expectSame(watched.status, 1, 'watch')
  expectMatch(watched.stderr, /^Change .*\bof 1 process of Lead\n/, 'what is watched')
  expectMatch(watched.stderr, / {2}1 × .* \(NOBODY\)/, 'the reasons')
  expectSame(JSON.parse(runCommand('results', id, '--failed')).index, 0, 'results')
  const [group] = lines(runCommand('errors', id)).map(line => JSON.parse(line))
  expectSame([group.code, group.count], ['not_found', 1], 'errors')
  expectSame(JSON.parse(runCommand('results', id, '--group', group.group)).index, 0, 'results of a group')
  const none = caseworker('results', id, '--group', 'nope', '-o', 'none.csv')
  expectSame([none.status, none.stdout], [3, ''], 'results of no group')
  expectMatch(none.stderr, /is in the group "nope"\n {2}hint: its groups are not_found\n/, 'the groups there are')
  expectSame(caseworker('watch', id, '--failed-to', 'watched.csv').status, 1, 'watch')
  expectMatch(
    read('watched.csv'),
    /^lead_id,score,_status,_error,_hint,_id,_line\r\nNOBODY,9,ERROR,/,
    'the failed rows of a job',
  )
  // A file that comes to be while the job runs does not turn what was sent into "nothing was sent".
  const program = `import { writeFileSync } from 'node:fs'
    const send = fetch
    globalThis.fetch = (...call) => {
      writeFileSync('meanwhile.csv', 'letters')
      globalThis.fetch = send
      return send(...call)
    }`
  const withFile = { ...env, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(program)}` }
  const late = caseworkerWith(withFile, '', 'watch', id, '--failed-to', 'meanwhile.csv')
  expectSame([late.status, read('meanwhile.csv').startsWith('lead_id,')], [1, true], 'a file that came meanwhile')
  expectSame(caseworker('retry', id, '--detach', '--failed-to', 'x.csv').status, 2, 'failed rows of no end')
  const again = caseworker('retry', id)
  expectSame([again.status, runJson('jobs', again.stdout.trim()).retryOf], [1, id], 'retry')
  writeFileSync(file('undone.ndjson'), '{"lead_id": "LEAD-000003", "data": {"score": 9}}')
  const before = runJson('get', 'lead', 'LEAD-000003').data
  const done = runCommand('bulk', 'lead', 'undone.ndjson').trim()
  const unconfirmed = caseworker('undo', done)
  expectSame(unconfirmed.status, 2, 'an undo that nobody has confirmed')
  expectMatch(
    unconfirmed.stderr,
    /Change .*\bof 1 process of Lead: what 1 entry changed will be taken back\. What somebody has changed since stays as it is\. Customers stay, /,
    'what would be undone',
  )
  const undo = runCommand('undo', done, '--yes').trim()
  expectSame([runJson('jobs', undo).undoOf, runJson('jobs', done).undoneBy], [done, undo], 'undo')
  expectSame(runJson('get', 'lead', 'LEAD-000003').data, before, 'what was undone')
  runCommand('undo', undo, '--yes')
  expectSame(caseworker('undo', done).stderr.includes('undone already'), false, 'an undo that was undone')
  runCommand('undo', done, '--yes')
  undoWithRetries()
  expectSame(caseworker('cancel', id).status, 3, 'cancelling a job that has ended')
  const entry = { apiType: 'PROCESS_UPDATE', apiData: { procedureId: 'lead', processId: 'x', processUpdate: {} } }
  const body = JSON.stringify({ entries: [entry], startAt: Date.now() + 3_600_000 })
  const later = runJson('call', 'scheduleJob', '--body', body)
  expectMatch(
    caseworker('cancel', later.id).stderr,
    new RegExp(`cancelled[\\s\\S]*\\nto run what was not run: caseworker retry ${later.id} --status CANCELLED\\n`, 'i'),
    'cancel',
  )
  expectMatch(caseworker('watch', later.id).stderr, /caseworker retry \S+ --status CANCELLED\n/, 'a cancelled job')
  expectSame(JSON.parse(runCommand('results', later.id, '--status', 'CANCELLED')).index, 0, 'what was not run')
  expectSame(caseworker('results', later.id, '--status', 'CANCELLED', '--failed').status, 2, 'two choices of results')
  const rest = caseworker('retry', later.id, '--status', 'CANCELLED')
  expectSame([rest.status, runJson('jobs', rest.stdout.trim()).retryOf], [1, later.id], 'what was not run, run')
  expectMatch(
    caseworker('retry', later.id, '--status', 'CANCELLED').stderr,
    new RegExp(`is retried by background job ${rest.stdout.trim()}`),
    'what was not run, run twice',
  )
}

/** A job of which one row was corrected by a retry. */
function undoWithRetries(): void {
  const scores = () => ['LEAD-000003', 'LEAD-000004'].map(key => runJson('get', 'lead', key).data.score)
  const before = scores()
  writeFileSync(
    file('retried.ndjson'),
    '{"lead_id": "LEAD-000003", "data": {"score": 5}}\n{"lead_id": "LEAD-000004", "data": {"score": "five"}}',
  )
  const id = caseworker('bulk', 'lead', 'retried.ndjson').stdout.trim()
  const nothing = caseworker('retry', id)
  expectSame(
    [nothing.status, nothing.stderr],
    [
      3,
      `background job ${id} has no entry with ERROR to retry\n1 entry with INVALID: caseworker retry ${id} --status INVALID\n`,
    ],
    'what there is to retry',
  )
  const retry = runCommand('retry', id, '--status', 'INVALID', '--update', '{"data": {"score": 6}}').trim()
  expectSame(scores(), [5, 6], 'what was retried')
  expectMatch(
    caseworker('undo', id).stderr,
    new RegExp(`what 1 entry changed will be taken back, and what 1 entry of its 1 retry \\(${retry}\\) changed`),
    'the question names the retry',
  )
  runCommand('undo', id, '-y', '--keep-retries')
  expectSame(scores(), [before[0], 6], 'what its retries have changed is kept')
  const undos = lines(runCommand('undo', id, '--yes'))
  expectSame(
    undos.map(each => runJson('jobs', each).undoOf),
    [retry, id],
    'the retry is undone first',
  )
  expectSame(scores(), before, 'what was undone with its retries')
  expectMatch(caseworker('undo', id).stderr, /It was undone already, by /, 'a second undo')
}

function messages(): void {
  const plugin = ['--plugin', 'WhatsApp of the demo team']
  const one = ['send', 'order_update', '1=Liv', '2=A17', '--language', 'en_US', ...plugin]
  const sent = runJson(...one, '--to', 'lead/LEAD-000001', '--wait', 'DELIVERED')
  expectSame(sent.text, 'Hi Liv, order A17 is on its way.', 'a message')
  expectSame(runJson('messages', sent.id).id, sent.id, 'a message by id')
  const phone = sent.context.contactIdentifier
  expectSame(lines(runCommand('messages', '--phone', phone, '--columns', 'text')).length, 1, 'messages of a number')
  expectSame(runJson(...one, '--to', `+${phone}`, '--columns', 'text').text, sent.text, 'a message to a number')
  expectSame(
    lines(runCommand('messages', '--process', 'lead/LEAD-000001', '--columns', 'text')).length > 0,
    true,
    'a key',
  )
  expectSame(caseworker('messages', '--process', 'LEAD-000001').status, 2, 'a key without its procedure')
  expectSame(caseworker('resend', sent.id).status, 3, 'resending what was delivered')
  const values = ['2=A18', '--attribute', '1=name', '--language', 'en_US']
  const many = ['send', 'order_update', ...values, ...plugin, '--procedure', 'lead']
  const where = ['--where', '{"lead_id": ["LEAD-000001", "LEAD-000002"]}']
  const planned = caseworker(...many, ...where, '--dry-run')
  expectSame([planned.status, lines(planned.stdout).length], [0, 2], `a dry run: ${planned.stderr}`)
  expectMatch(planned.stderr, /nothing was sent; 2 of 2 would be/, 'a dry run')
  expectMatch(planned.stderr, /to send it as it is: caseworker apply \S+/, 'how it is sent')
  const { result, text } = runJson(...one, '--to', 'lead/LEAD-000001', '--dry-run')
  expectSame([result, text], ['SEND', sent.text], 'a dry run of one message')
  expectSame(runJson(...one, '--to', `+${phone}`, '--dry-run').phone, phone, 'a dry run of a message to a number')
  const asked = caseworker(...many, ...where)
  expectSame(asked.status, 2, 'messages to many that nobody confirms')
  expectMatch(
    asked.stderr,
    /order_update will be sent to the customers of 2 processes of lead\. Continue\?/,
    'the count',
  )
  const round = caseworker(...many, ...where, '--yes')
  expectSame(round.status, 0, `messages to many: ${round.stderr}`)
  expectMatch(round.stderr, new RegExp(`messages --job ${round.stdout.trim()} --counts`), 'where its figures are')
  const counts = runJson('messages', '--job', round.stdout.trim(), '--counts') as Record<string, number>
  expectSame(
    Object.values(counts).reduce((sum, each) => sum + each, 0),
    2,
    'the figures of a job',
  )
  const listed = caseworker('messages', '--job', round.stdout.trim(), '--columns', 'process')
  // A message that had to be sent again is listed twice.
  expectSame(new Set(lines(listed.stdout)).size, 2, 'the messages of a job')
  expectMatch(listed.stderr, /\d (SENT|DELIVERED|READ)/, 'the figures of a job')
  const listByStatus = (status: string) =>
    lines(
      runCommand('messages', '--job', round.stdout.trim(), '--status', status, '--columns', 'deliveryStatus', '--all'),
    )
  // The statuses are in the order of a message's progress: it may change between two calls.
  const found = ['PENDING', 'SENT', 'DELIVERED', 'READ', 'UNKNOWN', 'FAILED'].flatMap(status =>
    listByStatus(status).map(line => [status, JSON.parse(line).deliveryStatus]),
  )
  expectSame(found.length >= 2, true, 'messages of a job by their status')
  for (const [asked, shown] of found) expectSame(shown, asked, 'the status of a message')
  expectSame(caseworker('messages', '--phone', phone, '--status', 'READ').status, 2, '--status without --job')
  expectMatch(
    runCommand('templates', ...plugin, '--columns', 'name,language', '--format', 'csv'),
    /^order_update,en_US$/m,
    'templates',
  )
}

function webhooks(): void {
  // Nobody listens at this address.
  const address = 'http://localhost:9/hooks'
  const made = runJson('webhooks', 'create', address, '--types', 'process.deleted', '--procedures', 'lead')
  expectMatch(made.secret, /^whsec_/, 'a new webhook')
  expectSame(
    lines(runCommand('webhooks', '--columns', 'url,types', '--format', 'csv')).slice(-1),
    [`${address},process.deleted`],
    'webhooks',
  )
  const [head = '', ...rest] = lines(runCommand('webhooks', '--format', 'table'))
  expectMatch(head, / isSecretReadable +behind +oldestWaitingSince +description$/, 'the columns of webhooks')
  expectMatch(rest.find(each => each.includes(made.id)) ?? '', / true +\d+( |$)/, 'how far a webhook is behind')
  const tested = caseworker('webhooks', 'test', made.id)
  expectSame([tested.status, JSON.parse(tested.stdout).isDelivered], [1, false], 'a test that is not accepted')
  const { stdout, stderr } = caseworker('webhooks', 'deliveries', made.id, '--failed', '--limit', '5')
  expectSame(stdout, '', 'no deliveries')
  expectMatch(stderr, /^delivered up to event \d+ of \d+; 0 wait/, 'how far it is')
  const { from, to, events } = runJson('webhooks', 'replay', made.id, '--from', '1', '--to', '2')
  expectSame([from, to, events], [1, 2, 2], 'events that are sent again')
  for (const words of [['create'], ['test'], ['remove'], ['list', made.id], ['replay', made.id]])
    expectSame(caseworker('webhooks', ...words).status, 2, `webhooks ${words.join(' ')}`)
}

function keys(): void {
  const made = runJson('keys', 'create', 'Check', '--role', 'viewer', '--description', 'of the check')
  expectMatch(made.token, /^cw_/, 'a new key')
  const who = caseworkerWith({ ...env, CASEWORKER_TOKEN: made.token }, '', 'whoami')
  expectSame(JSON.parse(who.stdout).key, 'Check', 'who the new key is')
  expectMatch(runCommand('keys', '--columns', 'name,role', '--format', 'csv'), /^Check,viewer$/m, 'keys')
  const next = runJson('keys', 'rotate', made.id, '--overlap', '60')
  expectSame([next.name, next.token === made.token], ['Check', false], 'a rotated key')
  expectSame(caseworker('keys', 'revoke', next.id).status, 2, 'a revocation that nobody confirms')
  expectSame(runJson('keys', 'revoke', next.id, '--yes').revokedAt > 0, true, 'a revoked key')
  for (const words of [['create'], ['create', 'Check'], ['rotate'], ['revoke'], ['remove']])
    expectSame(caseworker('keys', ...words).status, 2, `keys ${words.join(' ')}`)
}

function team(): void {
  expectSame(runJson('procedures', 'lead').primaryKey, 'lead_id', 'a procedure')
  expectMatch(runCommand('procedures', '--format', 'table'), /^lead +Lead +lead_id/m, 'procedures')
  const definition = { name: 'Visit', states: [{ shortId: 'NEW' }], startState: 'NEW', completedState: 'NEW' }
  writeFileSync(file('visit.json'), JSON.stringify(definition))
  expectSame(
    runJson('procedures', 'visit', '--put', 'visit.json', '--dry-run', '--format', 'json').isNew,
    true,
    'a dry run',
  )
  expectMatch(
    runCommand('procedures', 'visit', '--put', 'visit.json', '--dry-run'),
    /^visit: new\n {2}\+ procedure visit: /,
    'a plan',
  )
  expectSame(runJson('procedures', 'visit', '--put', 'visit.json').shortId, 'visit', 'a new procedure')
  expectMatch(
    runCommand('procedures', 'pull', 'pulled', '--format', 'csv'),
    /^visit,pulled.visit\.json$/m,
    'pulled files',
  )
  writeFileSync(file('pulled/visit.json'), JSON.stringify({ ...definition, name: 'Call' }))
  const asked = caseworker('procedures', 'push', 'pulled/visit.json')
  expectSame([asked.status, asked.stdout], [2, 'visit: changed\n  ~ procedure visit: name "Visit" → "Call"\n'], 'asked')
  expectMatch(
    caseworker('procedures', 'push', 'pulled', '--yes').stderr,
    /^1 changed, \d+ unchanged\nvisit is put\n$/,
    'push',
  )
  expectSame(runJson('procedures', 'visit').name, 'Call', 'a pushed procedure')
  writeFileSync(file('pulled/visit.json'), JSON.stringify({ ...definition, startState: 'NONE' }))
  const refused = caseworker('procedures', 'push', 'pulled', '--yes')
  expectSame([refused.status, refused.stdout.includes('visit: refused\n')], [3, true], 'a push that is refused')
  const called = ['getProcessByPrimaryKey', 'procedureShortId=lead', 'primaryKeyShortId=lead_id', 'primaryKeyValue=M-1']
  expectSame(runJson('call', ...called, '--columns', 'lead_id'), { lead_id: 'M-1' }, 'call')
  expectSame(runJson('call', 'listJobs', 'limit=1', '--meta').meta.hasMore, true, 'a query, and meta')
  expectMatch(runCommand('call', '--format', 'table'), /^getHealth +GET +\/v1\/health$/m, 'the operations')
  writeFileSync(file('offer.pdf'), '%PDF-1.7\n')
  const plugin = runJson('call', 'listPlugins', '--format', 'json')[0].id
  expectMatch(
    runJson('call', 'uploadPublicMedia', `pluginId=${plugin}`, '--upload', 'offer.pdf').publicMediaUrl,
    /^http/,
    'upload',
  )
}

const TYPED = `import { caseworker } from 'caseworker'
import type { Lead, LeadState, Odd, Procedures } from './procedures.ts'

const settings = { baseUrl: '', token: '' }
const client = caseworker<Procedures>(settings)
const leads = client.processes('lead')
`
const PROGRAM = `
leads.list({ where: { score: { '>=': 70 }, city: ['Pune', null], interests: 'loan', state: ['NEW', 'WON'] } })
leads.list({ where: { or: [{ city: 'Oslo' }, { createdAt: { '>': '2026-12-01T00:00:00Z' }, score: null }] } })
leads.list({ where: { 'record.phone': '919810000001' } })
leads.list({ sort: [{ field: 'score', order: 'desc' }, { field: 'createdAt' }] })
leads.create({ state: 'NEW', data: { lead_id: 'L', interests: ['loan'], source: 'website' } })
leads.update({ lead_id: 'L' }, { state: 'WON', data: { score: null } })
leads.bulkUpdate([{ lead_id: 'L', update: { state: 'WON', data: { score: 1 } } }])
leads.bulkUpdateWhere({ city: { '!=': 'Pune' } }, { data: { score: 1 } })
for await (const { data, state } of leads.list()) {
  const score: number | undefined = data.score
  const known: LeadState = state
  console.log(score, known)
}
client.processes<Lead>('lead').list({ where: { score: 1, state: 'ANY' } })
caseworker(settings).processes('anything').list({ where: { whatever: { '!=': 1 } }, sort: [{ field: 'other' }] })
const odd: Odd = { 'size-cm': 1.5, quoted: "it's", grades: [1, 2], at: 1795276206000, free: { a: 1 }, day: '20261121' }
console.log(odd)
`
/** Each line is a mistake that the types must not let through. */
const MISTAKES = `
leads.list({ where: { scroe: 1 } })
leads.list({ where: { score: 'high' } })
leads.list({ where: { score: { '~': 1 } } })
leads.list({ where: { or: [{ citty: 'x' }] } })
leads.list({ where: { interests: 'cars' } })
leads.list({ where: { state: 'NWE' } })
leads.list({ sort: [{ field: 'scroe' }] })
leads.list({ where: { 'record.phon': '91' } })
leads.list({ sort: [{ field: 'record.phone' }] })
leads.list({ sort: [{ field: 'notes' }] })
leads.create({ state: 'NWE' })
leads.create({ data: { scroe: 1 } })
leads.update('id', { data: { source: 'tv' } })
leads.bulkUpdateWhere({ citty: 'x' }, { data: { score: 1 } })
leads.bulkUpdateWhere({ city: 'x' }, { state: 'NWE' })
client.processes('led')
client.processes<Lead>('lead').list({ where: { scroe: 1 } })
const odd: Odd = { grades: [3] }
`

/** The types of the team compile under the strictest settings, and let no mistyped name through. */
function types(): void {
  const attributes = [
    { shortId: 'size-cm', type: 'float' },
    { shortId: 'quoted', name: 'A */ name', type: 'stringEnum', values: ["it's", 'a "b"', 'back\\\\slash'] },
    { shortId: 'grades', type: 'multiIntegerEnum', values: [1, 2] },
    ...[
      { shortId: 'at', type: 'datetime' },
      { shortId: 'free', type: 'json' },
      { shortId: 'day', type: 'date' },
    ],
  ]
  const states = [{ shortId: 'NEW' }, { shortId: 'ODD' }]
  const definition = { name: 'Odd', states, startState: 'NEW', completedState: 'ODD', attributes }
  writeFileSync(file('odd.json'), JSON.stringify(definition))
  runCommand('procedures', 'odd', '--put', 'odd.json')
  runCommand('types', '-o', 'new/folder/procedures.ts')
  runCommand('types', '-o', 'procedures.ts')
  expectMatch(
    runCommand('types', 'lead'),
    /^ {2}lead: \{ data: Lead; state: LeadState; sortable: 'lead_id' \| .*'source' \}\n\}$/m,
    'the types of one procedure',
  )
  mkdirSync(file('node_modules'))
  symlinkSync(path.resolve('src/client'), file('node_modules/caseworker'))
  writeFileSync(file('package.json'), '{"type": "module"}')
  writeFileSync(file('program.ts'), TYPED + PROGRAM)
  writeFileSync(file('mistakes.ts'), TYPED + MISTAKES.trimStart())
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--target', 'es2022']
  const modules = ['--module', 'nodenext', '--allowImportingTsExtensions', '--noEmit', '--types', '']
  const tsc = (name: string) =>
    spawnSync(path.resolve('node_modules/.bin/tsc'), [...strict, ...modules, name], { cwd: home, encoding: 'utf8' })
      .stdout
  expectSame(tsc('program.ts'), '', 'a program with the types')
  const found = [...tsc('mistakes.ts').matchAll(/^mistakes\.ts\((\d+)/gm)].map(match => Number(match[1]))
  const first = lines(TYPED).length + 2
  const wanted = lines(MISTAKES).map((_, at) => first + at)
  expectSame(
    [...new Set(found)].filter(line => line >= first),
    wanted,
    'the mistakes that are found',
  )
}

function profiles(): void {
  const stranger = caseworkerWith(bare, '', 'whoami')
  expectSame(stranger.status, 2, 'nobody')
  expectMatch(stranger.stderr, /there is no profile default: caseworker login/, 'nobody')
  const wrong = caseworkerWith(bare, 'cw_wrong\n', 'login', '--url', running.url)
  expectSame(wrong.status, 3, 'a wrong token')
  const login = caseworkerWith(bare, `${running.token}\n`, 'login', '--url', `${running.url}/`, '--profile', 'local')
  expectSame([login.status, login.stdout], [0, ''], `login: ${login.stderr}`)
  const stored = path.join(home, 'config/caseworker/profiles.json')
  expectSame(statSync(stored).mode & 0o777, 0o600, 'the mode of the file')
  const who = () =>
    JSON.parse(caseworkerWith(bare, '', 'whoami').stdout) as Record<'profile' | 'url' | 'role' | 'team', string>
  expectSame(
    [who().profile, who().url, who().role, who().team],
    ['local', running.url, 'admin', 'command_line'],
    'whoami',
  )
  expectSame(JSON.stringify(who()).includes(running.token), false, 'the token in whoami')
  caseworkerWith(bare, `${running.token}\n`, 'login', '--url', running.url, '--profile', 'second')
  expectSame(caseworkerWith(bare, '', 'profiles', 'local').stdout.includes('"profile":"local"'), true, 'profiles')
  expectSame(who().profile, 'local', 'the chosen profile')
  const elsewhere = caseworkerWith({ ...bare, CASEWORKER_URL: 'http://elsewhere.example' }, '', 'whoami')
  expectSame(elsewhere.status, 2, 'the token of a profile, for another server')
  expectSame(
    caseworkerWith({ ...bare, CASEWORKER_TOKEN: 'cw_other' }, '', 'whoami').status,
    3,
    'a variable before the profile',
  )
  const option = caseworkerWith({ ...bare, CASEWORKER_TOKEN: 'cw_other' }, '', 'whoami', '--token', running.token)
  expectSame(option.status, 0, 'an option before a variable')
  execFileSync('chmod', ['644', stored])
  expectMatch(
    caseworkerWith(bare, '', 'whoami').stderr,
    /warning: others may read .*chmod 600/,
    'a file that others may read',
  )
  expectSame(caseworkerWith(bare, '', 'logout', '--profile', 'second').status, 0, 'logout')
  expectSame(statSync(stored).mode & 0o777, 0o600, 'the mode of the file afterwards')
  expectSame(caseworkerWith(bare, '', 'whoami', '--profile', 'second').status, 2, 'a profile that is gone')
}

/** Lists what each installed shell would offer. */
function completion(): void {
  const offered = (...words: string[]) => lines(runCommand('complete', '--', ...words)).map(line => line.split('\t')[0])
  expectSame(offered('up'), ['update', 'upsert'], 'commands')
  expectSame(
    offered(),
    COMMANDS.map(({ name }) => name),
    'all commands',
  )
  expectSame(offered('list', 'lead', '--fo'), ['--format'], 'options')
  expectSame(offered('list', 'lead', '--format', 't'), ['table'], 'choices')
  expectSame(offered('list', 'lead', '--format=t'), ['--format=table'], 'choices behind an equals sign')
  expectSame(offered('list', 'lead', '--format', '=', 'cs'), ['csv'], 'choices, as bash splits them')
  expectSame(offered('list', 'lead', '--format', '=').length, 4, 'all choices, as bash splits them')
  expectSame(offered('list', 'le'), ['lead'], 'procedures')
  expectSame(offered('call', 'getH'), ['getHealth'], 'operations')
  expectSame(offered('bulk', 'lead', ''), [], 'files are for the shell')
  expectSame(offered('whoami', '--profile', ''), ['local'], 'profiles')
  for (const shell of ['bash', 'zsh', 'fish'])
    expectMatch(runCommand('completion', shell), /caseworker complete -- /, shell)
  const bash = `source <(caseworker completion bash); COMP_WORDS=(caseworker cou); COMP_CWORD=1; _caseworker; echo "\${COMPREPLY[@]}"`
  expectSame(execFileSync('bash', ['-c', bash], { env, encoding: 'utf8' }), 'count\n', 'bash')
  const fish = spawnSync('fish', ['-c', `caseworker completion fish | source; complete -C 'caseworker cou'`], {
    env,
    encoding: 'utf8',
  })
  if (fish.error === undefined) expectMatch(fish.stdout, /^count\tCount processes/, 'fish')
  const zsh = spawnSync(
    'zsh',
    ['-fc', 'autoload -U compinit; compinit -u -D; source <(caseworker completion zsh); echo $_comps[caseworker]'],
    { env, encoding: 'utf8' },
  )
  if (zsh.error === undefined) expectSame(zsh.stdout, '_caseworker\n', 'zsh')
}

try {
  help()
  typos()
  await exitCodes()
  processes()
  lists()
  updateByQuery()
  files()
  await workbooks()
  jobs()
  messages()
  webhooks()
  keys()
  team()
  types()
  used.add('listen')
  await listens(env)
  profiles()
  completion()
  const missing = COMMANDS.map(({ name }) => name).filter(name => !used.has(name))
  expectSame(missing, [], 'commands that nobody ran')
  console.log(`the command line, as scripts run it: ${heldExpectations()} checks`)
} finally {
  await running.stop()
  rmSync(home, { recursive: true, force: true })
}
