import { sql } from 'drizzle-orm'
import { type Statement, statement } from '../db/statement.ts'
import { SECRET_COLUMNS } from '../plugin/secret/secret-columns.ts'

/** Counts what is stored of plugins and webhooks by the id of the key that it was encrypted under. */
export const selectKeyCounts = (): Statement<{ id: string; count: number }> => {
  const ids = SECRET_COLUMNS.map(
    ({ table, column }) => sql`SELECT substr(${column}, 1, instr(${column}, '.') - 1) AS id FROM ${table}
      WHERE ${table.deletedAt} IS NULL AND instr(${column}, '.') > 1`,
  )
  return statement(sql`SELECT id, count(*) AS count FROM (${sql.join(ids, sql` UNION ALL `)}) GROUP BY id`)
}
