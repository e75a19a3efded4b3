import { type SQL, sql } from 'drizzle-orm'
import { findJobWithRetries, type JobWithRetries, selectJob } from '../background-job/job-rows.ts'
import { listDescendants } from '../background-job/rules.ts'
import { ridList } from '../db/document/values-by-row.ts'
import { select } from '../db/statement.ts'
import { notFound } from '../errors.ts'
import { readRowCursor, writeRowCursor } from '../http/request/row-cursor.ts'
import { toRowNo } from '../ids.ts'
import { process } from '../process/table.ts'
import type { Scope } from '../scope.ts'
import { type MessageRow, readMessagesPage, selectListed } from './ledger/statements.ts'
import { DELIVERY_STATUSES, type DeliveryStatus, deliveryNumber, toDeliveryStatus } from './rules.ts'
import { message } from './table.ts'

/** How many entries of a job a statement looks at; the first one looks at fewer, because mostly they are enough. */
const WINDOW_ENTRIES_MAX = 5_000
const WINDOW_ENTRIES_FIRST = 250
const TIME_MS = 2_000
/** How many reasons are told. */
const REASONS_MAX = 20

/**
 * The newest message of each entry of a job: `message.job` is the first job of a chain of retries, `message.sourceId` the
 * one that sent it. What a retry sent for an entry is the message of that entry, in the report of the first job as well.
 */
function selectNewest({ team }: Scope, { job, retries }: JobWithRetries): SQL {
  const first = toRowNo(job.firstJob ?? job.id)
  // The report of a retry has only the entries for which it, or one of its own retries, sent something.
  const ids = JSON.stringify([job, ...listDescendants(job, retries)].map(({ id }) => id))
  const isOwn =
    job.firstJob === null
      ? sql``
      : sql`AND EXISTS (SELECT 1 FROM ${message} AS own INDEXED BY message_attempt WHERE own.job = ${first} AND own.entry = ${message.entry}
          AND own.source_id IN (SELECT value FROM json_each(${ids})))`
  return sql`FROM ${message} INDEXED BY message_attempt WHERE ${message.job} = ${first} AND +${message.team} = ${team.no}
    AND NOT EXISTS (SELECT 1 FROM ${message} AS later INDEXED BY message_attempt WHERE later.job = ${first} AND later.entry = ${message.entry}
      AND later.attempt > ${message.attempt}) ${isOwn}`
}

interface DeliveryFailure {
  code: number | null
  title: string | null
  advice: string | null
  count: number
}

interface DeliveryReport {
  deliveryStatusVsCount: Record<DeliveryStatus, number>
  deliveryFailures: DeliveryFailure[]
  /** False: there was no time for all entries. */
  isDeliveryCountComplete?: false
}

/** How many entries have a newest message with each delivery status, and why messages failed. */
export async function reportDeliveries(scope: Scope, job: JobWithRetries): Promise<DeliveryReport> {
  const ofError = (name: string) => sql<string | null>`${message.error} ->> ${sql.raw(`'$.${name}'`)}`
  const newest = selectNewest(scope, job)
  const counts = Object.fromEntries(DELIVERY_STATUSES.map(status => [status, 0])) as Record<DeliveryStatus, number>
  const failures = new Map<number | null, DeliveryFailure>()
  const endsAt = Date.now() + TIME_MS
  let after = -1
  let isComplete = false
  while (!isComplete && Date.now() < endsAt) {
    const end = after + WINDOW_ENTRIES_MAX
    const [rows, [beyond]] = await scope.db.read(
      select(
        {
          delivery: message.delivery,
          code: sql<number | null>`${message.error} ->> '$.code'`,
          title: ofError('title'),
          advice: ofError('advice'),
          count: sql<number>`count(*)`,
        },
        sql`${newest} AND ${message.entry} > ${after} AND ${message.entry} <= ${end} GROUP BY ${message.delivery}, 2`,
      ),
      selectEntryBeyond(scope, job, end),
    )
    for (const { delivery, ...failure } of rows) {
      const status = toDeliveryStatus(delivery)
      counts[status] += failure.count
      if (status !== 'FAILED') continue
      const known = failures.get(failure.code)
      if (known) known.count += failure.count
      else failures.set(failure.code, failure)
    }
    isComplete = beyond === undefined
    after = (beyond?.entry ?? 0) - 1
  }
  return {
    deliveryStatusVsCount: counts,
    deliveryFailures: [...failures.values()].sort((one, other) => other.count - one.count).slice(0, REASONS_MAX),
    ...(isComplete ? {} : { isDeliveryCountComplete: false }),
  }
}

