import { sql } from 'drizzle-orm'
import { select } from '../../db/statement.ts'
import { invalid } from '../../errors.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import type { TrashedProcess } from '../row.ts'
import { processTrash as trash } from '../table.ts'
import { viewProcess } from '../view.ts'
import type { DeletedProcess, TrashQuery } from './schema.ts'

/** The stored bytes of a page. A page ends with the process that reaches them, and has at least one. */
const PAGE_BYTES_MAX = 2_000_000
const BASE = 36

/** The last process of a page, behind which the next page begins. */
interface TrashPosition {
  deletedAt: number
  rid: number
}

const writePosition = ({ deletedAt, rid }: TrashPosition): string => `${deletedAt.toString(BASE)}.${rid.toString(BASE)}`

function readPosition(cursor: string): TrashPosition {
  if (!/^[0-9a-z]{1,11}\.[0-9a-z]{1,11}$/.test(cursor))
    throw invalid([{ message: 'the cursor is invalid', path: '/query/cursor' }])
  const [deletedAt = 0, rid = 0] = cursor.split('.').map(part => Number.parseInt(part, BASE))
  return { deletedAt, rid }
}

export interface TrashPage {
  processes: DeletedProcess[]
  next: string | null
}

/** Lists the deleted processes of a procedure, last deleted first. `keptMs` is how long they stay in the trash. */
export async function listTrash(
  scope: Scope,
  procedure: Procedure,
  { cursor, limit }: TrashQuery,
  keptMs: number,
): Promise<TrashPage> {
  const after = cursor === undefined ? undefined : readPosition(cursor)
  const behind = after ? sql`AND (${trash.deletedAt}, ${trash.rid}) < (${after.deletedAt}, ${after.rid})` : sql``
  const newest = sql`SELECT ${trash.rid} AS rid, ${trash.deletedAt} AS at, length(${trash.row}) AS bytes
    FROM ${trash} INDEXED BY process_trash_list WHERE ${trash.proc} = ${procedure.no} ${behind}
    ORDER BY ${trash.deletedAt} DESC, ${trash.rid} DESC LIMIT ${limit + 1}`
  const page = sql`SELECT rid, count(*) OVER () AS found, row_number() OVER last AS nth,
    sum(bytes) OVER last - bytes AS bytes_before FROM (${newest}) WINDOW last AS (ORDER BY at DESC, rid DESC)`
  const [rows] = await scope.db.read(
    select(
      {
        found: sql<number>`page.found`,
        deletedAt: trash.deletedAt,
        deletedBy: trash.deletedBy,
        row: sql<string>`json(${trash.row})`,
      },
      sql`FROM (${page}) AS page CROSS JOIN ${trash} ON ${trash.rid} = page.rid
        WHERE page.nth <= ${limit} AND page.bytes_before < ${PAGE_BYTES_MAX} ORDER BY page.nth`,
    ),
  )
  const processes = rows.map(({ deletedAt, deletedBy, row }) => {
    const { record, ...fields } = JSON.parse(row) as TrashedProcess
    const shown = viewProcess({ team: scope.team, procedure }, { ...fields, record: null }, true)
    return { rid: fields.rid, shown: { ...shown, record, deletedAt, deletedBy, keptUntil: deletedAt + keptMs } }
  })
  const last = processes.at(-1)
  const isAll = (rows[0]?.found ?? 0) === rows.length
  return {
    processes: processes.map(({ shown }) => shown),
    next: isAll || !last ? null : writePosition({ deletedAt: last.shown.deletedAt, rid: last.rid }),
  }
}
