import { sql } from 'drizzle-orm'
import { ridList } from '../db/document/values-by-row.ts'
import { select } from '../db/statement.ts'
import { toRowNo, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { normaliseEmail, normalisePhone } from './identity-rules.ts'
import { fromSurvivors, NAMED_ID } from './survivor.ts'
import { EMAIL, PHONE, record, recordIdentity } from './table.ts'

/** The fields by which a query names customers. */
export const RECORD_FIELDS = ['record', 'record.phone', 'record.email'] as const
export type RecordField = (typeof RECORD_FIELDS)[number]

export interface RecordReference {
  field: RecordField
  value: string
}

/** Suggests the field that was probably meant. */
export function suggestRecordField(name: string): RecordField | undefined {
  if (/phone|mobile/i.test(name)) return 'record.phone'
  if (/mail/i.test(name)) return 'record.email'
  return name === 'record.id' ? 'record' : undefined
}

/** Returns the key of a reference in the result of `findRecords`. */
export const toRecordKey = ({ field, value }: RecordReference): string => `${field} ${value}`

/** Finds the row numbers of the team's records that ids, phone numbers and e-mail addresses name, by `toRecordKey`. */
export async function findRecords(
  scope: Scope,
  references: readonly RecordReference[],
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  if (references.length === 0) return found
  const ids = references.flatMap(({ field, value }) => (field === 'record' && UUID.test(value) ? [value] : []))
  const rids = ids.map(toRowNo).filter(Number.isSafeInteger)
  const wanted = references.flatMap(reference => toNamedIdentity(reference) ?? [])
  const [byId, byIdentity] = await scope.db.read(
    select({ rid: record.rid, id: NAMED_ID }, fromSurvivors(scope, ridList(rids))),
    select(
      { kind: recordIdentity.kind, value: recordIdentity.value, rid: recordIdentity.record },
      sql`FROM json_each(${JSON.stringify(wanted)}) wanted
        CROSS JOIN ${recordIdentity} ON ${recordIdentity.team} = ${scope.team.no}
          AND ${recordIdentity.kind} = wanted.value ->> '$.kind' AND ${recordIdentity.value} = wanted.value ->> '$.value'`,
    ),
  )
  const ridById = new Map(byId.map(({ id, rid }) => [id, rid]))
  const ridByIdentity = new Map(byIdentity.map(({ kind, value, rid }) => [`${kind} ${value}`, rid]))
  for (const reference of references) {
    const identity = toNamedIdentity(reference)
    const rid = identity
      ? ridByIdentity.get(`${identity.kind} ${identity.value}`)
      : ridById.get(reference.value.toLowerCase())
    if (rid !== undefined) found.set(toRecordKey(reference), rid)
  }
  return found
}

function toNamedIdentity({ field, value }: RecordReference): { kind: number; value: string } | undefined {
  if (field === 'record') return undefined
  const normal = field === 'record.phone' ? normalisePhone(value) : normaliseEmail(value)
  return normal === null ? undefined : { kind: field === 'record.phone' ? PHONE : EMAIL, value: normal }
}

/** Tells whether a text can be a value of the field. */
export function isRecordReference({ field, value }: RecordReference): boolean {
  if (field === 'record') return UUID.test(value)
  return toNamedIdentity({ field, value }) !== undefined
}
