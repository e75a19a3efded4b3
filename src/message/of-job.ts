import { type SQL, sql } from 'drizzle-orm'
import { type Statement, select } from '../db/statement.ts'
import { notFound } from '../errors.ts'
import { ridOf, UUID } from '../ids.ts'
import type { Scope } from '../scope.ts'
import { type StoredMessage, selectMessages } from './ledger/rows.ts'
import { DELIVERY_STATUSES, type DeliveryStatus, deliveryOf } from './rules.ts'
import { message } from './table.ts'

/** A job by its id, and the job whose entries its messages are counted by: itself, or the first of those that it retries. */
export interface JobOfMessages {
  id: string
  first: string
}

/** How far a list has come: the entry and the attempt of its last message. */
export interface EntryAttempt {
  entry: number
  attempt: number
}

/** `message.job` is the first job of a chain of retries, `message.sourceId` the one that sent it. */
const isOf = ({ team }: Scope, { id, first }: JobOfMessages): SQL =>
  sql`${message.job} = ${UUID.test(first) ? ridOf(first) : 0} AND +${message.sourceId} = ${id.toLowerCase()}
    AND +${message.team} = ${team.no}`

/** In the order of the entries; one more than asked for, which tells whether there are more. */
export const selectMessagesOfJob = (
  scope: Scope,
  job: JobOfMessages,
  { after: { entry, attempt }, skip, limit }: { after: EntryAttempt; skip: number; limit: number },
): Statement<StoredMessage> =>
  selectMessages(sql`FROM ${message} INDEXED BY message_attempt WHERE ${isOf(scope, job)}
    AND (${message.entry}, ${message.attempt}) > (${entry}, ${attempt})
    ORDER BY ${message.entry}, ${message.attempt} LIMIT ${limit + 1} OFFSET ${skip}`)

/** How many of a job's messages have each status; of those that were sent again, the last one counts. */
export async function countDeliveries(scope: Scope, job: JobOfMessages): Promise<Record<DeliveryStatus, number>> {
  const [rows] = await scope.db.read(
    select(
      { delivery: message.delivery, count: sql<number>`count(*)` },
      sql`FROM ${message} INDEXED BY message_attempt WHERE ${isOf(scope, job)} AND ${message.resentAs} IS NULL
        GROUP BY ${message.delivery}`,
    ),
  )
  const counts = new Map(rows.map(row => [deliveryOf(row.delivery), row.count]))
  return Object.fromEntries(DELIVERY_STATUSES.map(status => [status, counts.get(status) ?? 0])) as Record<
    DeliveryStatus,
    number
  >
}

/** Follows the retries of a job back to the first one, as far as the jobs are still there. */
export async function firstOfRetries(
  id: string,
  jobOf: (id: string) => Promise<{ retryOf: string | null } | undefined>,
): Promise<string> {
  const job = await jobOf(id)
  if (!job) throw notFound(`background job ${id}`)
  let first = id
  for (let before = job.retryOf; before !== null; before = (await jobOf(before))?.retryOf ?? null) first = before
  return first
}
