import { countBytes } from './bodies.ts'
import type { Invocation } from './limits.ts'
import type { Platform } from './platform.ts'
import { parseCommits, toBookmark } from './replica.ts'
import { asRefused, isTooLarge, tooLargeError } from './rows.ts'

interface FarStatement {
  sql: string
  params: readonly unknown[]
  original: D1PreparedStatement
}

const READS = /^\s*(select|with|explain|pragma)\b/i
const WRITES = /\b(insert|update|delete|replace)\b/i

type Run = <T>(batch: readonly FarStatement[], isRead: boolean) => Promise<D1Result<T>[]>

/** The database as one invocation sees it. Without `replica` there is none, and a session reads the primary. */
export function farDatabase(
  platform: Platform,
  invocation: Invocation,
  real: D1Database,
  replica?: D1Database,
): D1Database {
  const onReplica = async <R>(statements: readonly Pick<FarStatement, 'sql' | 'params'>[]): Promise<D1Result<R>[]> =>
    replica
      ? platform.real(() => replica.batch<R>(statements.map(({ sql, params }) => replica.prepare(sql).bind(...params))))
      : []
  const primary: Run = async <T>(batch: readonly FarStatement[], isRead: boolean) => {
    const run = async () => {
      const results = await real.batch<T>(batch.map(({ original }) => original)).catch(refuse)
      if (!isRead) platform.replica.commit(batch)
      // Where nobody reads the copy, the commits that it lacks would fill the heap.
      if (platform.replica.isFull)
        await platform.replica.catchUp(onReplica, { mustSee: 0, lagMs: platform.options.replicaLagMs })
      return results.map(result => ({ ...result, meta: { ...result.meta, ...sizeBy(platform) } }))
    }
    const about = describeBatch(batch)
    return platform.call(invocation, 'database', about, platform.options.databaseMs, () =>
      platform.database.run(platform.options, { isRead, by: invocation.by, about }, () => platform.real(run)),
    )
  }

  function session(constraint = 'first-unconstrained'): D1DatabaseSession {
    // Sent with each query: the constraint, until a response has brought a bookmark.
    let seen = constraint.startsWith('first-') ? undefined : parseCommits(constraint)
    const run: Run = async <T>(batch: readonly FarStatement[], isRead: boolean) => {
      const isToPrimary =
        !replica ||
        platform.options.replicaMs === Number.POSITIVE_INFINITY ||
        !isRead ||
        (seen === undefined && constraint === 'first-primary')
      if (isToPrimary) {
        const results = await primary<T>(batch, isRead)
        seen = Math.max(seen ?? 0, platform.replica.commits)
        return results.map(result => ({ ...result, meta: { ...result.meta, served_by_primary: true } }))
      }
      const { replicaMs, replicaLagMs } = platform.options
      return platform.call(invocation, 'replica', describeBatch(batch), replicaMs, async () => {
        const applied = await platform.replica.catchUp(onReplica, { mustSee: seen ?? 0, lagMs: replicaLagMs })
        seen = Math.max(seen ?? 0, applied)
        const results = await onReplica<T>(batch).catch(refuse)
        return results.map(result => ({ ...result, meta: { ...result.meta, served_by_primary: false } }))
      })
    }
    return {
      ...statementsThrough(run),
      getBookmark: () => (seen === undefined ? null : toBookmark(seen)),
    } as unknown as D1DatabaseSession
  }

  const statements = new WeakMap<object, FarStatement>()
  function statementsThrough(run: Run) {
    const trip = async <T>(batch: readonly FarStatement[]): Promise<D1Result<T>[]> => {
      invocation.countStatements(batch.length)
      if (batch.some(({ params }) => params.some(isTooLarge))) throw tooLargeError()
      const isRead = batch.every(each => READS.test(each.sql) && !WRITES.test(each.sql))
      const results = await invocation.connected(() => run<T>(batch, isRead))
      platform.held.add(
        invocation,
        -batch.flatMap(({ params }) => params).reduce<number>((sum, each) => sum + countBytes(each), 0),
      )
      const returned = results.flatMap(({ results: rows }) => rows as Record<string, unknown>[])
      if (returned.some(row => Object.values(row).some(isTooLarge))) throw tooLargeError()
      return results
    }
    function statement(far: FarStatement): D1PreparedStatement {
      const all = async <T>() => {
        const [result] = await trip<T>([far])
        return result as D1Result<T>
      }
      const bound = {
        bind: (...params: unknown[]) => statement({ sql: far.sql, params, original: far.original.bind(...params) }),
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
    const toFarStatement = (each: D1PreparedStatement): FarStatement => {
      const far = statements.get(each)
      if (!far) throw new Error('a statement of another database')
      return far
    }
    return {
      prepare: (sql: string) => statement({ sql, params: [], original: real.prepare(sql) }),
      batch: (batch: D1PreparedStatement[]) => trip(batch.map(toFarStatement)),
    }
  }

  return { ...statementsThrough(primary), withSession: session } as unknown as D1Database
}

const sizeBy = ({ options: { databaseBytes } }: Platform) => (databaseBytes > 0 ? { size_after: databaseBytes } : {})

const describeBatch = (batch: readonly FarStatement[]): string =>
  `${batch.map(({ sql }) => sql).join(';\n')}\n-- ${batch.flatMap(({ params }) => params).join(' ')}`

const refuse = (error: unknown): never => {
  throw asRefused(error)
}
