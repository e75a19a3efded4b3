import { ROW_BYTES_MAX } from './limits.ts'

const TOO_LARGE = 'far: the row is too large'

/** Returns whether a text or a blob alone is larger than D1 accepts. */
export function isTooLarge(value: unknown): boolean {
  if (typeof value === 'string') return value.length * 3 > ROW_BYTES_MAX && countBytes(value) > ROW_BYTES_MAX
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value.byteLength > ROW_BYTES_MAX
  return Array.isArray(value) && value.length > ROW_BYTES_MAX
}

const countBytes = (text: string) => new TextEncoder().encode(text).length

export function tooLargeError(): Error {
  const text = 'string or blob too big: SQLITE_TOOBIG'
  return new Error(`D1_ERROR: ${text}`, { cause: new Error(text) })
}

/** The error of a trigger below is told as D1 tells it. */
export const asRefused = (error: unknown): unknown =>
  error instanceof Error && error.message.includes(TOO_LARGE) ? tooLargeError() : error

/** The local database as a test has it, and as Miniflare gives it to Node. */
interface LocalDatabase<Statement> {
  prepare: (sql: string) => Statement & { all: () => Promise<{ results: unknown[] }> }
  batch: (statements: Statement[]) => Promise<unknown>
}

/** Statements that make every table refuse rows larger than D1 takes. The local database has no such limit to set. */
export async function limitRows<Statement>(db: LocalDatabase<Statement>): Promise<void> {
  const { results } = await db
    .prepare(
      `SELECT t.name AS tableName, c.name AS columnName FROM sqlite_schema t, pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name NOT LIKE '_cf_%' AND t.name NOT LIKE 'd1_%' AND t.name NOT LIKE 'process_search%'`,
    )
    .all()
  const columns = results as { tableName: string; columnName: string }[]
  const tables = new Map<string, string[]>()
  for (const { tableName, columnName } of columns) tables.set(tableName, [...(tables.get(tableName) ?? []), columnName])
  const triggers = [...tables].flatMap(([table, names]) => {
    const bytes = names.map(name => `ifnull(octet_length(NEW."${name}"), 0)`).join(' + ')
    return ['INSERT', 'UPDATE'].map(
      event => `CREATE TRIGGER IF NOT EXISTS "far_${event}_${table}" BEFORE ${event} ON "${table}"
        WHEN ${bytes} > ${ROW_BYTES_MAX} BEGIN SELECT RAISE(ABORT, '${TOO_LARGE}'); END`,
    )
  })
  await db.batch(triggers.map(sql => db.prepare(sql)))
}
