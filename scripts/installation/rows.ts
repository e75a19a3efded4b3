import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { countFitting } from '../../src/bytes.ts'
import { assignments, type Statement, statement } from '../../src/db/statement.ts'
import { toText } from '../sql.ts'
import { must } from './command.ts'
import type { Installation } from './options.ts'

/** One command takes so many statements, of so many bytes: their text is one argument of it, and Linux takes 128 KiB in one. */
const STATEMENTS_MAX = 50
const COMMAND_BYTES_MAX = 60_000
const SEPARATOR = ';\n'

type Database = Pick<Installation, 'run' | 'config'>

const execute = ({ run, config }: Database, command: string): string =>
  must(run, ['d1', 'execute', 'DB', '--remote', '--config', config, '--yes', '--json', '--command', command])

/** The rows of each statement, in one command. */
export const readRows = (installation: Database, statements: readonly Statement[]): unknown[][] =>
  (JSON.parse(execute(installation, statements.map(toText).join(SEPARATOR))) as { results: unknown[] }[]).map(
    ({ results }) => results,
  )

export function writeRows(installation: Database, statements: readonly Statement[]): void {
  for (let left = statements.map(toText); left.length > 0; ) {
    const bytes = left.slice(0, STATEMENTS_MAX).map(text => Buffer.byteLength(text) + SEPARATOR.length)
    execute(installation, left.splice(0, countFitting(bytes, COMMAND_BYTES_MAX)).join(SEPARATOR))
  }
}

export const updateRows = <T extends SQLiteTable>(
  table: T,
  values: Parameters<typeof assignments<T>>[1],
  which: SQL,
): Statement => statement(sql`UPDATE ${table} SET ${assignments(table, values)} WHERE ${which}`)
