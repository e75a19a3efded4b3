import type { Cost } from './cost.ts'
import type { Rows, Statement } from './statement.ts'
import { isReadOnly, StatementBudgetError, type TimeLimit, withRetry } from './storage-error.ts'

/** The time for which one request, or one message of a queue, waits for the database altogether. Only its round trips count. */
const TIME_LIMIT_MS = 20_000

/** The rows that a statement of a transaction returned, and how many it changed. */
export interface WriteResult<Row = unknown> {
  rows: Row[]
  changes: number
}
type WriteResultOf<S> = S extends Statement<infer Row> ? WriteResult<Row> : never

/** The results of the statements of a transaction. */
export type Changes<Statements extends readonly Statement[]> = {
  -readonly [I in keyof Statements]: WriteResultOf<Statements[I]>
}

/** A database, or a session of it. */
type Preparer = Pick<D1Database, 'prepare' | 'batch'>

export interface Db {
  /** Runs statements that change nothing in one round trip, and returns the rows of each. */
  read<const Statements extends readonly Statement[]>(...statements: Statements): Promise<Rows<Statements>>
  /** Runs all of the statements, or none. It is for `write.ts` only: nothing else may change anything. */
  transact<const Statements extends readonly Statement[]>(statements: Statements): Promise<Changes<Statements>>
  /** Returns the same database with a new time limit, for writes that are needed although a request has used up its own. */
  reconnect(timeLimitMs?: number): Db
  /** The size, as the last round trip of this isolate returned it. */
  size: Readonly<DatabaseSize>
  /** The cost of this connection so far, together with others of the same request. */
  cost: Readonly<Cost>
}

/** The size of a database without its free pages. 0 before the first round trip. */
export interface DatabaseSize {
  bytes: number
}

/** Connects to one database, with counters and a time limit. Each call is one round trip. */
export function connect(
  binding: Preparer,
  cost: Cost,
  timeLimitMs = TIME_LIMIT_MS,
  size: DatabaseSize = { bytes: 0 },
): Db {
  const timeLimit = { leftMs: timeLimitMs }
  const run = async (statements: readonly Statement[], isRead: boolean): Promise<WriteResult[]> => {
    const compiled = statements.map(each => each.compile())
    if (isRead && !compiled.every(({ text }) => isReadOnly(text)))
      throw new Error('read: a statement changes something')
    const bound = compiled.map(({ text, params }) => binding.prepare(text).bind(...params))
    const results = await countTrip(cost, isRead, bound.length, timeLimit, () =>
      binding.batch<Record<string, unknown>>(bound),
    )
    size.bytes = results.at(-1)?.meta.size_after ?? size.bytes
    return results.map(({ results: rows, meta }, nth) => {
      const decode = statements[nth]?.decode
      if (decode) for (const row of rows) decode(row)
      return { rows, changes: meta.changes }
    })
  }

  return {
    async read<const Statements extends readonly Statement[]>(...statements: Statements) {
      const results = await run(statements, true)
      return results.map(({ rows }) => rows) as Rows<Statements>
    },
    async transact<const Statements extends readonly Statement[]>(statements: Statements) {
      return (await run(statements, false)) as Changes<Statements>
    },
    reconnect: (ms = timeLimitMs) => connect(binding, cost, ms, size),
    size,
    cost,
  }
}

/** Makes one round trip, retried and bounded by `withRetry`. Adds round trips, rows and time to `cost`. */
async function countTrip<T>(
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
