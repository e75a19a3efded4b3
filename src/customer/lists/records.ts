import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import { type CustomerRow, findIdentified, readCustomer, selectNewestCustomers } from '../../record/customer.ts'
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
    selectNewestCustomers(scope, readRowCursor(cursor), limit + 1),
    selectListedDownTo(),
  )
  const rows = found.slice(0, limit).map(readCustomer)
  const last = rows.at(-1)
  const next = found.length > limit && last ? writeRowCursor(last.rid) : null
  return { rows, next, isComplete: next !== null || areAllListed(walk) }
}
