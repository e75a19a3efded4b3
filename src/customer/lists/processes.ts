import { sql } from 'drizzle-orm'
import { selectRecord, unknownRecordError } from '../../customer-record/rows.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select } from '../../db/statement.ts'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { SHORT_BYTES_MAX, takeFittingRows } from '../../http/response/page-bytes.ts'
import { toRowNo, UUID } from '../../ids.ts'
import { procedure } from '../../procedure/table.ts'
import { getRowBytes, isLongRow, listedProcess, selectListedUpTo } from '../../process/rows/members.ts'
import { process } from '../../process/table.ts'
import { viewListed } from '../../process/view.ts'
import type { Scope } from '../../scope.ts'
import type { CustomerPageQuery } from '../schema.ts'

interface ProcessListRow {
  rid: number
  /** The row as JSON, or its length in bytes if it is long. */
  row: string
  procedureId: string
  shortId: string
}

/**
 * Selects the newest processes of a customer. `process_record` has them by procedure, each in the order of the row number, so
 * the procedures are found by leaps, and as many of each are read as the page has room for.
 */
const selectProcesses = (
  { team }: Scope,
  rid: number,
  { before, rowsMax }: { before: number; rowsMax: number },
): Statement<ProcessListRow> => {
  const ofRecord = sql`${process} INDEXED BY process_record WHERE ${process.record} = ${rid}`
  const newest = sql`SELECT ${process.rid} AS rid FROM ${ofRecord} AND ${process.proc} = owner.proc
    AND ${process.rid} < ${before} ORDER BY ${process.rid} DESC LIMIT ${rowsMax}`
  return select(
    { rid: process.rid, row: selectListedUpTo(SHORT_BYTES_MAX), procedureId: procedure.id, shortId: procedure.shortId },
    sql`FROM (
        WITH RECURSIVE owner(proc) AS (
          SELECT min(${process.proc}) FROM ${ofRecord}
          UNION ALL SELECT (SELECT min(${process.proc}) FROM ${ofRecord} AND ${process.proc} > owner.proc)
            FROM owner WHERE owner.proc IS NOT NULL)
        SELECT page.value AS rid FROM owner CROSS JOIN json_each((SELECT json_group_array(rid) FROM (${newest}))) page
        ORDER BY 1 DESC LIMIT ${rowsMax}) found
      CROSS JOIN ${process} ON ${process.rid} = found.rid
      CROSS JOIN ${procedure} ON ${procedure.no} = ${process.proc} AND ${procedure.team} = ${team.no}`,
  )
}

/** Lists the texts of a customer's processes, of all procedures, newest first. */
export async function listCustomerProcesses(
  scope: Scope,
  id: string,
  { cursor, limit }: CustomerPageQuery,
): Promise<{ rows: string[]; next: string | null }> {
  const range = { before: readRowCursor(cursor), rowsMax: limit + 1 }
  const rid = UUID.test(id) ? toRowNo(id) : -1
  const [[found], listed] = await scope.db.read(selectRecord(scope, id), selectProcesses(scope, rid, range))
  if (!found) throw unknownRecordError(id)
  // Rows are sorted here, because the database would count each row once more for it.
  const sorted = listed.sort((one, other) => other.rid - one.rid)
  const { page, hasMore } = takeFittingRows(
    sorted.map(each => ({ ...each, bytes: getRowBytes(each.row) })),
    limit,
  )
  const last = page.at(-1)
  const long = await readLong(scope, page)
  return {
    rows: page.flatMap(({ rid, row: short, procedureId, shortId }) => {
      const row = isLongRow(short) ? long.get(rid) : short
      return row === undefined ? [] : viewListed({ team: scope.team, procedure: { id: procedureId, shortId } })(row)
    }),
    next: hasMore && last ? writeRowCursor(last.rid) : null,
  }
}

async function readLong({ db, team }: Scope, page: readonly ProcessListRow[]): Promise<ReadonlyMap<number, string>> {
  const long = page.filter(({ row }) => isLongRow(row)).map(({ rid }) => rid)
  if (long.length === 0) return new Map()
  const [rows] = await db.read(
    select(
      { rid: process.rid, row: listedProcess },
      sql`FROM ${process} WHERE ${process.rid} IN ${ridList(long)} AND +${process.team} = ${team.no}`,
    ),
  )
  return new Map(rows.map(({ rid, row }) => [rid, row]))
}
