import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import {
  createBucket,
  createQueue,
  newAccount,
  putSecrets,
  refuseUnsplittable,
  uploadWorker,
} from './support/cloudflare-account.js'
import {
  account,
  type Config,
  counted,
  emulated,
  expect,
  expectMatch,
  getOwn,
  home,
  npmRun,
  read,
  readInstallationConfig,
  real,
  setUp,
  setUpWell,
  toHomePath,
} from './support/installations.ts'

/** An isolate that starts reads and runs all of it before the first response. */
const WORKER_BYTES_MAX = 1_500_000

// Sets installations up, again and again, with an emulated wrangler that takes no time. `test/wrangler.check.ts` shows that it
// answers as the real one does. What is generated is given to the real one: it builds the Worker, and finds the migrations.
try {
  dryRunWritesNothing()
  makesEverything()
  makesNothingTwice()
  standsBesideAnother()
  goesOnAfterAFailure()
  goesOnAfterAKill()
  keepsTheKey()
  saysThatItIsPaused()
  refusesMistakes()
  takesNoDomainAway()
  makesATeam()
  meetsRefusals()
  console.log(`installations set up, again, and beside each other: ${counted.checks} checks`)
} finally {
  rmSync(home, { recursive: true, force: true })
}

function dryRunWritesNothing(): void {
  const { calls, output } = setUpWell(['--name', 'acme', '--location', 'apac', '--dry-run'])
  expect(calls, [], 'calls of a dry run')
  expect(existsSync(toHomePath('installations')), false, 'a folder after a dry run')
  for (const command of [
    'wrangler d1 create caseworker-acme --location=apac --update-config=false',
    'wrangler queues create caseworker-acme-jobs-dead',
    'wrangler r2 bucket create caseworker-acme-media --location=apac --update-config=false',
    'wrangler d1 time-travel info DB --json --config installations/acme.toml',
    'wrangler d1 migrations apply DB --remote --config installations/acme.toml',
    'wrangler deploy --config installations/acme.toml --secrets-file installations/acme.secrets.json',
  ])
    expect(output.includes(command), true, command)
}

function makesEverything(): void {
  const env = toHomePath('acme.env')
  writeFileSync(
    env,
    'JOB_RETENTION_DAYS=60\nCALLS_PER_MINUTE_AGENT=600\nCLOUDFLARE_ACCOUNT_ID=0123456789abcdef0123456789abcdef\n',
  )
  const { output } = setUpWell([
    '--name',
    'acme',
    '--location',
    'apac',
    '--domain',
    'api.example.com',
    '--env-file',
    env,
  ])
  expectMatch(output, /deployed {2}https:\/\/api\.example\.com/, 'the address')
  const { databases, buckets, queues, secrets } = account()
  expect(
    databases.map(each => [each.name, each.location]),
    [['caseworker-acme', 'apac']],
    'databases',
  )
  expect(
    buckets.map(each => [each.name, each.location]),
    [
      ['caseworker-acme-media', 'apac'],
      ['caseworker-acme-archive', 'apac'],
    ],
    'buckets',
  )
  const config = readInstallationConfig('installations/acme.toml')
  const named = (config.queues.consumers ?? []).flatMap(each => [each.queue, each.dead_letter_queue ?? each.queue])
  expect([...new Set(named)].sort(), [...queues].sort(), 'queues')
  expect(config.d1_databases[0]?.database_id, databases[0]?.uuid, 'the id of the database')
  expect(config.account_id, '0123456789abcdef0123456789abcdef', 'the account')
  expect(config.routes, [{ pattern: 'api.example.com', custom_domain: true }], 'the domain')
  expect([config.workers_dev, config.preview_urls], [true, false], 'addresses at workers.dev')
  expect(config.vars.PUBLIC_ORIGIN, 'https://api.example.com', 'PUBLIC_ORIGIN')
  expect(config.vars.JOB_RETENTION_DAYS, '60', 'a setting of its own')
  const getCalls = ({ vars, ratelimits }: Config) => [
    vars.CALLS_PER_MINUTE,
    ratelimits.map(each => [each.name, each.simple.limit]),
  ]
  expect(
    getCalls(config),
    JSON.parse(
      JSON.stringify(getCalls(readInstallationConfig('wrangler.toml')))
        .replace('"agent":12000', '"agent":600')
        .replace('"RATE_AGENT",12000', '"RATE_AGENT",600'),
    ),
    'what an agent may call, told and enforced',
  )
  expect(
    config.vars.JOB_ARCHIVE_MINUTES,
    readInstallationConfig('wrangler.toml').vars.JOB_ARCHIVE_MINUTES,
    'a setting of the template',
  )
  expect([config.placement, config.vars.LOCATION], [{ region: 'aws:ap-southeast-1' }, 'apac'], 'where it runs')
  const { SECRETS_KEY = '' } = secrets['caseworker-acme'] ?? {}
  expect(Buffer.from(SECRETS_KEY, 'base64').byteLength, 32, 'the bytes of the key')
  expect(JSON.parse(read('acme.secrets.json')), { SECRETS_KEY }, 'the key that is kept')
  expect(statSync(toHomePath('installations', 'acme.secrets.json')).mode & 0o777, 0o600, 'who may read it')
  expect(read('acme.json').includes(SECRETS_KEY) || read('acme.toml').includes(SECRETS_KEY), false, 'the key elsewhere')
  const bundle = toHomePath('bundle')
  expectMatch(
    real('deploy', '--dry-run', '--config', 'installations/acme.toml', '--outdir', bundle),
    /env\.DB/,
    'a deployment',
  )
  expect(statSync(`${bundle}/index.js`).size <= WORKER_BYTES_MAX, true, 'a Worker of at most 1.5 MB')
  const migrations = ['d1', 'migrations', 'list', 'DB', '--local', '--persist-to', toHomePath('state')]
  expectMatch(real(...migrations, '--config', 'installations/acme.toml'), /0000_start\.sql/, 'the migrations')
}

