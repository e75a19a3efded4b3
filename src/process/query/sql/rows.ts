import { sql } from 'drizzle-orm'
import type { Statement } from '../../../db/statement.ts'
import { statement } from '../../../db/statement.ts'
import { guardedLimit } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { process } from '../../table.ts'
import { ROW_ID } from '../plan/columns.ts'
import { comparables } from './comparison.ts'
import { ofProcedure, RID } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'

/** The processes with these row numbers, in any order. */
export const rowsStatement = (procedure: Procedure, rids: number[]): Statement<{ rid: number; row: string }> =>
  statement(
    sql`SELECT ${RID}, ${SELECTED_ROWS.process} ${ROW_ID.from} WHERE ${process.rid} IN ${comparables(rids)} AND ${ofProcedure(procedure)}
LIMIT ${guardedLimit(procedure, sql`${rids.length}`)}`,
  )
