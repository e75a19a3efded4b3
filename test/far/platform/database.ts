import type { Invocation } from './limits.ts'
import type { Platform } from './platform.ts'
import { asRefused, isTooLarge, tooLargeError } from './rows.ts'

interface FarStatement {
  sql: string
  params: readonly unknown[]
  original: D1PreparedStatement
}

const READS = /^\s*(select|with|explain|pragma)\b/i
const WRITES = /\b(insert|update|delete|replace)\b/i

/** The database as one invocation sees it. */
export function farDatabase(platform: Platform, invocation: Invocation, real: D1Database): D1Database {
  const statements = new WeakMap<object, FarStatement>()

  async function trip<T>(batch: readonly FarStatement[]): Promise<D1Result<T>[]> {
    invocation.countStatements(batch.length)
    if (batch.some(({ params }) => params.some(isTooLarge))) throw tooLargeError()
    const { databaseMs } = platform.options
    const sql = batch.map(each => each.sql).join(';\n')
    const about = `${sql}\n-- ${batch.flatMap(({ params }) => params).join(' ')}`
    const isRead = batch.every(each => READS.test(each.sql) && !WRITES.test(each.sql))
    const run = () =>
      platform
        .real(() => real.batch<T>(batch.map(({ original }) => original)))
        .catch((error: unknown) => Promise.reject(asRefused(error)))
    const results = await invocation.connected(() =>
      platform.call(invocation, 'database', about, databaseMs, () =>
        platform.database.run(platform.options, isRead, run),
      ),
    )
    const returned = results.flatMap(({ results: rows }) => rows as Record<string, unknown>[])
    if (returned.some(row => Object.values(row).some(isTooLarge))) throw tooLargeError()
    return results
  }

  function statement(sql: string, params: readonly unknown[], original: D1PreparedStatement): D1PreparedStatement {
    const far = { sql, params, original }
    const all = async <T>() => {
      const [result] = await trip<T>([far])
      return result as D1Result<T>
    }
    const bound = {
      bind: (...values: unknown[]) => statement(sql, values, original.bind(...values)),
      all,
      run: all,
      first: async (column?: string) => {
        const [row] = (await all<Record<string, unknown>>()).results
        return row === undefined ? null : column === undefined ? row : (row[column] ?? null)
      },
      raw: async () => (await all<Record<string, unknown>>()).results.map(row => Object.values(row)),
    } as unknown as D1PreparedStatement
    statements.set(bound, far)
    return bound
  }

  const farOf = (each: D1PreparedStatement): FarStatement => {
    const far = statements.get(each)
    if (!far) throw new Error('a statement of another database')
    return far
  }
  const session = {
    prepare: (sql: string) => statement(sql, [], real.prepare(sql)),
    batch: (batch: D1PreparedStatement[]) => trip(batch.map(farOf)),
  }
  return session as unknown as D1Database
}
