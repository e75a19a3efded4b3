import { env } from 'cloudflare:workers'

/** Rows like one that there is: `changes` are expressions of `n`, which counts from 1. */
export async function repeatRow(row: { table: string; where: string }, times: number, changes: Record<string, string>) {
  const columns = await env.DB.prepare('SELECT name FROM pragma_table_info(?)').bind(row.table).all<{ name: string }>()
  const names = columns.results.map(({ name }) => name)
  await env.DB.prepare(
    `WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${times})
      INSERT INTO ${row.table} (${names}) SELECT ${names.map(name => changes[name] ?? name)} FROM ${row.table}, n WHERE ${row.where}`,
  ).run()
}
