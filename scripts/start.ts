import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { readArguments } from './arguments.ts'
import { freshPages } from './fresh-pages.ts'
import { bundleWorker } from './local/bundle.ts'
import { lockState } from './local/lock.ts'
import { DATA_FOLDER, readPlace } from './local/place.ts'
import { portProblem } from './local/ports.ts'
import { makePrivateFolder } from './local/private-folder.ts'
import { announceStart, operatorTokenFile } from './local/running.ts'
import type { LocalServer } from './local/server.ts'
import { superviseRuntime } from './local/supervise.ts'

// npm start: migrates the local database, makes a demo team if there is none, starts the Worker and prints a first call.
const HELP = `npm start: the API with a demo team and an emulated WhatsApp, on this machine. Ctrl-C stops everything; the next start keeps the data.

Environment variables:
  PORT   the port of the API, 8787 if none is given; the emulated WhatsApp gets the next one
  STATE  the folder of local data, .wrangler/state if none is given: the database, files, the token of the demo team
  OPERATOR_TOKEN
         the secret of the operator's routes; if none is given, one is made, which npm run team finds by itself
  OPENID_ISSUER, OPENID_CLIENT_ID, OPENID_NAME, OPENID_CLIENT_SECRET
         a provider to sign in with`
const { port: PORT, state: STATE } = readPlace()
/** The port of the emulated WhatsApp. */
const PROVIDER_PORT = PORT + 1
const URL_OF_API = `http://localhost:${PORT}`
const URL_OF_PROVIDER = `http://localhost:${PROVIDER_PORT}`
const TOKEN_FILE = path.join(STATE, 'demo-token')
const DEMO = 'demo'
const CRON_EVERY_MS = 15_000
// The local queue loses its messages when it is stopped: jobs must resume soon after a start.
const JOB_TUNING = { resendAfterMs: 3_000 }
const REQUEST_LOG_TUNING = { batchMs: 2_000 }

readArguments(HELP)
const problem = await portProblem([
  { port: PORT, of: 'the API' },
  { port: PROVIDER_PORT, of: 'the emulated WhatsApp' },
])
if (problem !== undefined) fail(problem)
makePrivateFolder(STATE, DATA_FOLDER)
const other = lockState(STATE)
if (other !== undefined)
  fail(`${STATE} is in use by process ${other}: end it, or choose another folder: STATE=${STATE}-2 npm start`)

let server: LocalServer | undefined
// An exit ends each runtime: Miniflare sees to that, and where it cannot, `superviseRuntime`.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(0))
superviseRuntime(cause => {
  if (server !== undefined) fail(`workerd, which runs the Workers, has ended (${cause}), and so has npm start`)
})
process.on('uncaughtException', error => fail(error))
process.on('unhandledRejection', error => fail(error))

await start().catch((error: unknown) => fail(error))

async function start(): Promise<void> {
  freshPages()
  console.log(`Making the local database ready in ${STATE} …`)
  // A process of its own makes the bundle meanwhile. Its failure is thrown where it is awaited.
  const script = bundleWorker('src/index.ts')
  script.catch(() => {})
  const { prepareDatabase } = await import('./local/prepare.ts')
  const storedToken = existsSync(TOKEN_FILE) ? readFileSync(TOKEN_FILE, 'utf8').trim() : undefined
  const token = (await prepareDatabase(storedToken === undefined ? DEMO : undefined)) ?? storedToken ?? ''

  console.log('Starting the Worker and the emulated WhatsApp …')
  const { startServer } = await import('./local/server.ts')
  server = await startServer({ port: PORT, script, settings: createSettings() })
  await checkHealth()
  announceStart({ pid: process.pid, port: PORT, state: STATE })
  if (storedToken === undefined) {
    const { seedTeam } = await import('./demo.ts')
    await seedTeam({ url: URL_OF_API, provider: URL_OF_PROVIDER, token })
    writeFileSync(TOKEN_FILE, token, { mode: 0o600 })
  }
  const { triggerCron } = server
  setInterval(() => void triggerCron().catch(() => {}), CRON_EVERY_MS)
  await triggerCron()
  console.log(formatFirstSteps(token, await createSignInLink(token)))
}

function formatFirstSteps(token: string, signInLink: string): string {
  return `
Caseworker is at  ${URL_OF_API}
Sign in:  ${signInLink} (once, within an hour)
API reference:  ${URL_OF_API}/docs
The emulated WhatsApp:  ${URL_OF_PROVIDER}/control/received (messages it received; see test/whatsapp/README.md)

For the examples of README and guides, in another terminal:

export API=${URL_OF_API} TOKEN=${token}

The newest leads:

curl -s ${URL_OF_API}/v1/ext/procedure/lead/process -H 'authorization: Bearer ${token}'
`
}

async function createSignInLink(token: string): Promise<string> {
  const call = async <Data>(method: string, address: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const response = await fetch(`${URL_OF_API}/v1/ext/${address}`, { method, headers })
    return ((await response.json()) as { _data: Data })._data
  }
  const { user } = await call<{ user: { id: string } }>('GET', 'me')
  return (await call<{ url: string }>('POST', `user/${user.id}/sign-in-link`)).url
}

function createSettings(): Record<string, string | object> {
  return {
    WHATSAPP_API_URL: URL_OF_PROVIDER,
    SECRETS_KEY: loadSecret('secrets-key'),
    OPERATOR_TOKEN: loadOperatorToken(),
    JOB_TUNING,
    LOG_SUCCESS_PERCENT: '100',
    REQUEST_READS_PERCENT: '100',
    REQUEST_LOG_TUNING,
    WEBHOOK_LOCAL_ADDRESSES: 'true',
    ...getOpenIdSettings(),
    // The one team of a local installation may have all of its database.
    TEAM_DATABASE_MS_PER_SECOND: '1000000',
    TEAM_DATABASE_BURST_MS: '1000000',
  }
}

/** Returns settings to try a provider: `OPENID_ISSUER=… OPENID_CLIENT_ID=… npm start`. */
function getOpenIdSettings(): Record<string, string> {
  const names = ['OPENID_ISSUER', 'OPENID_CLIENT_ID', 'OPENID_NAME', 'OPENID_CLIENT_SECRET']
  return Object.fromEntries(names.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : [])))
}

/** Loads or creates the operator's token. One of the environment is stored, too, so that `npm run team` finds it. */
function loadOperatorToken(): string {
  const { OPERATOR_TOKEN } = process.env
  if (OPERATOR_TOKEN) writeFileSync(operatorTokenFile(STATE), OPERATOR_TOKEN, { mode: 0o600 })
  return loadSecret(path.basename(operatorTokenFile(STATE)))
}

/** The key that encrypts the plugins' tokens stays the same, or stored tokens could not be decrypted. */
function loadSecret(name: string): string {
  const file = path.join(STATE, name)
  if (!existsSync(file)) writeFileSync(file, randomBytes(32).toString('base64'), { mode: 0o600 })
  return readFileSync(file, 'utf8').trim()
}

/** Ends the start if the Worker refuses to start, such as for a wrong setting. */
async function checkHealth(): Promise<void> {
  const response = await fetch(`${URL_OF_API}/v1/health`)
  if (response.ok) return
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  throw new Error(isJson ? (JSON.parse(text) as { _errors: string[] })._errors.join('\n') : text)
}

function fail(error: unknown): never {
  console.error(error instanceof Error ? `npm start has ended: ${error.message}` : error)
  process.exit(1)
}
