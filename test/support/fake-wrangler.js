import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import {
  createBucket,
  createDatabase,
  createQueue,
  deployedVersion,
  deployVersions,
  getWorker,
  migrationsSince,
  newAccount,
  putSecrets,
  putVersionSecrets,
  Refusal,
  refuseUnsplittable,
  showDeployment,
  showVersion,
  uploadWorker,
  versionOf,
} from './cloudflare-account.js'

// Stands in for wrangler 4.86 where there is no account: keeps one in the file FAKE_ACCOUNT, appends each call to it, and
// prints what the real one prints. It prints the port at which it takes the commands of fake-wrangler.sh, one at a time, and ends
// with whoever started it: to start a Node for each was most of what a check took. FAKE_FAILS is a command that fails, with an
// error of no known kind, by its name or by all its words; FAKE_LOSES one that is done, and whose reply is lost. FAKE_INTERRUPTS, `<signal> <before or after> <nth>
// <command>`, interrupts whoever runs it, and fake-wrangler.sh, as Ctrl-C does. With FAKE_DATABASE, an address, the database is a
// real one, which installation-database.ts keeps there; a bookmark is a copy of it. What Cloudflare refuses stands in
// cloudflare-account.js.
let call = { pid: 0, parent: 0, input: '', args: [], env: {} }
let account = newAccount()
let printed = ''

const option = name =>
  call.args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ??
  (call.args.includes(`--${name}`) ? call.args[call.args.indexOf(`--${name}`) + 1] : undefined)
function print(text) {
  printed += `${text}\n`
}
class Failure extends Error {}
function fail(text) {
  throw new Failure(`\n✘ [ERROR] ${text}\n\n`)
}
const configText = () => readFileSync(option('config'), 'utf8')
const worker = () => /^name = "(.*)"$/m.exec(configText())[1]
const fileOf = named => path.join(path.dirname(option('config')), named)
const json = value => print(JSON.stringify(value, null, 2))

/** The tables of a list in the configuration: `[[queues.producers]]` and the like. To read it by wrangler itself takes a second. */
const tablesOf = section =>
  [...configText().matchAll(new RegExp(`^\\[\\[${section}\\]\\]\\n((?:\\w.*\\n|#.*\\n)*)`, 'gm'))].map(([, lines]) =>
    Object.fromEntries(
      [...lines.matchAll(/^(\w+) = (".*"|\[.*\])$/gm)].map(([, key, value]) => [key, JSON.parse(value)]),
    ),
  )
const BINDINGS = {
  d1: ['d1_databases', each => ({ name: each.binding, id: each.database_id })],
  r2_bucket: ['r2_buckets', each => ({ name: each.binding, bucket_name: each.bucket_name })],
  queue: ['queues.producers', each => ({ name: each.binding, queue_name: each.queue })],
  durable_object_namespace: ['durable_objects.bindings', each => each],
}

/** Collects the content of an upload: the bindings of the configuration, and the classes that the code exports. */
function uploadOf() {
  const given = option('secrets-file')
  const code = readFileSync(fileOf(/^main = "(.*)"$/m.exec(configText())[1]), 'utf8')
  return {
    bindings: Object.entries(BINDINGS).flatMap(([type, [section, toBinding]]) =>
      tablesOf(section).map(each => ({ type, ...toBinding(each) })),
    ),
    exported: [...code.matchAll(/^export (?:\{ (\w+) \}|class (\w+))/gm)].map(([, named, own]) => named ?? own),
    migrations: migrationsSince(tablesOf('migrations'), account.workers[worker()]?.migrationTag),
    secrets: given === undefined ? {} : JSON.parse(readFileSync(given, 'utf8')),
    tag: option('tag'),
    message: option('message'),
  }
}

/** What of the configuration is of no version: which queues deliver to the Worker. */
function applyTriggers() {
  const own = tablesOf('queues.consumers').map(({ queue }) => queue)
  account.consumed = [...new Set([...(account.consumed ?? []), ...own])]
}

const deployments = () => getWorker(account, worker()).deployments.map(showDeployment)
const oldestFirst = (list, max) => list.slice(0, max).reverse()

const hasDatabase = () => call.env.FAKE_DATABASE !== undefined

/** Returns the effect on the database; without one it is as empty as `otherwise` says. */
async function inDatabase(order, text, otherwise) {
  if (!hasDatabase()) return otherwise
  const response = await fetch(`${call.env.FAKE_DATABASE}/${order}`, { method: 'POST', body: text })
  const said = await response.text()
  if (response.status !== 200) fail(said)
  return JSON.parse(said)
}

/** The last one before a moment. */
const bookmarkBefore = time => account.moments?.filter(each => each.at <= Date.parse(time)).at(-1)?.bookmark

