import {
  isRecordReference,
  RECORD_FIELDS,
  type RecordField,
  toRecordKey,
} from '../../../customer-record/query-references.ts'
import type { Fault } from '../../../errors.ts'
import { readTimestamp } from '../../../http/request/timestamp.ts'
import { UUID } from '../../../ids.ts'
import { getDeclaredAttributes } from '../../../procedure/declared.ts'
import type { Procedure, ValueKind } from '../../../procedure/model.ts'
import { ATTRIBUTE_TYPES, ROOT_FIELDS, STATUSES } from '../../../procedure/model.ts'
import { checkCompared, checkJson, isExactNumber } from '../../../procedure/values.ts'
import { suggest } from '../../../suggest.ts'
import { noSuchUser } from '../../../user/rules.ts'
import { getFieldKind, isNullable, toStatusNumber } from '../../fields.ts'
import type { QueryField, QueryRoot, Scalar } from './condition.ts'
import { isPrimaryKey, isScalar } from './condition.ts'
import { shortenName } from './shortened.ts'

/** A value of a filter, ready to compare; or its fault, a sentence that starts with the field. */
type ValueReading = { values: Scalar[] } | { message: string; hint?: Fault['hint'] }

export interface ValueContext {
  procedure: Procedure
  /** User ids by the names that the filter uses for them. */
  users: ReadonlyMap<string, string>
  /** Row numbers of records by `toRecordKey`. */
  records: ReadonlyMap<string, number>
}

export function parseField(key: string, procedure: Procedure): QueryField {
  const root = ROOT_FIELDS.find(field => field === key)
  if (root !== undefined) return { root }
  const declared = procedure.attributes.find(attribute => attribute.shortId === key)
  if (declared === undefined && isRecordField(key)) return { root: 'record' }
  if (declared === undefined) return { attribute: key, valueKind: 'undeclared', elementKind: null }
  const valueKind: ValueKind = ATTRIBUTE_TYPES[declared.type]
  const numbers = declared.type === 'multiIntegerEnum' || declared.type === 'multiFloatEnum'
  return { attribute: key, valueKind, elementKind: valueKind === 'list' ? (numbers ? 'number' : 'text') : null }
}

/** Tells whether `<` and `>` apply to a root field. */
export const hasOrder = (root: QueryRoot): boolean => ['time', 'number'].includes(getFieldKind(root))

export const mayBeUnset = (field: QueryField): boolean => field.root === undefined || isNullable(field.root)

export function readValue(
  value: Scalar,
  field: QueryField,
  { procedure, users, records }: ValueContext,
  key = '',
): ValueReading {
  if (field.root === undefined) return readAttribute(value, field, { procedure, users })
  switch (getFieldKind(field.root)) {
    case 'status': {
      const status = STATUSES.find(known => known === value)
      return status === undefined ? toUnknownValue(value, 'a status', STATUSES) : { values: [toStatusNumber(status)] }
    }
    case 'state': {
      const states = procedure.states.map(state => state.shortId)
      return typeof value === 'string' && states.includes(value)
        ? { values: [value] }
        : toUnknownValue(value, `a state of ${procedure.shortId}`, states)
    }
    case 'user': {
      const id = typeof value === 'string' ? users.get(value) : undefined
      if (id !== undefined) return { values: [id] }
      return toUnknownValue(value, "the id, username or e-mail address of one of the team's users", [...users.keys()])
    }
    case 'id':
      if (typeof value === 'string' && UUID.test(value)) return { values: [value.toLowerCase()] }
      return { message: `${formatValue(value)} is not a UUID` }
    case 'time':
      return readTime(value)
    case 'record':
      return readRecord(value, key, records)
    // No field of these kinds can be queried.
    case 'number':
    case 'text':
      return { values: [value] }
  }
}

const DIGITS = /^\d{1,16}$/

function readTime(value: Scalar): ValueReading {
  const time = readTimestamp(typeof value === 'string' && DIGITS.test(value) ? Number(value) : value)
  return 'ms' in time ? { values: [time.ms] } : { ...time, message: `${formatValue(value)} ${time.message}` }
}

const isRecordField = (key: string): key is RecordField => RECORD_FIELDS.some(field => field === key)

const RECORD_VALUES: Readonly<Record<RecordField, string>> = {
  record: 'the id of a customer',
  'record.phone': 'a phone number',
  'record.email': 'an e-mail address',
}

/** Reads a reference to a customer. An unknown one has no process, which is no fault. */
function readRecord(value: Scalar, key: string, records: ReadonlyMap<string, number>): ValueReading {
  if (!isRecordField(key)) return { values: [] }
  const reference = { field: key, value: String(value) }
  if (typeof value === 'boolean' || !isRecordReference(reference))
    return { message: `${formatValue(value)} is not ${RECORD_VALUES[key]}` }
  const rid = records.get(toRecordKey(reference))
  return { values: rid === undefined ? [] : [rid] }
}

const formatValue = (value: Scalar): string => JSON.stringify(typeof value === 'string' ? value.slice(0, 100) : value)

function toUnknownValue(value: Scalar, what: string, known: readonly string[]): ValueReading {
  const message = `${formatValue(value)} is not ${what}`
  return typeof value === 'string' ? { message, hint: () => suggest(value, known) } : { message }
}

/** Reads the value of an attribute by the code that validates `data`: a value that cannot be stored is not looked for. */
function readAttribute(
  value: Scalar,
  field: QueryField & { root?: never },
  { procedure, users }: Pick<ValueContext, 'procedure' | 'users'>,
): ValueReading {
  const declared = getDeclaredAttributes(procedure).get(field.attribute)
  if (declared === undefined) {
    const fault = checkJson(value)
    if (fault !== undefined) return toRefusedValue(field.attribute, fault)
    return { values: isPrimaryKey(field, procedure) ? [value] : listBothForms(value) }
  }
  const checked = checkCompared(declared, value)
  if ('fault' in checked) return toRefusedValue(field.attribute, checked.fault)
  if (declared.type === 'user') return readUser(String(checked.value), users)
  return { values: isScalar(checked.value) ? [checked.value] : [] }
}

function readUser(reference: string, users: ReadonlyMap<string, string>): ValueReading {
  const id = users.get(reference)
  return id === undefined ? noSuchUser(reference) : { values: [id] }
}

const toRefusedValue = (attribute: string, { message, hint }: Omit<Fault, 'path'>): ValueReading => ({
  message: `${JSON.stringify(shortenName(attribute))} ${message}`,
  hint,
})

/** Returns both forms of a value without a declared type: a number and its canonical text stand for one another, unless digits are lost. */
function listBothForms(value: Scalar): Scalar[] {
  if (typeof value === 'number') return isExactNumber(value) ? [value, String(value)] : [value]
  if (typeof value === 'boolean') return [value]
  const number = Number(value)
  return isExactNumber(number) && String(number) === value ? [value, number] : [value]
}
