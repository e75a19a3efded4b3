// @ts-expect-error: the built Worker, which `bench/server.ts` puts beside this file.
import worker from './index.js'

// @ts-expect-error: as above
export * from './index.js'

interface Bound {
  sql: string
  real: () => D1PreparedStatement
}

interface Recording {
  results: Map<string, D1Result[]>
  batches: Bound[][]
}

/** The database as it answers once; from then on with the same results at once, so that only the Worker's own work is left. */
function replay(DB: D1Database, { results, batches }: Recording): D1Database {
  const batch = async (statements: Bound[]) => {
    const key = statements.map(({ sql }) => sql).join('\n')
    const known = results.get(key)
    if (known !== undefined) return known
    const made = await DB.batch(statements.map(({ real }) => real()))
    results.set(key, made)
    batches.push(statements)
    return made
  }
  const prepare = (sql: string) => ({
    bind: (...params: unknown[]): Bound => ({ sql, real: () => DB.prepare(sql).bind(...params) }),
  })
  const session = { prepare, batch, getBookmark: () => null }
  return { ...session, withSession: () => session } as unknown as D1Database
}

const recordings = new Map<string, Recording>()

export default {
  ...worker,
  async fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    const repeat = request.headers.get('x-repeat')
    if (repeat === null) return worker.fetch(request, env, context)
    if (new URL(request.url).pathname === '/raw') {
      const list = await request.json<{ sql: string; params: unknown[] }[]>()
      const one = list.length === 1 && list[0] && !request.headers.has('x-batch') ? list[0] : undefined
      for (let nth = 0; nth < Number(repeat); nth++)
        if (one)
          await env.DB.prepare(one.sql)
            .bind(...one.params)
            .all()
        else await env.DB.batch(list.map(({ sql, params }) => env.DB.prepare(sql).bind(...params)))
      return Response.json({})
    }
    const body = request.method === 'GET' ? undefined : await request.text()
    const key = `${request.method} ${request.url} ${body}`
    const recording = recordings.get(key) ?? { results: new Map(), batches: [] }
    recordings.set(key, recording)
    // All requests share one object, as in production: the settings are read once.
    const replaying = { ...env, DB: replay(env.DB, recording) }
    const headers = new Headers(request.headers)
    headers.delete('x-repeat')
    let status = 0
    for (let nth = 0; nth < Number(repeat); nth++) {
      const one = new Request(request.url, { method: request.method, headers, ...(body === undefined ? {} : { body }) })
      status = (await worker.fetch(one, replaying, context)).status
    }
    const statements = recording.batches.map(batch => batch.map(({ sql }) => sql))
    if (request.headers.has('x-database'))
      for (let nth = 0; nth < Number(repeat); nth++)
        for (const batch of recording.batches) await env.DB.batch(batch.map(({ real }) => real()))
    return Response.json({ status, statements })
  },
}
