import type { Cost } from './cost.ts'

/** The one place through which every statement goes: it counts round trips, rows and time. */
export function metered(binding: D1Database, cost: Cost): D1Database {
  const count = async <T>(trip: () => Promise<D1Result<T>[]>): Promise<D1Result<T>[]> => {
    const startedAt = performance.now()
    cost.trips += 1
    try {
      const results = await trip()
      for (const { meta } of results) {
        cost.rowsRead += meta.rows_read
        cost.rowsWritten += meta.rows_written
      }
      return results
    } finally {
      cost.ms += performance.now() - startedAt
    }
  }

  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>()
  const wrap = (original: D1PreparedStatement): D1PreparedStatement => {
    const all = async <T>() => {
      const [result] = await count<T>(async () => [await original.all<T>()])
      return result as D1Result<T>
    }
    const wrapped = {
      bind: (...values: unknown[]) => wrap(original.bind(...values)),
      all,
      run: all,
      first: async <T>(column?: string) => {
        const [row] = (await all<Record<string, unknown>>()).results
        return (row === undefined ? null : column === undefined ? row : row[column]) as T | null
      },
      // D1 reports no cost with raw rows, so they are made from named ones: columns of one statement need distinct names.
      raw: async () => (await all<Record<string, unknown>>()).results.map(row => Object.values(row)),
    } as unknown as D1PreparedStatement
    originals.set(wrapped, original)
    return wrapped
  }

  return {
    prepare: (sql: string) => wrap(binding.prepare(sql)),
    batch: <T>(statements: D1PreparedStatement[]) =>
      count<T>(() => binding.batch<T>(statements.map(each => originals.get(each) ?? each))),
  } as unknown as D1Database
}
