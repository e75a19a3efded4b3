import type { Cost } from './cost.ts'
import { isReadOnly, StatementBudgetError, withRetry } from './storage-error.ts'

/** One round trip, retried and bounded by `withRetry`; round trips, rows and time are added to `cost`. */
export async function countTrip<T>(
  cost: Cost,
  isRead: boolean,
  statements: number,
  deadline: number,
  trip: () => Promise<D1Result<T>[]>,
): Promise<D1Result<T>[]> {
  const startedAt = performance.now()
  const counted = () => {
    if (cost.statements + statements > (cost.statementsMax ?? Number.POSITIVE_INFINITY))
      throw new StatementBudgetError()
    cost.trips += 1
    cost.statements += statements
    return trip()
  }
  try {
    const results = await withRetry(counted, isRead, deadline)
    for (const { meta } of results) {
      cost.rowsRead += meta.rows_read
      cost.rowsWritten += meta.rows_written
    }
    return results
  } finally {
    cost.ms += performance.now() - startedAt
  }
}

/** The binding as drizzle uses it, with every round trip counted. */
export function metered(binding: D1Database, cost: Cost, deadline: number): D1Database {
  const count = <T>(sql: string[], trip: () => Promise<D1Result<T>[]>) =>
    countTrip(cost, sql.every(isReadOnly), sql.length, deadline, trip)

  const originals = new WeakMap<D1PreparedStatement, { original: D1PreparedStatement; sql: string }>()
  const wrap = (original: D1PreparedStatement, sql: string): D1PreparedStatement => {
    const all = async <T>() => {
      const [result] = await count<T>([sql], async () => [await original.all<T>()])
      return result as D1Result<T>
    }
    const wrapped = {
      bind: (...values: unknown[]) => wrap(original.bind(...values), sql),
      all,
      run: all,
      first: async <T>(column?: string) => {
        const [row] = (await all<Record<string, unknown>>()).results
        return (row === undefined ? null : column === undefined ? row : row[column]) as T | null
      },
      // D1 reports no cost with raw rows, so they are made from named ones: columns of one statement need distinct names.
      raw: async () => (await all<Record<string, unknown>>()).results.map(row => Object.values(row)),
    } as unknown as D1PreparedStatement
    originals.set(wrapped, { original, sql })
    return wrapped
  }

  return {
    prepare: (sql: string) => wrap(binding.prepare(sql), sql),
    batch: <T>(statements: D1PreparedStatement[]) => {
      const known = statements.map(each => {
        const found = originals.get(each)
        if (found === undefined) throw new TypeError('a statement of another connection cannot be run here')
        return found
      })
      return count<T>(
        known.map(({ sql }) => sql),
        () => binding.batch<T>(known.map(({ original }) => original)),
      )
    },
  } as unknown as D1Database
}