const TIME_TRAVEL = {
  info: async () => {
    const moment = option('timestamp')
    if (moment !== undefined) {
      const bookmark = hasDatabase() ? bookmarkBefore(moment) : '0000-then'
      if (bookmark === undefined) fail('Invalid timestamp')
      return json({ bookmark })
    }
    const bookmark = `0000-${++account.bookmarks}`
    if (hasDatabase()) account.moments = [...(account.moments ?? []), { at: Date.now(), bookmark }]
    await inDatabase('keep', bookmark)
    json({ bookmark })
  },
  restore: async () => {
    const bookmark = option('bookmark') ?? bookmarkBefore(option('timestamp'))
    if (bookmark === undefined) fail('Invalid timestamp')
    await inDatabase('restore', bookmark)
    json({ bookmark, previous_bookmark: '0000-before' })
  },
}

/** The progress of the cron in repeating erasures: all of it, by default. */
const getCron = () => `REPLACE INTO maintenance_position (task, team, position, rest_until)
  VALUES ('restore', 0, '${Date.now()}', 0), ('erase again', 0, '${call.env.FAKE_REPLAY ?? 'done'}', 0)`

function refuseMissingQueue(name) {
  if (!account.queues.includes(name))
    fail(`Queue "${name}" does not exist. To create it, run: wrangler queues create ${name}`)
}

const COMMANDS = {
  'd1 list': () => print(JSON.stringify(account.databases, null, 2)),
  'd1 create': ([name]) => {
    const location = option('location')
    createDatabase(account, { name, location })
    print(`✅ Successfully created DB '${name}' using primary location hint ${location}`)
    print('Created your new D1 database.\n')
  },
  'd1 time-travel': ([verb]) => TIME_TRAVEL[verb](),
  'd1 migrations': async () => {
    const folder = fileOf(/^migrations_dir = "(.*)"$/m.exec(configText())[1])
    for (const file of readdirSync(folder).filter(name => name.endsWith('.sql')))
      refuseUnsplittable(readFileSync(path.join(folder, file), 'utf8'))
    const many = await inDatabase('migrate', '', 0)
    print(`Resource location: remote \n\n✅ ${many === 0 ? 'No migrations to apply!' : `${many} migrations applied`}`)
  },
  'd1 execute': async () =>
    json(
      await inDatabase(
        'execute',
        option('command'),
        // One result a statement, as Cloudflare answers.
        option('command')
          .split(';\n')
          .map(() => ({ results: [], success: true, meta: {} })),
      ),
    ),
  'queues info': ([name]) => {
    refuseMissingQueue(name)
    const consumers = (account.consumed ?? []).includes(name) ? 1 : 0
    print(`Queue Name: ${name}\nQueue ID: 0123\nNumber of Producers: 1\nNumber of Consumers: ${consumers}`)
  },
  'queues create': ([name]) => {
    createQueue(account, name)
    print(`🌀 Creating queue '${name}'\n✅ Created queue '${name}'`)
  },
  'queues pause-delivery': ([name]) => {
    refuseMissingQueue(name)
    account.paused = [...new Set([...account.paused, name])]
    print(`Paused message delivery for queue ${name}.`)
  },
  'queues resume-delivery': ([name]) => {
    refuseMissingQueue(name)
    account.paused = account.paused.filter(each => each !== name)
    print(`Resumed message delivery for queue ${name}.`)
  },
  'r2 bucket': ([, name]) => {
    createBucket(account, { name, location: option('location') })
    print(`Creating bucket '${name}'...\n✅ Created bucket '${name}' with default storage class of Standard.`)
  },
  'secret list': () => {
    if (!account.workers[worker()])
      fail(`Worker "${worker()}" not found.\n\nIf this is a new Worker, run \`wrangler deploy\` first to create it.`)
    json(
      Object.keys(deployedVersion(getWorker(account, worker())).secrets).map(name => ({ name, type: 'secret_text' })),
    )
  },
  'versions secret': ([verb, name]) => {
    const value = verb === 'put' ? call.input : undefined
    const message = option('message') ?? `${verb === 'put' ? 'Updated' : 'Deleted'} secret "${name}"`
    const { id } = putVersionSecrets(account, worker(), { [name]: value }, message)
    const what = verb === 'put' ? 'secret' : 'deleted secret'
    print(`✨ Success! Created version ${id} with ${what} ${name}.\n➡️  To deploy this version … use the command …`)
  },
  'versions list': () => json(oldestFirst(getWorker(account, worker()).versions, 100).map(showVersion)),
  'versions view': ([id]) => json(showVersion(versionOf(getWorker(account, worker()), id))),
  'versions upload': () => {
    const { id } = uploadWorker(account, worker(), uploadOf(), false)
    print(`Worker Startup Time: 10 ms\nUploaded ${worker()} (3.14 sec)\nWorker Version ID: ${id}`)
  },
  'versions deploy': () => {
    const specs = call.args.filter(arg => /^[0-9a-f-]{36}@/.test(arg)).map(arg => arg.split('@'))
    deployVersions(
      account,
      worker(),
      specs.map(([version_id, share]) => ({ version_id, percentage: Number.parseFloat(share) })),
    )
    print(`SUCCESS  Deployed ${worker()}`)
  },
  'deployments list': () => json(oldestFirst(deployments(), 10)),
  'deployments status': () => json(deployments()[0]),
  // Without a terminal wrangler continues, although secrets have changed.
  rollback: () => {
    deployVersions(account, worker(), [{ version_id: call.args[1], percentage: 100 }], true)
    print(`SUCCESS  Worker Version ${call.args[1]} has been deployed to 100% of traffic.`)
  },
  'secret put': ([name]) => {
    const value = call.input
    putSecrets(account, worker(), { [name]: value })
    print(`✨ Success! Uploaded secret ${name}`)
  },
  // A minute later, the cron of the Worker has run, unless FAKE_CRON says otherwise.
  'secret bulk': async () => {
    const values = JSON.parse(call.input)
    putSecrets(account, worker(), values)
    for (const name of Object.keys(values)) print(`✨ Successfully created secret for key: ${name}`)
    const { SECRETS_KEY, SECRETS_KEY_PREVIOUS } = account.secrets[worker()]
    if (call.env.FAKE_CRON !== 'off' && 'SECRETS_KEY' in values)
      await inDatabase('reencrypt', JSON.stringify({ SECRETS_KEY, SECRETS_KEY_PREVIOUS }))
  },
  // Without a terminal it asks nothing.
  'secret delete': ([name]) => {
    putSecrets(account, worker(), { [name]: undefined })
    print(`✨ Success! Deleted secret ${name}`)
  },
  'triggers deploy': () => {
    getWorker(account, worker())
    applyTriggers()
    print(`Deployed ${worker()} triggers (0.51 sec)`)
  },
  deploy: () => {
    const { id } = uploadWorker(account, worker(), uploadOf())
    applyTriggers()
    print(`Uploaded ${worker()} (3.14 sec)\nDeployed ${worker()} triggers (0.51 sec)`)
    print(`  https://${worker()}.acme-inc.workers.dev\nCurrent Version ID: ${id}`)
  },
}

