import { type SQL, sql } from 'drizzle-orm'
import { assignments, type Statement, statement } from '../../db/statement.ts'
import type { Change } from '../rules.ts'
import { process, SHORT_LIST_LENGTH_MAX } from '../table.ts'

/** Tells whether a change sets a list that a filter takes long to go through. */
export const setsLongList = ({ set }: Pick<Change, 'set'>): boolean =>
  Object.values(set).some(value => Array.isArray(value) && value.length > SHORT_LIST_LENGTH_MAX)

/** Stores the length of the longest list of processes in which a long list was set. Other changes leave it, so it may be too high, but never too low. */
export const storeLongestList = (which: SQL): Statement =>
  statement(
    sql`UPDATE ${process} SET ${assignments(process, {
      longestList: sql`(SELECT max(json_array_length(attribute.value)) FROM json_each(${process.data}) AS attribute WHERE attribute.type = 'array')`,
    })} WHERE ${which}`,
  )
