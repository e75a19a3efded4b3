import { type Column, type SQL, sql } from 'drizzle-orm'
import { utf8Bytes } from '../../bytes.ts'
import { isGuardFailure } from '../guard.ts'

/**
 * A row of D1 holds 2 MB. A process and its record are kept in one row when the process is deleted, or shown again
 * under an idempotency key: so each has a little less than half of it.
 */
export const DOCUMENT_BYTES_MAX = 900_000

const labelOf = (name: string) => `the ${name} is too large`

/** For RETURNING: fails the transaction of a statement that made a document larger than its row can hold. */
export const checkSize = (document: Column, name: string): SQL<string> =>
  sql`json_extract('{}', iif(length(${document}) <= ${sql.raw(String(DOCUMENT_BYTES_MAX))}, '$', ${sql.raw(`'${labelOf(name)}'`)}))`

export const isTooLarge = (error: unknown, name: string): boolean => isGuardFailure(error, labelOf(name))

/** Of a document as it is sent; stored it takes no more. Short ones, as almost all are, need not be written out. */
export const isDocumentTooLarge = (data: object): boolean =>
  bytesAtMost(data) > DOCUMENT_BYTES_MAX && utf8Bytes(JSON.stringify(data)) > DOCUMENT_BYTES_MAX

/** A code unit in JSON: `\u0001`. */
const ESCAPED_BYTES = 6
/** `-2.2250738585072014e-308`, and a comma. */
const NUMBER_BYTES_MAX = 25
/** Brackets or quotes, a colon and a comma. */
const AROUND_BYTES = 4

/** What a value takes as JSON, and mostly less. */
function bytesAtMost(value: unknown): number {
  if (typeof value === 'string') return value.length * ESCAPED_BYTES + AROUND_BYTES
  if (typeof value !== 'object' || value === null) return NUMBER_BYTES_MAX
  let bytes = AROUND_BYTES
  if (Array.isArray(value)) for (const each of value) bytes += bytesAtMost(each)
  else
    for (const [name, each] of Object.entries(value))
      bytes += name.length * ESCAPED_BYTES + AROUND_BYTES + bytesAtMost(each)
  return bytes
}
