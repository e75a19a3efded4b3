import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
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
  let texts: string[] = []
  let bytes = 0
  const flush = () => {
    if (texts.length > 0) execute(installation, texts.join(SEPARATOR))
    texts = []
    bytes = 0
  }
  for (const text of statements.map(toText)) {
    const more = Buffer.byteLength(text) + SEPARATOR.length
    if (texts.length === STATEMENTS_MAX || bytes + more > COMMAND_BYTES_MAX) flush()
    texts.push(text)
    bytes += more
  }
  flush()
}

export const updateRows = <T extends SQLiteTable>(
  table: T,
  values: Parameters<typeof assignments<T>>[1],
  which: SQL,
): Statement => statement(sql`UPDATE ${table} SET ${assignments(table, values)} WHERE ${which}`)
