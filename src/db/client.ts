import { drizzle } from 'drizzle-orm/d1'
import type { Cost } from './cost.ts'
import { metered } from './metered.ts'

/** Values that D1 can bind. A number is bound as REAL: where that matters, send it inside a JSON parameter. */
export type Bindable = string | number | null

export interface Statement {
  sql: string
  params: Bindable[]
}

export const statement = (sql: string, ...params: Bindable[]): Statement => ({ sql, params })

/** A statement made with drizzle's builder. */
export interface Built {
  toSQL: () => { sql: string; params: unknown[] }
}

export interface Result {
  rows: Record<string, unknown>[]
  changes: number
}

export type Db = ReturnType<typeof connect>

/** `orm` for plain tables, `batch` for statements written by hand. Both are counted, and each call is one round trip. */
export function connect(binding: D1Database, cost: Cost) {
  const client = metered(binding, cost)
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