function interruptIf(now) {
  const { FAKE_ACCOUNT, FAKE_INTERRUPTS = '' } = call.env
  const [signal, moment, nth, ...interrupted] = FAKE_INTERRUPTS.split(' ')
  const isMeant = line => signal !== '' && line.startsWith(interrupted.join(' '))
  const calls = readFileSync(`${FAKE_ACCOUNT}.calls`, 'utf8').trim().split('\n')
  if (now !== moment || !isMeant(call.args.join(' ')) || calls.filter(isMeant).length !== Number(nth)) return false
  for (const pid of [call.parent, call.pid]) process.kill(pid, signal)
  return true
}
const pausedOf = () => (option('config') === undefined ? undefined : account.secrets[worker()]?.PAUSED)

/** Returns false if whoever ran the command was interrupted, and hears nothing of it. */
async function run() {
  const { args, env } = call
  const file = env.FAKE_ACCOUNT
  account = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : newAccount()
  appendFileSync(`${file}.calls`, `${args.join(' ')}\n`)
  const two = args.slice(0, 2).join(' ')
  const command = two in COMMANDS ? two : (args[0] ?? '')
  if (env.FAKE_FAILS === command || env.FAKE_FAILS === args.join(' '))
    fail('A request to the Cloudflare API (/memberships) failed.\n\n  Authentication error [code: 10000]')
  if (interruptIf('before')) return false
  const pausedBefore = pausedOf()
  try {
    await COMMANDS[command](args.slice(2))
    // A minute later, the cron of the Worker has run.
    if (pausedOf() === 'restored' && pausedBefore !== 'restored') await inDatabase('execute', getCron())
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    fail(`A request to the Cloudflare API (/accounts/1/…) failed.\n\n  ${error.message} [code: ${error.code}]`)
  }
  writeFileSync(file, JSON.stringify(account))
  if (interruptIf('after')) return false
  if (env.FAKE_LOSES !== undefined && args.join(' ').startsWith(env.FAKE_LOSES)) fail('fetch failed')
  return true
}

/** Returns the reply: the status, the bytes of both outputs, and these. */
async function answer(asked) {
  call = asked
  printed = ''
  let failure = ''
  try {
    if (!(await run())) return ''
  } catch (error) {
    failure = error instanceof Failure ? error.message : `${error.stack}\n`
  }
  const bytes = [printed, failure].map(text => Buffer.byteLength(text))
  return `${failure === '' ? 0 : 1} ${bytes.join(' ')}\n${printed}${failure}`
}

/** Each field ends with a zero byte; the first is how many follow. Undefined until all are there. */
function readCall(text) {
  const fields = text.split('\0')
  const [many, pid, parent, input, argsMany, ...others] = fields
  if (fields.length < Number(many) + 2) return undefined
  const args = others.slice(0, Number(argsMany))
  const env = Object.fromEntries(others.slice(args.length, -1).map(each => each.split(/=(.*)/s, 2)))
  return { pid: Number(pid), parent: Number(parent), input, args, env }
}

let before = Promise.resolve()
const server = createServer(socket => {
  let text = ''
  // Who was interrupted is gone.
  socket.on('error', () => {})
  socket.setEncoding('utf8').on('data', data => {
    text += data
    const asked = readCall(text)
    if (asked !== undefined) before = before.then(async () => socket.end(await answer(asked)))
  })
}).listen(0, '127.0.0.1', () => console.log(server.address().port))
process.stdin.resume().once('end', () => process.exit(0))
