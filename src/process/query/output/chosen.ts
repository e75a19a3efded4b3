import type { Identity } from '../../../customer-record/identity-rules.ts'
import type { Process } from '../../schema.ts'
import type { CustomerMember, SelectedField } from './fields.ts'

/** The phone numbers and e-mail addresses of customers, by their ids. */
export type Identities = ReadonlyMap<string, Identity>

export const NO_IDENTITIES: Identities = new Map()

const getValue = (data: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(data, name) ? data[name] : undefined

function getCustomerValue({ record }: Process, member: CustomerMember, identities: Identities): unknown {
  if (record === null) return undefined
  return member === 'phone' || member === 'email' ? (identities.get(record.id)?.[member] ?? null) : record[member]
}

/** Returns the value of a field; undefined for an attribute that is not set, or if there is no customer. */
export function getFieldValue(process: Process, field: SelectedField, identities: Identities): unknown {
  switch (field.of) {
    case 'process':
      return process[field.member]
    case 'data':
      return getValue(process.data, field.attribute)
    case 'record':
      return getCustomerValue(process, field.member, identities)
    case 'record data':
      return process.record === null ? undefined : getValue(process.record.data, field.attribute)
  }
}

/** Picks the named attributes that are set. A name may mean something to JavaScript, as `__proto__` does. */
function pick(data: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = {}
  for (const name of names)
    if (Object.hasOwn(data, name))
      Object.defineProperty(picked, name, { value: data[name], enumerable: true, writable: true, configurable: true })
  return picked
}

/** Returns a process with only these fields, in the shape of a whole one. */
export function pickFields(
  process: Process,
  fields: readonly SelectedField[],
  identities: Identities,
): Record<string, unknown> {
  const chosen: Record<string, unknown> = {}
  for (const field of fields) if (field.of === 'process') chosen[field.member] = process[field.member]
  const attributes = fields.flatMap(field => (field.of === 'data' ? [field.attribute] : []))
  if (attributes.length > 0) chosen.data ??= pick(process.data, attributes)
  if (fields.some(({ of }) => of === 'record' || of === 'record data'))
    chosen.record = pickRecordFields(process, chosen.record !== undefined, fields, identities)
  return chosen
}

function pickRecordFields(
  process: Process,
  isWhole: boolean,
  fields: readonly SelectedField[],
  identities: Identities,
): Record<string, unknown> | null {
  if (process.record === null) return null
  const chosen: Record<string, unknown> = isWhole ? { ...process.record } : {}
  for (const field of fields)
    if (field.of === 'record') chosen[field.member] = getFieldValue(process, field, identities)
  const attributes = fields.flatMap(field => (field.of === 'record data' ? [field.attribute] : []))
  if (attributes.length > 0) chosen.data ??= pick(process.record.data, attributes)
  return chosen
}
