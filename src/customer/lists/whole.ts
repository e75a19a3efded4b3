import { type RecordRow, readRecord, selectRecords } from '../../customer-record/rows.ts'
import type { Scope } from '../../scope.ts'

/** Returns the customers of a page, in its order. Reads now those that were too long to be read with the others. */
export async function readWhole(
  scope: Scope,
  page: readonly { rid: number; row: string | null }[],
): Promise<RecordRow[]> {
  const long = page.flatMap(({ rid, row }) => (row === null ? [rid] : []))
  const [read] = long.length === 0 ? [[]] : await scope.db.read(selectRecords(scope, long, Number.MAX_SAFE_INTEGER))
  const texts = new Map(read.map(({ rid, row }) => [rid, row]))
  return page.flatMap(({ rid, row }) => {
    const text = row ?? texts.get(rid)
    return text ? readRecord({ row: text }) : []
  })
}
