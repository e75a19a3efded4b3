import { type SQL, sql } from 'drizzle-orm'
import { insertInto, type Statement, select, statement } from '../db/statement.ts'
import { selectWithinBytes } from '../db/within-bytes.ts'
import { getFirstId } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { team } from '../team/table.ts'
import { IS_NOT_BEING_ERASED } from '../team-status/present-team.ts'
import type { RequestLine } from './line.ts'
import { requestBatch } from './table.ts'

/** The lines of a team that an isolate has collected. */
interface CollectedBatch {
  team: number
  at: number
  batch: string
  lines: readonly RequestLine[]
}

/** Inserts one row for each team, but none for a team that is being erased. */
export function insertBatches(batches: readonly CollectedBatch[]): Statement {
  const json = JSON.stringify(
    batches.map(each => ({
      ...each,
      count: each.lines.length,
      failed: each.lines.filter(({ status }) => status >= 400).length,
    })),
  )
  const member = (name: string) => sql`batch.value ->> ${`$.${name}`}`
  return statement(
    insertInto(
      requestBatch,
      {
        team: team.no.getSQL(),
        at: member('at'),
        batch: member('batch'),
        count: member('count'),
        failed: member('failed'),
        lines: sql`batch.value -> '$.lines'`,
      },
      sql`FROM json_each(${json}) AS batch CROSS JOIN ${team} ON ${team.no} = batch.value ->> '$.team' AND ${IS_NOT_BEING_ERASED}`,
    ),
  )
}

/** The filter of a list. */
interface LineFilter {
  operation?: string | undefined
  /** The statuses, from the first to below the last. */
  status?: { from: number; below: number } | undefined
  caller?: string | undefined
  address?: string | undefined
  isFailed?: boolean
  /** The time of the beginning, from the first to below the last. */
  from?: number | undefined
  to?: number | undefined
}

/** The position of a line: its batch and its place there. */
export interface LinePosition {
  at: number
  batch: string
  place: number
}

/** The batches, and their bytes, that one request for a list reads. Batches without failures are cheaper to pass over. */
const LOOKED_BATCHES_MAX = 200
const LOOKED_BYTES_MAX = 8_000_000
const PASSED_BATCHES_MAX = 1_000

/** The time from the beginning of a request to its row, at most: it may run long, and is collected then. */
const WRITTEN_WITHIN_MS = 150_000

const AT = sql`${requestBatch.at}`
const BATCH = sql`${requestBatch.batch}`

/** Selects lines before a position, newest first, from a bounded number of batches; and the end of these. */
export function selectLines(scope: Scope, filter: LineFilter, before: LinePosition, limit: number) {
  const { from, to } = filter
  const onlyFailed = filter.isFailed === true || (filter.status !== undefined && filter.status.from >= 400)
  const within = sql.join([
    ...(from === undefined ? [] : [sql` AND ${AT} >= ${from}`]),
    ...(to === undefined ? [] : [sql` AND ${AT} < ${to + WRITTEN_WITHIN_MS}`]),
  ])
  const passed = sql`SELECT ${AT} AS at, ${BATCH} AS batch, iif(${onlyFailed ? sql`${requestBatch.failed} > 0` : sql`1`}, octet_length(${requestBatch.lines}), 0) AS bytes
    FROM ${requestBatch} WHERE ${requestBatch.team} = ${scope.team.no} AND ${AT} <= ${before.at}
      AND (${AT} < ${before.at} OR ${BATCH} <= ${before.batch})${within}
    ORDER BY ${AT} DESC, ${BATCH} DESC LIMIT ${onlyFailed ? PASSED_BATCHES_MAX : LOOKED_BATCHES_MAX}`
  const window = selectWithinBytes(
    { key: sql`at, batch, bytes`, order: sql`at DESC, batch DESC`, bytesMax: LOOKED_BYTES_MAX },
    passed,
  )
  const isBefore = sql`(looked.at < ${before.at} OR looked.batch < ${before.batch} OR line.key < ${before.place})`
  const lines = select(
    {
      at: sql<number>`looked.at`,
      batch: sql<string>`looked.batch`,
      place: sql<number>`line.key`,
      line: sql<string>`line.value`,
    },
    sql`FROM (${window}) AS looked CROSS JOIN ${requestBatch} ON ${requestBatch.team} = ${scope.team.no} AND ${AT} = looked.at
        AND ${BATCH} = looked.batch AND looked.bytes > 0
      CROSS JOIN json_each(${requestBatch.lines}) AS line WHERE ${isBefore}${buildConditions(filter)}
      ORDER BY looked.at DESC, looked.batch DESC, line.key DESC LIMIT ${limit + 1}`,
  )
  const last = sql`SELECT at, batch FROM (${window}) ORDER BY at, batch LIMIT 1`
  const isBeforeLast = sql`(${AT}, ${BATCH}) < (last.at, last.batch)${from === undefined ? sql`` : sql` AND ${AT} >= ${from}`}`
  const end = select(
    { at: sql<number>`last.at`, batch: sql<string>`last.batch` },
    sql`FROM (${last}) AS last
      WHERE EXISTS (SELECT 1 FROM ${requestBatch} WHERE ${requestBatch.team} = ${scope.team.no} AND ${isBeforeLast})`,
  )
  return [lines, end] as const
}

function buildConditions({ operation, status, caller, address, isFailed, from, to }: LineFilter): SQL {
  const member = (name: string) => sql`(line.value ->> ${`$.${name}`})`
  return sql.join([
    ...(operation === undefined ? [] : [sql` AND ${member('operation')} = ${operation}`]),
    ...(status === undefined
      ? []
      : [sql` AND ${member('status')} >= ${status.from} AND ${member('status')} < ${status.below}`]),
    ...(caller === undefined
      ? []
      : [sql` AND ${caller} IN (${member('by.apiKey')}, ${member('by.session')}, ${member('user')})`]),
    ...(address === undefined ? [] : [sql` AND ${member('address')} = ${address}`]),
    ...(isFailed === true ? [sql` AND ${member('status')} >= 400`] : []),
    ...(from === undefined ? [] : [sql` AND ${member('id')} >= ${getFirstId(from)}`]),
    ...(to === undefined ? [] : [sql` AND ${member('id')} < ${getFirstId(to)}`]),
  ])
}

/** Selects the line of a request that began at that time. */
export const selectLine = (scope: Scope, id: string, began: number): Statement<{ line: string }> =>
  select(
    { line: sql<string>`line.value` },
    sql`FROM ${requestBatch} CROSS JOIN json_each(${requestBatch.lines}) AS line
      WHERE ${requestBatch.team} = ${scope.team.no} AND ${requestBatch.at} >= ${began}
        AND ${requestBatch.at} < ${began + WRITTEN_WITHIN_MS} AND instr(${requestBatch.lines}, ${id}) > 0
        AND line.value ->> '$.id' = ${id} LIMIT 1`,
  )
