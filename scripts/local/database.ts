import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import type { Miniflare } from 'miniflare'

const NAME = 'databases'

/** Whoever is on this machine can reach the Worker's port: it takes SQL from this process alone. */
const KEY = randomUUID()

/**
 * Another process writes to the same database now and then: what it locked out did nothing, and is tried again. Where the other was
 * first between reading and writing, D1 says no more than that the error is internal.
 */
const LOCKED = /SQLITE_BUSY|database is locked|internal error/
const ATTEMPTS_MAX = 10
const PAUSE_MS = 500

const WORKER = `export default {
  async fetch(request, env) {
    if (request.headers.get('authorization') !== env.KEY) return new Response(null, { status: 401 })
    const { binding, statements } = await request.json()
    const db = env[binding]
    const run = () => db.batch(statements.map(({ sql, params }) => db.prepare(sql).bind(...params)))
    return run().then(Response.json, error => new Response(error.message, { status: 500 }))
  },
}`

interface LocalResult {
  results: Record<string, unknown>[]
}

type Value = string | number | null

interface LocalStatement {
  sql: string
  params: readonly Value[]
  bind: (...params: Value[]) => LocalStatement
  all: () => Promise<LocalResult>
}

/** What of D1 the connection of `src/db/client.ts`, the migrations and the checks use. */
export interface LocalDatabase {
  prepare: (sql: string) => LocalStatement
  batch: (statements: readonly LocalStatement[]) => Promise<LocalResult[]>
}

/** A Worker beside the product's, which runs what `openLocalDatabase` sends: one batch is one transaction. */
export const databaseWorker = (d1Databases: Record<string, string>) => ({
  name: NAME,
  modules: true,
  script: WORKER,
  d1Databases,
  bindings: { KEY },
  unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
})

/**
 * Opens a database of a local runtime that has a `databaseWorker`. Miniflare's own client takes one reply for another on a busy
 * machine (workers-sdk#15552), as it waits for each statement that is prepared.
 */
export async function openLocalDatabase(miniflare: Miniflare, binding: string): Promise<LocalDatabase> {
  const url = await miniflare.unsafeGetDirectURL(NAME)
  const batch: LocalDatabase['batch'] = async statements => {
    const sent = statements.map(({ sql, params }) => ({ sql, params }))
    const body = JSON.stringify({ binding, statements: sent })
    for (let attempt = 1; ; attempt += 1) {
      const response = await fetch(url, { method: 'POST', headers: { authorization: KEY }, body })
      if (response.ok) return response.json() as Promise<LocalResult[]>
      const failure = await response.text()
      if (attempt >= ATTEMPTS_MAX || !LOCKED.test(failure)) throw new Error(failure)
      await setTimeout(PAUSE_MS)
    }
  }
  const prepare = (sql: string, params: readonly Value[] = []): LocalStatement => {
    const statement: LocalStatement = {
      sql,
      params,
      bind: (...bound) => prepare(sql, bound),
      all: async () => {
        const [result] = await batch([statement])
        if (!result) throw new Error('the database has answered without a result')
        return result
      },
    }
    return statement
  }
  return { prepare: sql => prepare(sql), batch }
}