function makesNothingTwice(): void {
  const things = () => {
    const { databases, queues, buckets, secrets } = account()
    return JSON.stringify({ databases, queues, buckets, secrets })
  }
  const [before, config] = [things(), read('acme.toml')]
  const { calls, output } = setUpWell(['--name', 'acme'])
  expect(things(), before, 'the account after another run')
  expect(read('acme.toml'), config, 'the configuration after another run')
  expect(
    calls.filter(call => /create (?!caseworker-acme-(media|archive))|secrets-file/.test(call)),
    [],
    'what another run makes',
  )
  const bookmark = calls.findIndex(call => call.startsWith('d1 time-travel info'))
  const migrations = calls.findIndex(call => call.startsWith('d1 migrations apply'))
  expect(bookmark >= 0 && bookmark < migrations, true, 'a bookmark before the migrations')
  expectMatch(output, /bookmark {2}0000-1, kept in installations\/acme\.bookmarks/, 'the bookmark')
  expectMatch(read('acme.bookmarks'), /^\d{4}-\d\d-\d\dT\S+Z 0000-1\n$/, 'the bookmark that is kept')
}

function standsBesideAnother(): void {
  setUpWell(['--name', 'acme-staging', '--location', 'weur'])
  const config = readInstallationConfig('installations/acme-staging.toml')
  expect([config.routes, config.vars.PUBLIC_ORIGIN], [undefined, ''], 'no domain')
  const own = ['wrangler.toml', 'installations/acme.toml', 'installations/acme-staging.toml'].map(getOwn)
  expect(new Set(own.flat()).size, own.flat().length, 'names and ids that two have')
  real('deploy', '--dry-run', '--config', 'installations/acme-staging.toml', '--outdir', toHomePath('bundle'))
}

function goesOnAfterAFailure(): void {
  const env = toHomePath('first.env')
  writeFileSync(env, 'ALERT_URL=https://hooks.example.com/T0\n')
  const failed = setUp(['--name', 'late', '--location', 'weur', '--env-file', env], { FAKE_FAILS: 'deploy' })
  expect(failed.status, 1, 'a failed deployment')
  expectMatch(failed.output, /Authentication error[\s\S]*run the same command again/, 'what is said of it')
  const { SECRETS_KEY, ...given } = JSON.parse(read('late.secrets.json')) as Record<string, string>
  expect(given, {}, 'what the caller has given, in a file that stays')
  expect(existsSync(toHomePath('installations', 'late.given.secrets.json')), false, 'a file of it after a failure')
  writeFileSync(toHomePath('installations', 'late.given.secrets.json'), '{}')
  const { calls } = setUpWell(['--name', 'late'])
  expect(existsSync(toHomePath('installations', 'late.given.secrets.json')), false, 'one that a killed run has left')
  expect(
    calls.filter(call => call.startsWith('d1 create')),
    [],
    'databases made again',
  )
  expect(account().secrets['caseworker-late'], { SECRETS_KEY }, 'the key of the run before')
  saysWhereTheKeyIs()
  // A look-up that fails does not mean that nothing is there.
  for (const command of ['d1 list', 'queues info', 'secret list']) {
    const { status, calls } = setUp(['--name', 'never', '--location', 'weur'], { FAKE_FAILS: command })
    expect([status, calls.at(-1)?.startsWith(command)], [1, true], `after a failed ${command}`)
  }
}

