import { type SQL, sql } from 'drizzle-orm'
import { jsonPath } from '../../db/document/json.ts'
import { select } from '../../db/statement.ts'
import { process } from '../../process/table.ts'
import type { Scope } from '../../scope.ts'
import { whereAnotherType } from '../index/statements.ts'
import { ATTRIBUTE_TYPES, type Attribute, type ValueKind } from '../model.ts'

/** The count ends here, as "more than": an index of this length is read in some milliseconds. */
export const COUNTED_PROCESSES_MAX = 100_000
/** The newest processes stand for all: the number that is read, and the bytes and values in them. */
const SAMPLED_PROCESSES_MAX = 500
const SAMPLED_BYTES_MAX = 2_000_000
const SAMPLED_VALUES_MAX = 20_000

export interface StoredValue {
  process: string
  /** The value as JSON. */
  value: string
  attribute: string
  /** 1 if this value is a reason to build no index of the attribute. */
  preventsIndex: number
}

export interface ValueSample {
  /** The number of processes; `COUNTED_PROCESSES_MAX + 1` if there are more. */
  processes: number
  sampled: number
  values: StoredValue[]
}

/** Reads the values of the newest processes for some attributes, in one round trip. */
export async function sampleValues(scope: Scope, no: number, attributes: readonly Attribute[]): Promise<ValueSample> {
  const wanted = attributes.map(({ shortId, type }) => ({
    shortId,
    path: jsonPath(shortId),
    kind: ATTRIBUTE_TYPES[type],
  }))
  const rows = Math.min(SAMPLED_PROCESSES_MAX, Math.ceil(SAMPLED_VALUES_MAX / Math.max(1, wanted.length)))
  const ofProcedure = sql`FROM ${process} INDEXED BY process_list WHERE ${process.proc} = ${no}`
  const newest = sql`SELECT ${process.rid} AS rid, length(${process.data}) AS bytes,
    sum(length(${process.data})) OVER (ORDER BY ${process.rid} DESC) AS bytes_so_far
    FROM (SELECT ${process.rid} AS rid ${ofProcedure} ORDER BY ${process.rid} DESC LIMIT ${rows}) AS newest
    CROSS JOIN ${process} ON ${process.rid} = newest.rid`
  const sample = sql`SELECT rid FROM (${newest}) WHERE bytes_so_far - bytes < ${SAMPLED_BYTES_MAX}`
  const path = sql`(attribute.value ->> '$.path')`
  const [[counted], [sampled], values] = await scope.db.read(
    select(
      { processes: sql<number>`count(*)` },
      sql`FROM (SELECT 1 ${ofProcedure} LIMIT ${COUNTED_PROCESSES_MAX + 1})`,
    ),
    select({ processes: sql<number>`count(*)` }, sql`FROM (${sample})`),
    select(
      {
        process: process.id,
        value: sql<string>`${process.data} -> ${path}`,
        attribute: sql<string>`attribute.value ->> '$.shortId'`,
        preventsIndex: sql<number>`${whereUnfit(path)}`,
      },
      sql`FROM (${sample}) AS sampled CROSS JOIN ${process} ON ${process.rid} = sampled.rid
        CROSS JOIN json_each(${JSON.stringify(wanted)}) AS attribute
        WHERE ${process.data} -> ${path} IS NOT NULL ORDER BY ${process.rid} DESC`,
    ),
  )
  return { processes: counted?.processes ?? 0, sampled: sampled?.processes ?? 0, values }
}

const whereUnfit = (path: SQL): SQL => {
  const kinds = [...new Set<ValueKind>(Object.values(ATTRIBUTE_TYPES))].filter(kind => kind !== 'document')
  const cases = kinds.map(kind => sql`WHEN ${kind} THEN ${whereAnotherType(kind, path)}`)
  return sql`CASE attribute.value ->> '$.kind' ${sql.join(cases, sql` `)} ELSE 0 END`
}
