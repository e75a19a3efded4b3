import { drizzle } from 'drizzle-orm/d1'
import type { Cost } from './cost.ts'
import { metered } from './metered.ts'
import type { Built, Result, Statement } from './statement.ts'

/** How long one request, or one message of a queue, waits for the database altogether. */
const PATIENCE_MS = 20_000

export type Db = ReturnType<typeof connect>

/** `orm` for plain tables, `batch` for statements written by hand. Both are counted, and each call is one round trip. */
export function connect(binding: D1Database, cost: Cost, patienceMs = PATIENCE_MS) {
  const client = metered(binding, cost, Date.now() + patienceMs)
  return {
    orm: drizzle(client, { casing: 'snake_case' }),
    /** All of the statements in one transaction: every one takes effect, or none does. */
    async batch(statements: (Statement | Built)[]): Promise<Result[]> {
      const results = await client.batch<Record<string, unknown>>(
        statements.map(each => {
          const { sql, params } = 'toSQL' in each ? each.toSQL() : each
          return client.prepare(sql).bind(...params)
        }),
      )
      return results.map(({ results: rows, meta }) => ({ rows, changes: meta.changes }))
    },
  }
}
