import { type Column, type SQL, sql } from 'drizzle-orm'
import { countUtf8Bytes } from '../../bytes.ts'
import { isGuardFailure } from '../guard.ts'

/**
 * The bytes of a document. A row of D1 holds 2 MB, and one row holds a process and its record in the trash, and under an
 * idempotency key, so each has a little less than half of it.
 */
export const DOCUMENT_BYTES_MAX = 900_000

/** The bytes that a value takes in a document for each character of its JSON. */
export const BYTES_PER_CHARACTER_MAX = 3

const getLabel = (name: string) => `the ${name} is too large`

/** The growth of a document as text: `false` is one byte in a document, and six as text. Up to this size it certainly fits. */
const TEXT_BYTES_PER_BYTE_MAX = 6
export const CERTAINLY_FITTING_BYTES = DOCUMENT_BYTES_MAX / TEXT_BYTES_PER_BYTE_MAX

/** An expression for RETURNING that fails the transaction if a document has become too long, as the text that is read. */
export function checkSize(document: Column, name: string): SQL<string> {
  const [certain, max, label] = [CERTAINLY_FITTING_BYTES, DOCUMENT_BYTES_MAX, `'${getLabel(name)}'`].map(each =>
    sql.raw(String(each)),
  )
  const fits = sql`length(${document}) <= ${certain} OR length(CAST(json(${document}) AS BLOB)) <= ${max}`
  return sql`json_extract('{}', iif(${fits}, '$', ${label}))`
}

export const isTooLarge = (error: unknown, name: string): boolean => isGuardFailure(error, getLabel(name))

/** Checks a document as it is sent; stored it takes no more. Short ones, as almost all are, need not be written as text. */
export const isDocumentTooLarge = (data: object): boolean =>
  estimateBytesMax(data) > DOCUMENT_BYTES_MAX && countUtf8Bytes(JSON.stringify(data)) > DOCUMENT_BYTES_MAX

/** The bytes of an escaped code unit in JSON, as `\u0001`. */
const ESCAPED_BYTES = 6
/** The bytes of `-2.2250738585072014e-308` and a comma. */
const NUMBER_BYTES_MAX = 25
/** The bytes of brackets or quotes, a colon and a comma. */
const AROUND_BYTES = 4

/** Returns an upper bound of the bytes of a value as JSON. */
function estimateBytesMax(value: unknown): number {
  if (typeof value === 'string') return value.length * ESCAPED_BYTES + AROUND_BYTES
  if (typeof value !== 'object' || value === null) return NUMBER_BYTES_MAX
  let bytes = AROUND_BYTES
  if (Array.isArray(value)) for (const each of value) bytes += estimateBytesMax(each)
  else
    for (const [name, each] of Object.entries(value))
      bytes += name.length * ESCAPED_BYTES + AROUND_BYTES + estimateBytesMax(each)
  return bytes
}
