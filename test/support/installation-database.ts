import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { Miniflare } from 'miniflare'
import { unstable_splitSqlQuery as splitSqlQuery } from 'wrangler'
import { databaseWorker, openLocalDatabase } from '../../scripts/local/database.ts'
import { applyMigrations } from '../../scripts/local/migrate.ts'
import { openDatabase } from '../../src/db/databases.ts'
import { createReencryptionTask } from '../../src/maintenance/reencrypt.ts'

// The database of an emulated account, in one runtime for a whole check: wrangler takes seconds to start one for each command.
// Its arguments are a folder to keep it in, and one whose `drizzle/` has the migrations. It prints its address, takes one order
// at a time, and ends with whoever started it.
const [folder = '', project = ''] = process.argv.slice(2)
process.chdir(project)
const DATABASE = path.join(folder, 'd1')
const getCopy = (bookmark: string) => path.join(folder, `at-${bookmark}`)

let runtime: Miniflare | undefined
const database = () => {
  runtime ??= new Miniflare({ workers: [databaseWorker({ DB: 'DB' })], d1Persist: DATABASE })
  return openLocalDatabase(runtime, 'DB')
}
/** Files are copied while nobody has them open. */
async function close(): Promise<void> {
  await runtime?.dispose()
  runtime = undefined
}
function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  cpSync(from, to, { recursive: true })
}

const ORDERS: Record<string, (text: string) => Promise<unknown>> = {
  /** Returns the output of `wrangler d1 execute --json`. */
  async execute(text) {
    const db = await database()
    return db.batch(splitSqlQuery(text).map(sql => db.prepare(sql)))
  },
  /** As the cron of the Worker does with these secrets. */
  async reencrypt(secrets) {
    const DB = (await database()) as unknown as D1Database
    const env = JSON.parse(secrets) as Pick<Env, 'SECRETS_KEY' | 'SECRETS_KEY_PREVIOUS'>
    const task = createReencryptionTask(env, () => openDatabase({ DB }), Date.now())
    for (let hasMore = true; hasMore; ) hasMore = (await task.step()).hasMore
  },
  migrate: async () => applyMigrations(await database()),
  async keep(bookmark) {
    await close()
    mkdirSync(DATABASE, { recursive: true })
    copy(DATABASE, getCopy(bookmark))
  },
  async restore(bookmark) {
    if (!existsSync(getCopy(bookmark))) throw new Error(`The bookmark ${bookmark} is invalid [code: 7400]`)
    await close()
    copy(getCopy(bookmark), DATABASE)
  },
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += chunk
  return text
}

let before: Promise<unknown> = Promise.resolve()
const server = createServer(async (request, response) => {
  const text = await readText(request)
  const order = ORDERS[request.url?.slice(1) ?? '']
  const done = before.then(() => order?.(text))
  before = done.catch(() => undefined)
  const [status, said] = await done.then(
    result => [200, JSON.stringify(result ?? null)] as const,
    (error: unknown) => [500, String(error)] as const,
  )
  response.writeHead(status, { connection: 'close' }).end(said)
}).listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.stdin.resume().once('end', () => void close().then(() => process.exit(0)))
