import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { fittingRows, SHORT_BYTES_MAX } from '../../http/response/page-bytes.ts'
import {
  type CustomerRow,
  findIdentified,
  readCustomer,
  selectCustomers,
  selectNewestCustomers,
} from '../../record/customer.ts'
import { identityValues } from '../../record/drafts.ts'
import { areAllListed, selectListedDownTo } from '../../record/listed.ts'
import { identityOf } from '../../record/rules.ts'
import type { Scope } from '../../scope.ts'
import type { RecordsQuery } from '../schema.ts'

export interface CustomerPage {
  rows: CustomerRow[]
  next: string | null
  /** False at the end, where customers of before there was a list may be missing. */
  isComplete: boolean
}

/** The team's customers, newest first; or the one whom a number or an address identifies, if there is one. */
export async function listRecords(scope: Scope, { cursor, limit, ...identity }: RecordsQuery): Promise<CustomerPage> {
  if (identity.phone !== undefined || identity.email !== undefined) {
    const [value] = identityValues(identityOf(identity))
    return { rows: value === undefined ? [] : await findIdentified(scope, value), next: null, isComplete: true }
  }
  const [found, [walk]] = await scope.db.read(
    selectNewestCustomers(scope, readRowCursor(cursor), limit + 1, SHORT_BYTES_MAX),
    selectListedDownTo(),
  )
  const { page, hasMore } = fittingRows(found, limit)
  const last = page.at(-1)
  const next = hasMore && last ? writeRowCursor(last.rid) : null
  const long = page.flatMap(({ rid, row }) => (row === null ? [rid] : []))
  const [read] = long.length === 0 ? [[]] : await scope.db.read(selectCustomers(scope, long, Number.MAX_SAFE_INTEGER))
  const texts = new Map(read.map(({ rid, row }) => [rid, row]))
  const rows = page.flatMap(({ rid, row }) => {
    const text = row ?? texts.get(rid)
    return text ? readCustomer({ row: text }) : []
  })
  return { rows, next, isComplete: next !== null || areAllListed(walk) }
}
