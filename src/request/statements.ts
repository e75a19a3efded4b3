import { type SQL, sql } from 'drizzle-orm'
import { IS_ACTIVE } from '../auth/active-team.ts'
import { team } from '../auth/table.ts'
import { insertInto, type Statement, select, statement } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import type { RequestLine } from './line.ts'
import { requestBatch } from './table.ts'

/** What an isolate has collected of a team. */
export interface CollectedBatch {
  team: number
  at: number
  batch: string
  lines: readonly RequestLine[]
}

/** One row for each team. A team that is being erased gets none. */
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
        ...{ team: team.no.getSQL(), at: member('at'), batch: member('batch') },
        ...{ count: member('count'), failed: member('failed'), lines: sql`batch.value -> '$.lines'` },
      },
      sql`FROM json_each(${json}) AS batch CROSS JOIN ${team} ON ${team.no} = batch.value ->> '$.team' AND ${IS_ACTIVE}`,
    ),
  )
}

/** What is asked for of a list. */
export interface LineFilter {
  operation?: string | undefined
  /** From the first to below the last. */
  status?: { from: number; below: number } | undefined
  caller?: string | undefined
  isFailed?: boolean
}

/** A line by its batch and its place there. */
export interface LinePosition {
  at: number
  batch: string
  place: number
}

/** So many batches are looked at by one request for a list. */
export const LOOKED_BATCHES_MAX = 200

/** Lines before a position, newest first, of a bounded number of batches; and where these end. */
export function selectLines(scope: Scope, filter: LineFilter, before: LinePosition, limit: number) {
  const onlyFailed = filter.isFailed === true || (filter.status !== undefined && filter.status.from >= 400)
  const window = sql`SELECT ${requestBatch.at} AS at, ${requestBatch.batch} AS batch, ${requestBatch.lines} AS lines
    FROM ${requestBatch} WHERE ${requestBatch.team} = ${scope.team.no} AND ${requestBatch.at} <= ${before.at}
      AND (${requestBatch.at} < ${before.at} OR ${requestBatch.batch} <= ${before.batch})
      ${onlyFailed ? sql`AND ${requestBatch.failed} > 0` : sql``}
    ORDER BY ${requestBatch.at} DESC, ${requestBatch.batch} DESC LIMIT ${LOOKED_BATCHES_MAX}`
  const isBefore = sql`(looked.at < ${before.at} OR looked.batch < ${before.batch} OR line.key < ${before.place})`
  const lines = select(
    {
      at: sql<number>`looked.at`,
      batch: sql<string>`looked.batch`,
      place: sql<number>`line.key`,
      line: sql<string>`line.value`,
    },
    sql`FROM (${window}) AS looked CROSS JOIN json_each(looked.lines) AS line WHERE ${isBefore}${conditionsOf(filter)}
      ORDER BY looked.at DESC, looked.batch DESC, line.key DESC LIMIT ${limit + 1}`,
  )
  const end = select(
    { at: sql<number>`at`, batch: sql<string>`batch` },
    sql`FROM (${window}) ORDER BY at DESC, batch DESC LIMIT 1 OFFSET ${LOOKED_BATCHES_MAX - 1}`,
  )
  return [lines, end] as const
}

function conditionsOf({ operation, status, caller, isFailed }: LineFilter): SQL {
  const member = (name: string) => sql`(line.value ->> ${`$.${name}`})`
  return sql.join([
    ...(operation === undefined ? [] : [sql` AND ${member('operation')} = ${operation}`]),
    ...(status === undefined
      ? []
      : [sql` AND ${member('status')} >= ${status.from} AND ${member('status')} < ${status.below}`]),
    ...(caller === undefined
      ? []
      : [sql` AND ${caller} IN (${member('by.apiKey')}, ${member('by.session')}, ${member('user')})`]),
    ...(isFailed === true ? [sql` AND ${member('status')} >= 400`] : []),
  ])
}

/** A request is written so long after it began at most: it may take its time, and is collected then. */
const WRITTEN_WITHIN_MS = 150_000

/** The line of a request that began at that time. */
export const selectLine = (scope: Scope, id: string, began: number): Statement<{ line: string }> =>
  select(
    { line: sql<string>`line.value` },
    sql`FROM ${requestBatch} CROSS JOIN json_each(${requestBatch.lines}) AS line
      WHERE ${requestBatch.team} = ${scope.team.no} AND ${requestBatch.at} >= ${began}
        AND ${requestBatch.at} < ${began + WRITTEN_WITHIN_MS} AND instr(${requestBatch.lines}, ${id}) > 0
        AND line.value ->> '$.id' = ${id} LIMIT 1`,
  )
