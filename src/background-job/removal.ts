import { type SQL, sql } from 'drizzle-orm'
import { guardChanges, IF_CHANGED, isGuardFailure } from '../db/guard.ts'
import { assignments, insertInto, type Statement, statement } from '../db/statement.ts'
import { AppError } from '../errors.ts'
import { whereJob } from './job-rows.ts'
import { toObjectPrefix } from './object/pointer.ts'
import { backgroundJob, chunkRemoval as removal } from './table.ts'

// What a row of `chunk_removal` says of a job.
//
//     written, before the job is there ──► due in minutes ─── accepted ──► gone, where all entries are in rows
//                                                                └───────► NEVER ── all texts moved ──► MOVED
//                                        after a restore: NEVER ── all texts moved ──► LEASED, for a month ──► MOVED
//     ended, without objects ──► LEASED, while its entries are moved ──► archived
//     archived, or expired ──► due

/** An acceptance that has not finished by then never will: what it has written is removed. */
const ACCEPTANCE_MS_MAX = 15 * 60_000
/** What is due so soon may be on its way out already: neither clocks nor the moments of a write and its statement are the same. */
const REMOVAL_MARGIN_MS = 60_000
const REMOVED_MEANWHILE = 'the chunks were removed meanwhile'
export const isRemovedMeanwhile = (error: unknown): boolean => isGuardFailure(error, REMOVED_MEANWHILE)

export const stoodStillError = (cause?: unknown): AppError =>
  new AppError(
    'conflict',
    'the request stood still for a quarter of an hour, and what had come of it was removed: send it again',
    cause,
  )

/** Later than any time: the job is there, and has objects. */
const NEVER = Number.MAX_SAFE_INTEGER
/** The same, and it has ended, and its rows are as short as they become. */
const MOVED = NEVER - 1
/** Until some time nobody else moves the entries of a job, or looks for objects of it that are lost: this is added to that time. */
const LEASED = 2 ** 52
/** Longer than an invocation lives (fifteen minutes): when the lease ends, whoever had it writes no more. */
const LEASE_MS = 20 * 60_000

/** Whose rows they are, and the prefix of the job's objects where it has some by then. */
export interface Marked {
  team: { no: number; id: string }
  job: { no: number; id: string }
  hasObjects: boolean
}

const toObject = ({ team, job, hasObjects }: Marked): string | null => (hasObjects ? toObjectPrefix(team, job) : null)

const whereRemovalOfJob = (team: number, job: number): SQL => sql`${removal.team} = ${team} AND ${removal.job} = ${job}`

/** What is written before the job itself is removed unless the job comes. */
export const markForRemoval = (marked: Marked, now: number): Statement =>
  statement(
    insertInto(removal, {
      job: marked.job.no,
      team: marked.team.no,
      due: now + ACCEPTANCE_MS_MAX,
      ...(marked.hasObjects ? { object: toObject(marked) } : {}),
    }),
  )

/** Where it is due, objects may be gone, though the row is there. */
const whereWaiting = ({ team, job }: Marked, now: number): SQL =>
  sql`${whereRemovalOfJob(team.no, job.no)} AND ${removal.due} > ${now + REMOVAL_MARGIN_MS}`

/** The acceptance goes on. */
export const renewMark = (marked: Marked, now: number): readonly Statement[] => [
  statement(sql`UPDATE ${removal} SET ${assignments(removal, { due: now + ACCEPTANCE_MS_MAX, object: toObject(marked) })}
    WHERE ${whereWaiting(marked, now)}`),
  guardChanges(REMOVED_MEANWHILE, 1),
]

/** The job has come, and keeps what was written before. */
export const keepMarked = (marked: Marked, now: number): readonly Statement[] => {
  const which = whereWaiting(marked, now)
  const kept = assignments(removal, { due: NEVER, object: toObject(marked) })
  return [
    statement(
      marked.hasObjects
        ? sql`UPDATE ${removal} SET ${kept} WHERE ${which}`
        : sql`DELETE FROM ${removal} WHERE ${which}`,
    ),
    guardChanges(REMOVED_MEANWHILE, 1),
  ]
}

/** The job is there, and has objects from now on, if it had none before. */
export const noteObjects = ({ team, job }: Pick<Marked, 'team' | 'job'>): Statement =>
  statement(
    sql`${insertInto(removal, { job: job.no, team: team.no, due: NEVER, object: toObjectPrefix(team, job) })}
      ON CONFLICT DO NOTHING`,
  )

/**
 * Leases the entries of a job for the task that moves them to its object: without a lease, two tasks could write it at once.
 * Changes nothing while another task has the lease. The lease is the value of `due` in the row, which is never the same twice.
 */
export function leaseEntries({ team, no }: { team: { no: number }; no: number }, isThere: SQL, now: number) {
  const lease = LEASED + now + LEASE_MS
  const values = { job: backgroundJob.no.getSQL(), team: backgroundJob.team.getSQL(), due: sql`${lease}` }
  const leasing =
    statement(sql`${insertInto(removal, values, sql`FROM ${backgroundJob} WHERE ${whereJob(team.no, no)} AND ${isThere}`)}
    ON CONFLICT (team, job) DO UPDATE SET ${assignments(removal, { due: sql`excluded.due` })}
    WHERE ${removal.object} IS NULL AND ${removal.due} BETWEEN ${LEASED} AND ${LEASED + now}`)
  return { lease, leasing }
}

/** Matches if somebody has the lease still. */
export const whereLeased = (team: number, no: number, lease: number): SQL =>
  sql`EXISTS (SELECT 1 FROM ${removal} WHERE ${whereRemovalOfJob(team, no)} AND ${removal.due} = ${lease})`

/** The rows of the job go, if the statement before it has marked that: they are in its object. */
export const removeLease = (team: number, no: number, { lease, now }: { lease: number; now: number }): Statement =>
  statement(sql`UPDATE ${removal} SET ${assignments(removal, { due: now })}
    WHERE ${IF_CHANGED} AND ${whereRemovalOfJob(team, no)} AND ${removal.due} = ${lease}`)

/** Nothing of an ended job is left to be moved. Until this time objects of it may be needed that no row points to. */
export const markMoved = (team: number, job: number, until: number | null): Statement =>
  statement(sql`UPDATE ${removal} SET ${assignments(removal, { due: until === null ? MOVED : LEASED + until })}
    WHERE ${whereRemovalOfJob(team, job)} AND ${removal.due} BETWEEN ${LEASED} AND ${NEVER}`)

/** Matches if there is something to do for a job with objects: its texts are moved, or it has to wait. */
export const whereToBeMoved = (now: number): SQL =>
  sql`(${removal.object} IS NULL OR ${removal.due} NOT BETWEEN ${LEASED + now + 1} AND ${MOVED})`
