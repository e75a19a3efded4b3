import { type SQL, sql } from 'drizzle-orm'
import { isObject } from '../../http/shapes.ts'

/** Where the text of a row of a large job stands: the row has this in its place. */
export interface TextPointer {
  /** The name of an object of the job. */
  object: string
  offset: number
  bytes: number
}

/** What the keys of all objects of a job begin with, that of its archive included. */
export const toObjectPrefix = (team: { id: string }, job: { id: string }): string => `jobs/${team.id}/${job.id}`

export const toObjectKey = (prefix: string, name: string): string => `${prefix}/${name}.ndjson`

export const encodePointer = ({ object, offset, bytes }: TextPointer): string =>
  JSON.stringify({ object, offset, bytes })

/** Undefined where the row has the text itself, which is a list. */
export function parsePointer(text: string): TextPointer | undefined {
  if (!text.startsWith('{')) return undefined
  const value: unknown = JSON.parse(text)
  return isObject(value) && 'object' in value ? (value as unknown as TextPointer) : undefined
}

/** A pointer is shorter, so that nothing has to be read of what is longer. */
const POINTER_BYTES_MAX = 200

/** Matches if a row has a pointer in this column. */
export const wherePointer = (column: SQL): SQL =>
  sql`(octet_length(${column}) <= ${POINTER_BYTES_MAX} AND substr(${column}, 1, 1) = '{')`

/** How long the text of a row is, wherever it stands. */
export const textLength = (column: SQL): SQL<number> =>
  sql<number>`iif(${wherePointer(column)}, ${column} ->> '$.bytes', octet_length(${column}))`