/** The first entry of a chain of retries after another one for which something was sent. */
const selectEntryBeyond = ({ team }: Scope, { job }: JobWithRetries, end: number) =>
  select(
    { entry: message.entry },
    sql`FROM ${message} INDEXED BY message_attempt WHERE ${message.job} = ${toRowNo(job.firstJob ?? job.id)}
      AND +${message.team} = ${team.no} AND ${message.entry} > ${end} ORDER BY ${message.entry} LIMIT 1`,
  )

interface PageOfJob {
  backgroundJob: string
  status?: DeliveryStatus | undefined
  cursor?: string | undefined
  skip: number
  limit: number
}

/** A message with the primary key of its process. */
export type MessageOfJob = MessageRow & { processKey: string | null }

/**
 * The newest message of each entry of a job, in the order of the entries. What there is no time for goes on by the cursor,
 * so a page by status may be short.
 */
export async function listJobMessages(
  scope: Scope,
  { backgroundJob: id, status, cursor, skip, limit }: PageOfJob,
): Promise<{ rows: MessageOfJob[]; next: string | null }> {
  const job = await findJobWithRetries(scope, id, selectJob)
  if (!job) throw notFound(`background job ${id}`)
  const endsAt = Date.now() + TIME_MS
  const ofStatus = status === undefined ? sql`` : sql`AND +${message.delivery} = ${deliveryNumber(status)}`
  const newest = selectNewest(scope, job)
  const rows: MessageRow[] = []
  let after = cursor === undefined ? -1 : readRowCursor(cursor)
  let entries = skip > 0 ? Number.MAX_SAFE_INTEGER : WINDOW_ENTRIES_FIRST
  let next: number | null = after
  let bytes = 0
  do {
    const wanted = limit - rows.length
    const end: number = Math.min(Number.MAX_SAFE_INTEGER, after + entries)
    const [found, [beyond]] = await scope.db.read(
      selectListed(sql`${newest} ${ofStatus} AND ${message.entry} > ${after} AND ${message.entry} <= ${end}
        ORDER BY ${message.entry} LIMIT ${wanted + 1} OFFSET ${skip}`),
      selectEntryBeyond(scope, job, end),
    )
    const page = await readMessagesPage(scope, found, wanted, bytes)
    rows.push(...page.rows)
    bytes = page.bytes
    if (page.hasMore) {
      next = page.last?.entry ?? after
      break
    }
    next = beyond === undefined ? null : end
    after = (beyond?.entry ?? 0) - 1
    entries = WINDOW_ENTRIES_MAX
  } while (next !== null && rows.length < limit && Date.now() < endsAt)
  return { rows: await withKeys(scope, rows), next: next === null ? null : writeRowCursor(next) }
}

/** Adds the primary keys of the processes of a page, which costs one round trip. */
async function withKeys(scope: Scope, rows: readonly MessageRow[]): Promise<MessageOfJob[]> {
  const ids = [...new Set(rows.flatMap(({ process: id }) => id ?? []))]
  if (ids.length === 0) return rows.map(row => ({ ...row, processKey: null }))
  const [found] = await scope.db.read(
    select(
      { id: process.id, key: process.primaryKey },
      sql`FROM ${process} WHERE ${process.rid} IN ${ridList(ids.map(toRowNo))} AND +${process.team} = ${scope.team.no}`,
    ),
  )
  const keys = new Map(found.map(({ id, key }) => [id, key]))
  return rows.map(row => ({ ...row, processKey: keys.get(row.process ?? '') ?? null }))
}
