import type { Preparer } from './client.ts'
import type { Cost } from './cost.ts'
import { isReadOnly, StatementBudgetError, type TimeLimit, withRetry } from './storage-error.ts'

/** One round trip, retried and bounded by `withRetry`; round trips, rows and time are added to `cost`. */
export async function countTrip<T>(
  cost: Cost,
  isRead: boolean,
  statements: number,
  timeLimit: TimeLimit,
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
    const results = await withRetry(counted, isRead, timeLimit)
    for (const { meta } of results) {
      cost.rowsRead += meta.rows_read
      cost.rowsWritten += meta.rows_written
      cost.ownMs += meta.duration
    }
    return results
  } finally {
    cost.ms += performance.now() - startedAt
  }
}

/** The binding as drizzle uses it for a SELECT, with every round trip counted. */
export function metered(binding: Preparer, cost: Cost, timeLimit: TimeLimit): D1Database {
  const wrap = (original: D1PreparedStatement, isRead: boolean): D1PreparedStatement => {
    const all = async <T>() => {
      const [result] = await countTrip<T>(cost, isRead, 1, timeLimit, async () => [await original.all<T>()])
      return result as D1Result<T>
    }
    return {
      bind: (...values: unknown[]) => wrap(original.bind(...values), isRead),
      all,
      // D1 reports no cost with raw rows, so they are made from named ones: columns of one statement need distinct names.
      raw: async () => (await all<Record<string, unknown>>()).results.map(row => Object.values(row)),
    } as unknown as D1PreparedStatement
  }
  return { prepare: (text: string) => wrap(binding.prepare(text), isReadOnly(text)) } as unknown as D1Database
}
