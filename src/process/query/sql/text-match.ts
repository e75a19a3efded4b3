import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../../db/document/json.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import type { QueryColumn } from '../plan/columns.ts'
import { findTextColumn } from '../plan/columns.ts'
import type { TextMatch, TextOperator } from '../read/condition.ts'
import { joinTerms } from './comparison.ts'

/** Tells whether a text, or a text of a list, starts with or contains one of the patterns. May be NULL instead of false. */
export function buildTextMatch(match: TextMatch, procedure: Procedure): SQL {
  const { field } = match
  const column = findTextColumn(field, procedure)
  if (column !== null) return buildColumnMatch(column, match)
  const path = jsonPath(field.root ?? field.attribute)
  const isElement = sql`EXISTS (SELECT 1 FROM json_each(${process.data}, ${path}) WHERE type = 'text' AND ${matches(sql`value`, match)})`
  return sql`CASE json_type(${process.data}, ${path}) WHEN 'text' THEN ${matches(sql`${process.data}->>${path}`, match)} WHEN 'array' THEN ${isElement} END`
}

/** Matches the text of a column. Numbers come before all text. */
const buildColumnMatch = ({ column, mixed }: QueryColumn, match: TextMatch): SQL =>
  mixed ? sql`(${column} >= '' AND ${matches(column, match)})` : matches(column, match)

/**
 * Compares without LIKE, because a pattern may contain its wildcards, and D1 bounds its patterns by 50 bytes. The text is read
 * and lowered once for all patterns: SQLite does not merge a subquery without FROM, and CASE stops at the first match.
 */
function matches(text: SQL, { operator, patterns }: TextMatch): SQL {
  const { read, holds } = TEXT_MATCHES[operator]
  const terms = patterns.map(holds)
  return sql`(SELECT CASE WHEN ${joinTerms(terms, 'OR')} THEN 1 END FROM (SELECT lower(${read(text, patterns)}) AS t))`
}

/** The part of a text that has to be read, and a test of whether it, lowered as `t`, has a pattern. */
const TEXT_MATCHES: Record<
  TextOperator,
  { read: (text: SQL, patterns: readonly string[]) => SQL; holds: (pattern: string) => SQL }
> = {
  startsWith: {
    read: (text, patterns) => sql`substr(${text}, 1, ${Math.max(0, ...patterns.map(countCharacters))})`,
    holds: pattern => sql`substr(t, 1, ${countCharacters(pattern)}) = ${pattern}`,
  },
  contains: { read: text => text, holds: pattern => sql`instr(t, ${pattern}) > 0` },
}

const countCharacters = (text: string): number => [...text].length

/** The patterns, and their characters, whose search takes as long as one look-up. */
const STARTS_PER_LOOKUP = 8
const CONTAINED_CHARACTERS_PER_LOOKUP = 16

/** Counts the look-ups of a key that take as long as looking for the patterns in one text. */
export const countLookups = ({ operator, patterns }: TextMatch): number =>
  operator === 'contains'
    ? patterns.reduce((sum, { length }) => sum + 1 + Math.floor(length / CONTAINED_CHARACTERS_PER_LOOKUP), 0)
    : Math.ceil(patterns.length / STARTS_PER_LOOKUP)
