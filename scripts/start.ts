import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { newTeam, replaceFirstKey, selectTeam } from '../src/auth/new-team.ts'
import { seedDemo, seedMessaging } from './demo.ts'
import { lockState } from './lock.ts'
import { whyNot } from './ports.ts'
import { execute, query } from './sql.ts'
import { LOCAL, PORT, PROVIDER_PORT, STATE, spawnWrangler, wrangler } from './wrangler.ts'

// npm start: migrate the local database, make a demo team if there is none, start the Worker, say how to call it.
const URL_OF_API = `http://localhost:${PORT}`
const URL_OF_PROVIDER = `http://localhost:${PROVIDER_PORT}`
const TOKEN_FILE = path.join(STATE, 'demo-token')
const DEMO = 'demo'
const CRON_EVERY_MS = 15_000
// Locally the queue forgets what waits in it when it is stopped: jobs are to be taken up again soon after a start.
const JOB_SILENCE_MS = 3_000

const inTheWay = await whyNot([
  { port: PORT, of: 'the API' },
  { port: PROVIDER_PORT, of: 'the emulated WhatsApp' },
])
if (inTheWay !== undefined) {
  console.error(inTheWay)
  process.exit(1)
}
mkdirSync(STATE, { recursive: true })
const other = lockState(STATE)
if (other !== undefined) {
  console.error(`${STATE} is in use by process ${other}: end it, or choose another folder: STATE=${STATE}-2 npm start`)
  process.exit(1)
}
wrangler('d1', 'migrations', 'apply', 'DB', ...LOCAL)
const known = existsSync(TOKEN_FILE) ? readFileSync(TOKEN_FILE, 'utf8').trim() : undefined
const token = known ?? (await makeDemoTeam())

const quiet = [
  '--persist-to',
  STATE,
  '--inspector-port',
  '0',
  '--log-level',
  'error',
  '--show-interactive-dev-session=false',
]
const provider = spawnWrangler('dev', '-c', 'test/whatsapp/wrangler.toml', '--port', String(PROVIDER_PORT), ...quiet)
const worker = spawnWrangler(
  ...['dev', '--port', String(PORT), '--test-scheduled', ...quiet],
  ...[
    '--var',
    `WHATSAPP_API_URL:http://localhost:${PROVIDER_PORT}`,
    `SECRETS_KEY:${secretsKey()}`,
    `JOB_SILENCE_MS:${JOB_SILENCE_MS}`,
  ],
)
const children = [provider, worker]
let isAskedToEnd = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isAskedToEnd = true
    for (const child of children) child.kill('SIGTERM')
  })
let ended = 0
for (const child of children)
  child.on('exit', () => {
    ended += 1
    // One can't do without the other.
    for (const other of children) other.kill('SIGTERM')
    if (ended === children.length) process.exit(isAskedToEnd ? 0 : 1)
  })

await Promise.all([untilReady(`${URL_OF_API}/v1/health`), untilReady(`${URL_OF_PROVIDER}/control/settings`)])
if (known === undefined) {
  await seedDemo(URL_OF_API, token)
  await seedMessaging(URL_OF_API, URL_OF_PROVIDER, token)
  writeFileSync(TOKEN_FILE, token, { mode: 0o600 })
}
// Production has cron triggers; locally somebody must pull them.
const pullCron = () =>
  fetch(`${URL_OF_API}/__scheduled?cron=*+*+*+*+*`).then(
    response => response.text(),
    () => '',
  )
setInterval(pullCron, CRON_EVERY_MS)
await pullCron()

console.log(`
Caseworker is at  ${URL_OF_API}
The reference:  ${URL_OF_API}/docs
The emulated WhatsApp:  ${URL_OF_PROVIDER}/control/received (what it was sent; more in test/whatsapp/README.md)
A token of the demo team:  ${token}

List its newest leads:

curl -s ${URL_OF_API}/v1/ext/procedure/lead/process -H 'authorization: Bearer ${token}'
`)

/** The team may be there without its token, when the file was lost or an earlier start was cut off: then a new key is made. */
async function makeDemoTeam(): Promise<string> {
  const [team] = query(selectTeam(DEMO), LOCAL)
  const made = team ? await replaceFirstKey(team.no, team.user, Date.now()) : await newTeam(DEMO, Date.now())
  execute(made.statements, LOCAL)
  return made.token
}

/** Seals the tokens of the plugins; the same at every start, or what was sealed could not be opened. */
function secretsKey(): string {
  const file = path.join(STATE, 'secrets-key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

async function untilReady(address: string): Promise<void> {
  for (;;) {
    const response = await fetch(address).catch(() => undefined)
    if (response?.ok) return
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
