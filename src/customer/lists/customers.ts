import { listIdentityValues } from '../../customer-record/identity-values.ts'
import { findIdentified, type RecordRow, selectNewestRecords } from '../../customer-record/rows.ts'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { SHORT_BYTES_MAX, takeFittingRows } from '../../http/response/page-bytes.ts'
import type { Scope } from '../../scope.ts'
import type { CustomersQuery } from '../schema.ts'
import { searchCustomers } from './search.ts'
import { readWhole } from './whole.ts'

export interface CustomerPage {
  rows: RecordRow[]
  next: string | null
}

/** Lists the team's customers, newest first; or those with a name; or the one whom a number or an address identifies, if there is one. */
export async function listCustomers(
  scope: Scope,
  { cursor, limit, search, ...identity }: CustomersQuery,
): Promise<CustomerPage> {
  if (search !== undefined) return searchCustomers(scope, search, { cursor, limit })
  if (identity.phone !== undefined || identity.email !== undefined) {
    const [value] = listIdentityValues(identity)
    return { rows: value === undefined ? [] : await findIdentified(scope, value), next: null }
  }
  const [found] = await scope.db.read(selectNewestRecords(scope, readRowCursor(cursor), limit + 1, SHORT_BYTES_MAX))
  const { page, hasMore } = takeFittingRows(found, limit)
  const last = page.at(-1)
  return { rows: await readWhole(scope, page), next: hasMore && last ? writeRowCursor(last.rid) : null }
}