/** What the first run was killed over is there, where that was to make it: what was edited since does not move it. */
function goesOnAfterAKill(): void {
  const args = ['--name', 'halted', '--location', 'apac', '--domain', 'halted.example.com']
  const inItsAccount = { CLOUDFLARE_ACCOUNT_ID: '0123456789abcdef0123456789abcdef' }
  for (const moment of ['before', 'after']) {
    const { status, calls } = setUp(args, { ...inItsAccount, FAKE_INTERRUPTS: `SIGKILL ${moment} 1 d1 create` })
    expect([status, calls.at(-1)?.startsWith('d1 create')], [null, true], `killed ${moment} its database was made`)
  }
  const file = toHomePath('installations', 'halted.json')
  const record = read('halted.json')
  for (const [from, to, because] of [
    ['"apac"', '"weur"', /^halted is in apac for good .*installations\/halted\.json says weur/],
    ['"0123', '"4567', /^halted is in the account 0123\w+ \(.*installations\/halted\.json says 4567/],
  ] as const) {
    writeFileSync(file, record.replace(from, to))
    const { status, calls, output } = setUp(['--name', 'halted'])
    expect([status, calls], [2, []], `${to} that was edited after a kill`)
    expectMatch(output, because, 'why it is refused')
  }
  writeFileSync(file, record)
  setUpWell(['--name', 'halted'])
  const made = account().databases.filter(({ name }) => name === 'caseworker-halted')
  const { d1_databases: named } = readInstallationConfig('installations/halted.toml')
  expect(named[0]?.database_id, made[0]?.uuid, 'the database after two kills')
}

/** As long as the file is there: of a run that was killed, nothing else has said so. */
function saysWhereTheKeyIs(): void {
  const killed = setUp(['--name', 'killed', '--location', 'weur'], {
    FAKE_INTERRUPTS: 'SIGKILL after 1 deploy --config',
  })
  expect([killed.status, /secret/.test(killed.output)], [null, false], killed.output)
  const said = /^secret +SECRETS_KEY is in installations\/killed\.secrets\.json: keep it in a safe place/m
  const isSaid = () => said.test(setUpWell(['--name', 'killed']).output)
  expect([isSaid(), isSaid()], [true, true], 'where the key is, after a first deployment that was killed')
  const [file, moved] = ['killed.secrets.json', 'moved'].map(each => toHomePath('installations', each)) as [
    string,
    string,
  ]
  const rotation = toHomePath('installations', 'killed.rotation.secrets.json')
  writeFileSync(rotation, '{}')
  expect(isSaid(), false, 'while the key is being changed')
  rmSync(rotation)
  renameSync(file, moved)
  expect(isSaid(), false, 'where the key is, once it was moved away')
  rmSync(moved)
}

function keepsTheKey(): void {
  const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
  const env = toHomePath('late.env')
  const present = account().secrets['caseworker-late']?.SECRETS_KEY
  const refuses = (text: string, because: RegExp) => {
    writeFileSync(env, text)
    const before = account().secrets['caseworker-late']
    const { status, calls, output } = setUp(['--name', 'late', '--env-file', env])
    const made = calls.filter(call => /^(d1 migrations|deploy|secret (put|bulk|delete))/.test(call))
    expect([status, made, account().secrets['caseworker-late']], [2, [], before], text)
    expectMatch(output, because, `why ${text} is refused`)
  }
  refuses(`SECRETS_KEY=${key(1)}\n`, /has a SECRETS_KEY: [\s\S]*npm run admin -- rotate-key --installation late/)
  refuses(`SECRETS_KEY=${key(1)}\nSECRETS_KEY_PREVIOUS=${present}\n`, /has a SECRETS_KEY: [\s\S]*rotate-key/)
  writeFileSync(env, `SECRETS_KEY_PREVIOUS=${key(1)}\n`)
  setUpWell(['--name', 'late', '--env-file', env])
  const keys = { SECRETS_KEY: present, SECRETS_KEY_PREVIOUS: key(1) }
  expect(account().secrets['caseworker-late'], keys, 'a key that is read besides')
  refuses(`SECRETS_KEY_PREVIOUS=${key(2)}\n`, /has a SECRETS_KEY_PREVIOUS: [\s\S]*rotate-key/)
  expect(JSON.parse(read('late.secrets.json')), { SECRETS_KEY: present }, 'the key that was made and is kept')
  writeFileSync(
    env,
    'OPENID_ISSUER=https://id.example.com\nOPENID_CLIENT_ID=caseworker\nOPENID_CLIENT_SECRET=a%20b\nALERT_URL=https://hooks.example.com/T0\n',
  )
  setUpWell(['--name', 'late', '--env-file', env])
  const secrets = {
    ...keys,
    ALERT_URL: 'https://hooks.example.com/T0',
    OPENID_CLIENT_SECRET: 'a%20b',
  }
  expect(
    account().secrets['caseworker-late'],
    secrets,
    'the secret of the OpenID client, the address of alerts, and the keys',
  )
  const files = readdirSync(toHomePath('installations')).filter(file => file.startsWith('late.'))
  expect(files.join(' ').includes('given'), false, 'a file of secrets that the caller has')
}

function saysThatItIsPaused(): void {
  const said = /^paused +as before\. It ends by: +npm run admin -- resume --installation late$/m
  const turn = (verb: string, ...more: string[]) => npmRun('admin', [verb, '--installation', 'late', ...more]).status
  expect(turn('pause'), 0, 'a pause')
  expectMatch(setUpWell(['--name', 'late']).output, said, 'an update of what is paused')
  emulated(['secret', 'put', 'RESTORE_0A0A0A0A', '--config', toHomePath('installations', 'late.toml')], {})
  expectMatch(setUpWell(['--name', 'late']).output, /^closed +by a restore of late/m, 'an update of what is closed')
  expect(turn('resume', '--abandon-restore'), 0, 'its end')
  expect(/^(paused|closed)/m.test(setUpWell(['--name', 'late']).output), false, 'an update of what is open')
}

function refusesMistakes(): void {
  const env = toHomePath('wrong.env')
  const files = readdirSync(toHomePath('installations')).length
  const mistakes: [args: string[], envFile: string, because: RegExp][] = [
    [['--name', 'acme', '--location', 'weur'], '', /is in apac for good/],
    [['--name', 'acme'], 'CLOUDFLARE_ACCOUNT_ID=another', /acme is in the account 0123456789abcdef0123456789abcdef /],
    [['--name', 'new', '--location', 'apac'], 'ALERT_URL=hooks.example.com', /ALERT_URL must be the https/],
    [['--name', 'new'], '', /--location is required/],
    [['--name', 'New_One', '--location', 'apac'], '', /lower-case letters/],
    [['--name', 'new', '--location', 'mars'], '', /one of weur, eeur/],
    [['--name', 'new', '--location', 'apac'], 'LOCATION=weur', /unknown setting LOCATION/],
    [['--name', 'new', '--location', 'apac', '--domain', 'https://api.example.com'], '', /must be a host/],
    [['--name', 'new', '--location', 'apac', '--force'], '', /--force/],
    [['new', '--location', 'apac'], '', /unexpected argument "new"/],
    [
      ['--name', 'new', '--location', 'apac'],
      'JOB_RETENTION_DAY=3',
      /JOB_RETENTION_DAY; did you mean JOB_RETENTION_DAYS/,
    ],
    [['--name', 'new', '--location', 'apac'], 'CALLS_PER_MINUTE_ADMIN=many', /whole number/],
    [['--name', 'new', '--location', 'apac'], 'PUBLIC_ORIGIN=api.example.com', /PUBLIC_ORIGIN must be an origin/],
    [['--name', 'new', '--location', 'apac'], 'JOB_RETENTION_DAYS=0', /JOB_RETENTION_DAYS must be a whole number/],
    [['--name', 'new', '--location', 'apac'], 'SECRETS_KEY=short', /32 bytes/],
    [['--name', 'new', '--location', 'apac'], 'OPENID_ISSUER=http://id.example.com', /OPENID_ISSUER must be the https/],
    [['--name', 'new', '--location', 'apac'], 'OPENID_ISSUER=https://id.example.com', /OPENID_CLIENT_ID must be/],
  ]
  for (const [args, text, because] of mistakes) {
    writeFileSync(env, text)
    const { status, calls, output } = setUp([...args, ...(text === '' ? [] : ['--env-file', env])])
    expect([status, calls], [2, []], args.join(' '))
    expectMatch(output, because, args.join(' '))
    expectMatch(output, /\n\nHow it is used: {2}npm run setup -- --help\n$/, args.join(' '))
  }
  const missing = setUp(['--name', 'new', '--location', 'apac', '--env-file', '/nowhere/new.env'])
  expect(missing.calls, [], 'calls without the file of settings')
  expectMatch(missing.output, /^there is no file \/nowhere\/new\.env/, 'a file that is not there')
  const record = read('acme.json')
  writeFileSync(toHomePath('installations', 'acme.json'), record.replace('JOB_RETENTION_DAYS', 'JOB_RETENTION'))
  expectMatch(setUp(['--name', 'acme']).output, /acme\.json: unknown setting JOB_RETENTION/, 'a record with a mistake')
  // Where the database is was decided, whatever is edited.
  writeFileSync(toHomePath('installations', 'acme.json'), record.replace('"apac"', '"weur"'))
  const moved = setUp(['--name', 'acme'])
  expect([moved.status, moved.calls], [2, []], 'a location that was edited')
  expectMatch(moved.output, /^acme is in apac for good .*installations\/acme\.json says weur/, 'why it is refused')
  writeFileSync(toHomePath('installations', 'acme.json'), record)
  expect(readdirSync(toHomePath('installations')).length, files, 'files after mistakes')
  const template = readFileSync('wrangler.toml', 'utf8')
  writeFileSync(toHomePath('wrangler.toml'), `${template}\n[[kv_namespaces]]\nbinding = "KV"\nid = "1"\n`)
  const { output, calls } = setUp(['--name', 'acme'])
  expect(calls, [], 'calls with a template that cannot be used')
  expectMatch(output, /does not know the section kv_namespaces/, 'a binding that nobody thought of')
  writeFileSync(toHomePath('wrangler.toml'), template)
}

function makesATeam(): void {
  const { status, calls, output } = npmRun('team', ['create', 'Acme', '--installation', 'acme'])
  expect(status, 0, 'npm run team')
  expectMatch(output, /token +cw_\w+/, 'the token')
  const where = 'd1 execute DB --remote --config installations/acme.toml'
  expect(
    calls.filter(call => !/^[A-Z ]/.test(call)).every(call => call.startsWith(where)),
    true,
    `${calls}`,
  )
}

function takesNoDomainAway(): void {
  const domain = ['--domain', 'api.example.com']
  const ofAnother = setUp(['--name', 'acme-staging', ...domain])
  expect([ofAnother.status, ofAnother.calls], [2, []], 'the domain of another installation')
  expectMatch(ofAnother.output, /api\.example\.com is the domain of the installation acme/, 'whose it is')
  // Every name leads somewhere.
  const patch = `import dns from 'node:dns/promises'; import { syncBuiltinESMExports } from 'node:module';
    dns.lookup = async () => ({ address: '192.0.2.1', family: 4 }); syncBuiltinESMExports()`
  const resolved = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(patch)}` }
  const elsewhere = ['--name', 'acme-staging', '--domain', 'staging.example.com']
  const taken = setUp(elsewhere, resolved)
  expect([taken.status, taken.calls], [2, []], 'a domain that leads somewhere')
  expectMatch(taken.output, /staging\.example\.com leads somewhere already/, 'why it is refused')
  setUpWell([...elsewhere, '--replace-dns'], resolved)
  setUpWell(['--name', 'acme-staging'], resolved)
  expect(
    readInstallationConfig('installations/acme-staging.toml').vars.PUBLIC_ORIGIN,
    'https://staging.example.com',
    'a domain that is taken over',
  )
  const file = toHomePath('installations', 'acme-staging.json')
  const record = readFileSync(file, 'utf8')
  writeFileSync(file, record.replace('staging.example.com', 'www.example.com'))
  const edited = setUp(['--name', 'acme-staging'], resolved)
  expect([edited.status, edited.calls], [2, []], 'a domain that was edited, and leads somewhere')
  expectMatch(edited.output, /www\.example\.com leads somewhere already/, 'why that is refused')
  writeFileSync(file, record.replace('staging.example.com', 'staging.example.com:8443'))
  const noHost = setUp(['--name', 'acme-staging', '--replace-dns'])
  expect(noHost.calls, [], 'calls for a domain that was edited, and is no host')
  expectMatch(
    noHost.output,
    /acme-staging\.json: domain must be a host such as api\.example\.com/,
    'why that is refused',
  )
  writeFileSync(file, record)
}

/** The emulated account refuses what Cloudflare does; a deployment that it refuses says why. */
function meetsRefusals(): void {
  const template = readFileSync('wrangler.toml', 'utf8')
  const deployed = () => account().workers['caseworker-late']?.deployments[0]?.id
  const before = deployed()
  const class1 =
    template.match(/\[\[durable_objects\.bindings\]\]\nname = "TEAM_EVENTS"\nclass_name = "TeamEvents"\n/)?.[0] ?? ''
  const lastTag =
    template.match(/\[\[migrations\]\]\ntag = "team-events"\nnew_sqlite_classes = \["TeamEvents"\]\n/)?.[0] ?? ''
  const templates: [text: string, because: RegExp][] = [
    // A binding to a class that no migration has made.
    [template.replace(class1, class1.replaceAll('TeamEvents', 'Unknown')), /binding for class 'Unknown'.*10061/],
    // Tags that are not those that were deployed: wrangler sends all of them again.
    [template.replace(lastTag, ''), /'JobProgress' that is already depended on.*10074/],
    [`${template}\n${lastTag.replace('team-events', 'once-more')}`, /'TeamEvents' that is already.*10074/],
    [
      `${template}\n[[migrations]]\ntag = "gone"\ndeleted_classes = ["TeamEvents"]\n`,
      /binding for class 'TeamEvents'.*10061/,
    ],
    [`${template}\n[[migrations]]\ntag = "never"\ndeleted_classes = ["Never"]\n`, /unknown class 'Never'.*10073/],
  ]
  for (const [text, because] of templates) {
    expect(text === template, false, 'a template that differs')
    writeFileSync(toHomePath('wrangler.toml'), text)
    const { status, output } = setUp(['--name', 'late'])
    expect(status, 1, `${because}`)
    expectMatch(output, because, 'why it is refused')
    expect(deployed(), before, 'what is deployed')
  }
  writeFileSync(toHomePath('wrangler.toml'), template)
  const trigger = (body: string) => `CREATE TRIGGER t AFTER INSERT ON a ${body}`
  for (const [sql, isTaken] of [
    ["CREATE TABLE a (b text DEFAULT ';');\nINSERT INTO a VALUES (1);\n", true],
    [trigger('BEGIN INSERT INTO b VALUES (1); END;'), true],
    [trigger('BEGIN\n  INSERT INTO b VALUES (1);\nEND;'), false],
    [trigger('begin INSERT INTO b VALUES (1); end;'), false],
    ['CREATE TABLE a (b text);\r\nINSERT INTO a VALUES (1);', false],
    ['CREATE TABLE a (b text', false],
  ] as const)
    expect(
      catchRefusal(() => refuseUnsplittable(sql)),
      isTaken ? undefined : 7500,
      sql,
    )
  const empty = newAccount()
  createQueue(empty, 'jobs')
  createBucket(empty, { name: 'media' })
  for (const [act, code] of [
    [() => createQueue(empty, 'jobs'), 11009],
    [() => createQueue(empty, 'Jobs'), 11003],
    [() => createBucket(empty, { name: 'media' }), 10004],
    [() => createBucket(empty, { name: 'Media_files' }), 10005],
    [() => putSecrets(empty, 'nobody', { PAUSED: 'true' }), 10007],
    [
      () => uploadWorker(empty, 'w', { bindings: [{ type: 'queue', name: 'Q', queue_name: 'no' }], exported: [] }),
      100400,
    ],
    [() => uploadWorker(empty, 'w', { bindings: [{ type: 'd1', name: 'DB', id: 'no' }], exported: [] }), 10181],
    [() => uploadWorker(empty, 'w', { bindings: [], exported: [] }, false), 10007],
  ] as const)
    expect(catchRefusal(act), code, `${act}`)
}

function catchRefusal(act: () => unknown): number | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    return (error as { code?: number }).code
  }
}
