import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../../db/document/json.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import type { QueryColumn } from '../plan/columns.ts'
import { textColumn } from '../plan/columns.ts'
import type { TextMatch } from '../read/condition.ts'
import { joinTerms } from './comparison.ts'

/** Whether a text, or a text of a list, starts with or contains one of the patterns. May be NULL instead of false. */
export function textMatch(match: TextMatch, procedure: Procedure): SQL {
  const { field } = match
  const column = textColumn(field, procedure)
  if (column !== null) return columnMatch(column, match)
  const path = jsonPath(field.root ?? field.attribute)
  const isElement = sql`EXISTS (SELECT 1 FROM json_each(${process.data}, ${path}) WHERE type = 'text' AND ${matches(sql`value`, match)})`
  return sql`CASE json_type(${process.data}, ${path}) WHEN 'text' THEN ${matches(sql`${process.data}->>${path}`, match)} WHEN 'array' THEN ${isElement} END`
}

/** Numbers come before all text. */
const columnMatch = ({ column, mixed }: QueryColumn, match: TextMatch): SQL =>
  mixed ? sql`(${column} >= '' AND ${matches(column, match)})` : matches(column, match)

/** Not by LIKE, whose wildcards a pattern may hold, and whose patterns D1 bounds by 50 bytes. */
const matches = (text: SQL, { operator, patterns }: TextMatch): SQL =>
  joinTerms(
    patterns.map(pattern =>
      operator === 'contains'
        ? sql`instr(lower(${text}), ${pattern}) > 0`
        : sql`lower(substr(${text}, 1, ${[...pattern].length})) = ${pattern}`,
    ),
    'OR',
  )
