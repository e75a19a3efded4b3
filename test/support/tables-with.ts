import { env } from 'cloudflare:workers'

/** The tables without rows of teams. */
const OTHERS = /^(sqlite|_cf|d1)/

interface Column {
  name: string
  type: string
}

/** The columns of each table: no test changes them. */
let loading: Promise<Map<string, Column[]>> | undefined
async function loadColumns(): Promise<Map<string, Column[]>> {
  const { results } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<Column>()
  const tables = results.map(({ name }) => name).filter(name => !OTHERS.test(name))
  const columns = await env.DB.batch<Column>(
    tables.map(table => env.DB.prepare(`SELECT name, type FROM pragma_table_info('${table}')`)),
  )
  return new Map(tables.map((table, nth) => [table, columns[nth]?.results ?? []]))
}

/**
 * The tables in which one of some texts stands anywhere. Binary JSON is looked at as bytes and as JSON, where a character
 * may be written in another way; blocks of FTS5 are other bytes, which may begin as binary JSON does, so they are checked
 * whole. All is asked for at once, and a row is read once for all texts: whoever seeks the traces of somebody has many.
 */
export async function tablesWith(...texts: readonly string[]): Promise<string[]> {
  loading ??= loadColumns()
  const columns = await loading
  const tables = [...columns.keys()]
  const found = await env.DB.batch<{ hit: number }>(
    tables.map(table => {
      const values = (columns.get(table) ?? []).flatMap(({ name, type }) => [
        `CAST("${name}" AS BLOB)`,
        ...(type.toLowerCase() === 'blob' ? [`CAST(iif(json_valid("${name}", 8), json("${name}"), '') AS BLOB)`] : []),
      ])
      // The limit keeps SQLite from evaluating the values anew for each text.
      return env.DB.prepare(
        `SELECT 1 AS hit FROM (SELECT ${values.map((value, at) => `${value} AS v${at}`)} FROM "${table}" LIMIT -1)
          CROSS JOIN (SELECT CAST(value AS BLOB) AS text FROM json_each(?1))
          WHERE ${values.map((_, at) => `instr(v${at}, text)`).join(' OR ')} LIMIT 1`,
      ).bind(JSON.stringify(texts))
    }),
  )
  return tables.filter((_, nth) => found[nth]?.results.length).sort()
}
