import type { Rows, Statement } from '../../src/db/statement.ts'
import { runner } from '../installation/command.ts'
import { readRows } from '../installation/rows.ts'
import type { LocalDatabase } from '../local/database.ts'

/** Runs statements as one transaction: the rows of each. */
export type RunStatements = <const Statements extends readonly Statement[]>(
  statements: Statements,
) => Promise<Rows<Statements>>

/** In the database that a configuration of wrangler names, at Cloudflare. */
export const inRemote =
  (config: string): RunStatements =>
  async <const Statements extends readonly Statement[]>(statements: Statements) =>
    readRows({ run: runner({}), config }, statements) as Rows<Statements>

export const inLocal =
  (db: LocalDatabase): RunStatements =>
  async <const Statements extends readonly Statement[]>(statements: Statements) => {
    const results = await db.batch(
      statements.map(statement => {
        const { text, params } = statement.compile()
        return db.prepare(text).bind(...params)
      }),
    )
    return results.map(({ results: rows }) => rows) as Rows<Statements>
  }
