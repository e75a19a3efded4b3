import { sql } from 'drizzle-orm'
import { select } from '../db/statement.ts'
import { toRowNo } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { type Identity, NO_IDENTITY_ATTRIBUTES, toIdentity } from './rules.ts'
import { record } from './table.ts'

/** A customer as a response shows it inside a process. */
export interface RecordSummary {
  id: string
  data: Record<string, unknown>
}

/** Returns the phone number and e-mail address by which each of some customers is identified, by id. It takes one statement. */
export async function listIdentities(
  scope: Scope,
  records: readonly RecordSummary[],
): Promise<ReadonlyMap<string, Identity>> {
  if (records.length === 0) return new Map()
  const rids = JSON.stringify([...new Set(records.map(({ id }) => toRowNo(id)))])
  const [rows] = await scope.db.read(
    select(
      { id: record.id, phoneName: record.phoneName, emailName: record.emailName },
      sql`FROM json_each(${rids}) wanted CROSS JOIN ${record} ON ${record.rid} = wanted.value AND +${record.team} = ${scope.team.no}`,
    ),
  )
  const attributesById = new Map(rows.map(row => [row.id, row]))
  return new Map(
    records.map(({ id, data }) => [id, toIdentity(data, attributesById.get(id) ?? NO_IDENTITY_ATTRIBUTES)]),
  )
}
