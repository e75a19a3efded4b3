import { spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

// Stands in for wrangler 4.86 where there is no account: keeps one in the file FAKE_ACCOUNT, appends each call to it, and
// prints what the real one prints. FAKE_FAILS is a command that fails, with an error of no known kind. With FAKE_DATABASE, a
// folder, the database is a real one, which wrangler keeps there; a bookmark is a copy of it.
const FILE = process.env.FAKE_ACCOUNT
const args = process.argv.slice(2)
const account = existsSync(FILE)
  ? JSON.parse(readFileSync(FILE, 'utf8'))
  : { databases: [], queues: [], buckets: [], secrets: {}, bookmarks: 0, paused: [] }

appendFileSync(`${FILE}.calls`, `${args.join(' ')}\n`)

const option = name =>
  args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ??
  (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : undefined)
const print = text => console.log(text)
function fail(text) {
  console.error(`\n✘ [ERROR] ${text}\n`)
  process.exit(1)
}
const worker = () => /^name = "(.*)"$/m.exec(readFileSync(option('config'), 'utf8'))[1]

const DATABASE = process.env.FAKE_DATABASE
const copyOf = bookmark => `${DATABASE}-${bookmark}`

/** In the database on this machine, by the real wrangler; without one it answers as an empty database does. */
function inDatabase(given, otherwise) {
  if (DATABASE === undefined) return print(otherwise)
  const local = given.flatMap(arg => (arg === '--remote' ? ['--local', '--persist-to', DATABASE] : [arg]))
  const { status, stdout, stderr } = spawnSync(process.execPath, [process.env.REAL_WRANGLER, ...local], {
    env: { ...process.env, CI: 'true' },
    encoding: 'utf8',
  })
  if (status !== 0) fail(stdout + stderr)
  process.stdout.write(stdout)
}

/** The last one before a moment. */
const bookmarkBefore = time => account.moments?.filter(each => each.at <= Date.parse(time)).at(-1)?.bookmark

const TIME_TRAVEL = {
  info: () => {
    const bookmark = `0000-${++account.bookmarks}`
    if (DATABASE !== undefined && existsSync(DATABASE)) {
      account.moments = [...(account.moments ?? []), { at: Date.now(), bookmark }]
      cpSync(DATABASE, copyOf(bookmark), { recursive: true })
    }
    print(JSON.stringify({ bookmark }, null, 2))
  },
  restore: () => {
    const bookmark = option('bookmark') ?? bookmarkBefore(option('timestamp'))
    if (bookmark === undefined) fail('Invalid timestamp')
    rmSync(DATABASE, { recursive: true })
    cpSync(copyOf(bookmark), DATABASE, { recursive: true })
    print(JSON.stringify({ bookmark, previous_bookmark: '0000-before' }, null, 2))
  },
}

const CRON =
  "REPLACE INTO maintenance_position (task, team, position, rest_until) VALUES ('restore', 0, '%', 0), ('erase again', 0, 'done', 0)"

const COMMANDS = {
  'd1 list': () => print(JSON.stringify(account.databases, null, 2)),
  'd1 create': ([name]) => {
    if (account.databases.some(each => each.name === name)) fail('A database with that name already exists')
    const location = option('location')
    account.databases.push({ uuid: crypto.randomUUID(), name, version: 'production', location })
    print(`✅ Successfully created DB '${name}' using primary location hint ${location}`)
    print('Created your new D1 database.\n')
  },
  'd1 time-travel': ([verb]) => TIME_TRAVEL[verb](),
  'd1 migrations': () => inDatabase(args, 'Resource location: remote \n\n✅ No migrations to apply!'),
  'd1 execute': () => inDatabase(args, JSON.stringify([{ results: [], success: true, meta: {} }], null, 2)),
  'queues info': ([name]) => {
    if (!account.queues.includes(name))
      fail(`Queue "${name}" does not exist. To create it, run: wrangler queues create ${name}`)
    print(`Queue Name: ${name}\nQueue ID: 0123\nNumber of Producers: 1\nNumber of Consumers: 1`)
  },
  'queues create': ([name]) => {
    if (account.queues.includes(name))
      fail(
        `A request to the Cloudflare API (/accounts/1/queues) failed.\n\n  Queue name '${name}' is already taken. [code: 11009]`,
      )
    account.queues.push(name)
    print(`🌀 Creating queue '${name}'\n✅ Created queue '${name}'`)
  },
  'queues pause-delivery': ([name]) => {
    account.paused = [...new Set([...account.paused, name])]
    print(`Paused message delivery for queue ${name}.`)
  },
  'queues resume-delivery': ([name]) => {
    account.paused = account.paused.filter(each => each !== name)
    print(`Resumed message delivery for queue ${name}.`)
  },
  'r2 bucket': ([, name]) => {
    if (account.buckets.some(each => each.name === name))
      fail(
        'A request to the Cloudflare API (/accounts/1/r2/buckets) failed.\n\n  The bucket you tried to create already exists, and you own it. [code: 10004]',
      )
    account.buckets.push({ name, location: option('location') })
    print(`Creating bucket '${name}'...\n✅ Created bucket '${name}' with default storage class of Standard.`)
  },
  'secret list': () => {
    const secrets = account.secrets[worker()]
    if (secrets === undefined)
      fail(`Worker "${worker()}" not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`)
    print(
      JSON.stringify(
        Object.keys(secrets).map(name => ({ name, type: 'secret_text' })),
        null,
        '  ',
      ),
    )
  },
  'secret put': ([name]) => {
    const value = readFileSync(0, 'utf8')
    account.secrets[worker()] = { ...account.secrets[worker()], [name]: value }
    print(`✨ Success! Uploaded secret ${name}`)
    // A minute later, the cron of the Worker has run.
    if (name === 'PAUSED' && value === 'restored') {
      const command = ['--command', CRON.replace('%', String(Date.now()))]
      inDatabase(['d1', 'execute', 'DB', '--remote', '--config', option('config'), '--json', ...command], '')
    }
  },
  deploy: () => {
    const file = option('secrets-file')
    const given = file === undefined ? {} : JSON.parse(readFileSync(file, 'utf8'))
    account.secrets[worker()] = { ...account.secrets[worker()], ...given }
    print(`Uploaded ${worker()} (3.14 sec)\nDeployed ${worker()} triggers (0.51 sec)`)
    print(`  https://${worker()}.acme-inc.workers.dev\nCurrent Version ID: ${crypto.randomUUID()}`)
  },
}

const two = args.slice(0, 2).join(' ')
const command = two in COMMANDS ? two : (args[0] ?? '')
if (process.env.FAKE_FAILS === command)
  fail('A request to the Cloudflare API (/memberships) failed.\n\n  Authentication error [code: 10000]')
COMMANDS[command](args.slice(2))
writeFileSync(FILE, JSON.stringify(account))
