import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { seedCompany, seedDemo } from './demo.ts'
import { freshPages } from './fresh-pages.ts'
import { lockState } from './local/lock.ts'
import { makePast } from './local/past.ts'
import { portProblem } from './local/ports.ts'
import { LOCAL, PORT, PROVIDER_PORT, STATE, spawnWrangler, wrangler } from './wrangler.ts'

// npm start: migrates the local database, makes a demo team if there is none, starts the Worker and prints a first call.
const URL_OF_API = `http://localhost:${PORT}`
const URL_OF_PROVIDER = `http://localhost:${PROVIDER_PORT}`
const TOKEN_FILE = path.join(STATE, 'demo-token')
const DEMO = 'demo'
const CRON_EVERY_MS = 15_000
// The local queue loses its messages when it is stopped: jobs must resume soon after a start.
const JOB_SILENCE_MS = 3_000

const problem = await portProblem([
  { port: PORT, of: 'the API' },
  { port: PROVIDER_PORT, of: 'the emulated WhatsApp' },
])
if (problem !== undefined) {
  console.error(problem)
  process.exit(1)
}
mkdirSync(STATE, { recursive: true })
const other = lockState(STATE)
if (other !== undefined) {
  console.error(`${STATE} is in use by process ${other}: end it, or choose another folder: STATE=${STATE}-2 npm start`)
  process.exit(1)
}
freshPages()
console.log(`Making the local database ready in ${STATE} …`)
wrangler('d1', 'migrations', 'apply', 'DB', ...LOCAL)
const storedToken = existsSync(TOKEN_FILE) ? readFileSync(TOKEN_FILE, 'utf8').trim() : undefined
const token = storedToken ?? (await makePast(DEMO))

const devOptions = [
  '--persist-to',
  STATE,
  '--inspector-port',
  '0',
  '--log-level',
  'error',
  '--show-interactive-dev-session=false',
]
console.log('Starting the Worker and the emulated WhatsApp …')
const provider = spawnWrangler(
  'dev',
  '-c',
  'test/whatsapp/wrangler.toml',
  '--port',
  String(PROVIDER_PORT),
  ...devOptions,
)
const worker = spawnWrangler(
  ...['dev', '--port', String(PORT), '--test-scheduled', ...devOptions],
  ...[
    '--var',
    `WHATSAPP_API_URL:http://localhost:${PROVIDER_PORT}`,
    `SECRETS_KEY:${secretsKey()}`,
    `JOB_SILENCE_MS:${JOB_SILENCE_MS}`,
    'LOG_SUCCESS_PERCENT:100',
    'REQUEST_READS_PERCENT:100',
    'REQUEST_BATCH_SECONDS:2',
    'WEBHOOK_LOCAL_ADDRESSES:true',
    ...openIdSettingsGiven(),
    // The one team of a local installation may have all of its database.
    'TEAM_DATABASE_MS_PER_SECOND:1000000',
    'TEAM_DATABASE_BURST_MS:1000000',
  ],
)
const children = [provider, worker]
let isStopping = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isStopping = true
    for (const child of children) child.kill('SIGTERM')
  })
let endedChildren = 0
for (const child of children)
  child.on('exit', () => {
    endedChildren += 1
    // Each needs the other: if one ends, both end.
    for (const other of children) other.kill('SIGTERM')
    if (endedChildren === children.length) process.exit(isStopping ? 0 : 1)
  })

await Promise.all([untilReady(`${URL_OF_API}/v1/health`), untilReady(`${URL_OF_PROVIDER}/control/settings`)])
if (storedToken === undefined) {
  console.log('Making the demo team …')
  const place = { url: URL_OF_API, provider: URL_OF_PROVIDER, token }
  await seedDemo(place)
  await seedCompany(place)
  writeFileSync(TOKEN_FILE, token, { mode: 0o600 })
}
// Cloudflare runs the cron trigger; wrangler dev does not.
const triggerCron = () =>
  fetch(`${URL_OF_API}/__scheduled?cron=*+*+*+*+*`).then(
    response => response.text(),
    () => '',
  )
setInterval(triggerCron, CRON_EVERY_MS)
await triggerCron()

console.log(`
Caseworker is at  ${URL_OF_API}
Sign in:  ${await signInLink()} (once, within an hour)
API reference:  ${URL_OF_API}/docs
The emulated WhatsApp:  ${URL_OF_PROVIDER}/control/received (messages it received; see test/whatsapp/README.md)

For the examples of README and guides, in another terminal:

export API=${URL_OF_API} TOKEN=${token}

The newest leads:

curl -s ${URL_OF_API}/v1/ext/procedure/lead/process -H 'authorization: Bearer ${token}'
`)

async function signInLink(): Promise<string> {
  const call = async <Data>(method: string, address: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${URL_OF_API}/v1/ext/${address}`, { method, headers })
    return ((await response.json()) as { _data: Data })._data
  }
  const { user } = await call<{ user: { id: string } }>('GET', 'me')
  return (await call<{ url: string }>('POST', `user/${user.id}/sign-in-link`)).url
}

/** To try a provider: `OPENID_ISSUER=… OPENID_CLIENT_ID=… npm start`. */
function openIdSettingsGiven(): string[] {
  const names = ['OPENID_ISSUER', 'OPENID_CLIENT_ID', 'OPENID_NAME', 'OPENID_CLIENT_SECRET']
  return names.flatMap(name => (process.env[name] ? [`${name}:${process.env[name]}`] : []))
}

/** The key that encrypts the plugins' tokens. It stays the same, or stored tokens could not be decrypted. */
function secretsKey(): string {
  const file = path.join(STATE, 'secrets-key')
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** Waits until it answers. What it refuses to start with, such as a wrong setting, is printed, and ends the start. */
async function untilReady(address: string): Promise<void> {
  for (;;) {
    const response = await fetch(address).catch(() => undefined)
    if (response?.ok) return
    if (response?.headers.get('content-type')?.startsWith('application/json')) {
      const { _errors } = (await response.json()) as { _errors: string[] }
      console.error(_errors.join('\n'))
      for (const child of children) child.kill('SIGTERM')
    }
    await new Promise(resolve => setTimeout(resolve, 100))
  }
}
