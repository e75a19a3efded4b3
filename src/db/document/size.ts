import { type Column, type SQL, sql } from 'drizzle-orm'
import { BYTES_PER_CODE_UNIT_MAX } from '../../bytes.ts'
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

/** Of a document as it is sent; stored it takes no more. Short ones, as almost all are, need not be counted out. */
export function isDocumentTooLarge(data: object): boolean {
  const text = JSON.stringify(data)
  return (
    text.length * BYTES_PER_CODE_UNIT_MAX > DOCUMENT_BYTES_MAX &&
    new TextEncoder().encode(text).length > DOCUMENT_BYTES_MAX
  )
}
