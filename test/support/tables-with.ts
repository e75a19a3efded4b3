import { env } from 'cloudflare:workers'

/** What has no rows of teams. */
const OTHERS = /^(sqlite|_cf|d1)/

interface Column {
  name: string
  type: string
}

/**
 * The tables in which a text stands anywhere. Binary JSON is looked at as bytes and as JSON, where a character may be
 * written in another way; blocks of FTS5 are other bytes, which may begin as binary JSON does, so they are checked whole.
 */
export async function tablesWith(text: string): Promise<string[]> {
  const { results: tables } = await env.DB.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all<Column>()
  const names: string[] = []
  for (const { name } of tables) {
    if (OTHERS.test(name)) continue
    const { results: columns } = await env.DB.prepare(
      `SELECT name, type FROM pragma_table_info('${name}')`,
    ).all<Column>()
    const found = columns.flatMap(column => [
      `instr(CAST("${column.name}" AS BLOB), CAST(?1 AS BLOB))`,
      ...(column.type.toLowerCase() === 'blob'
        ? [`instr(iif(json_valid("${column.name}", 8), json("${column.name}"), ''), ?1)`]
        : []),
    ])
    const hit = await env.DB.prepare(`SELECT 1 AS hit FROM "${name}" WHERE ${found.join(' OR ')} LIMIT 1`)
      .bind(text)
      .first()
    if (hit) names.push(name)
  }
  return names.sort()
}
