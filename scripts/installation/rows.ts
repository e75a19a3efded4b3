import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { assignments, type Statement, statement } from '../../src/db/statement.ts'
import { toText } from '../sql.ts'
import { must } from './command.ts'
import type { Installation } from './options.ts'

/** One command takes so many statements: their text goes through the command line. */
const STATEMENTS_MAX = 50

type Database = Pick<Installation, 'run' | 'config'>

const execute = ({ run, config }: Database, command: string): string =>
  must(run, ['d1', 'execute', 'DB', '--remote', '--config', config, '--yes', '--json', '--command', command])

/** The rows of each statement, in one command. */
export const readRows = (installation: Database, statements: readonly Statement[]): unknown[][] =>
  (JSON.parse(execute(installation, statements.map(toText).join(';\n'))) as { results: unknown[] }[]).map(
    ({ results }) => results,
  )

export function writeRows(installation: Database, statements: readonly Statement[]): void {
  for (let at = 0; at < statements.length; at += STATEMENTS_MAX)
    execute(
      installation,
      statements
        .slice(at, at + STATEMENTS_MAX)
        .map(toText)
        .join(';\n'),
    )
}

export const updateRows = <T extends SQLiteTable>(
  table: T,
  values: Parameters<typeof assignments<T>>[1],
  which: SQL,
): Statement => statement(sql`UPDATE ${table} SET ${assignments(table, values)} WHERE ${which}`)
