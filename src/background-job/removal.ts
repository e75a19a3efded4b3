import { type SQL, sql } from 'drizzle-orm'
import { guard } from '../db/guard.ts'
import { assignments, insertInto, type Statement, statement } from '../db/statement.ts'
import { toObjectPrefix } from './object/pointer.ts'
import { chunkRemoval as removal } from './table.ts'

// What a row of `chunk_removal` says of a job.
//
//     written, before the job is there ──► due in minutes ─── accepted ──► gone, where all entries are in rows
//                                                                └───────► NEVER ── all texts moved ──► MOVED
//     archived, or expired ──► due

/** An acceptance that has not finished by then never will: what it has written is removed. */
const ACCEPTANCE_MS_MAX = 15 * 60_000
const REMOVED_MEANWHILE = 'the chunks were removed meanwhile'

/** Later than any time: the job is there, and has objects. */
const NEVER = Number.MAX_SAFE_INTEGER
/** The same, and it has ended, and its rows are as short as they become. */
export const MOVED = NEVER - 1

/** Whose rows they are, and the prefix of the job's objects where it has some by then. */
interface Marked {
  team: { no: number; id: string }
  job: { no: number; id: string }
  hasObjects: boolean
}

const toObject = ({ team, job, hasObjects }: Marked): string | null => (hasObjects ? toObjectPrefix(team, job) : null)

const isOfJob = (team: number, job: number): SQL => sql`${removal.team} = ${team} AND ${removal.job} = ${job}`

/** What is written before the job itself is removed unless the job comes. */
export const markForRemoval = (marked: Marked, now: number): Statement =>
  statement(
    insertInto(removal, {
      ...{ job: marked.job.no, team: marked.team.no, due: now + ACCEPTANCE_MS_MAX },
      ...(marked.hasObjects ? { object: toObject(marked) } : {}),
    }),
  )

const guardStillThere = (): Statement => guard(REMOVED_MEANWHILE, sql`changes() = 1`)

/** The acceptance goes on. */
export const renewMark = (marked: Marked, now: number): readonly Statement[] => [
  statement(sql`UPDATE ${removal} SET ${assignments(removal, { due: now + ACCEPTANCE_MS_MAX, object: toObject(marked) })}
    WHERE ${isOfJob(marked.team.no, marked.job.no)}`),
  guardStillThere(),
]

/** The job has come, and keeps what was written before. */
export const keepMarked = (marked: Marked): readonly Statement[] => {
  const which = isOfJob(marked.team.no, marked.job.no)
  const kept = assignments(removal, { due: NEVER, object: toObject(marked) })
  return [
    statement(
      marked.hasObjects
        ? sql`UPDATE ${removal} SET ${kept} WHERE ${which}`
        : sql`DELETE FROM ${removal} WHERE ${which}`,
    ),
    guardStillThere(),
  ]
}

/** The job is there, and has objects from now on, if it had none before. */
export const noteObjects = ({ team, job }: Pick<Marked, 'team' | 'job'>): Statement =>
  statement(
    sql`${insertInto(removal, { job: job.no, team: team.no, due: NEVER, object: toObjectPrefix(team, job) })}
      ON CONFLICT DO NOTHING`,
  )

/** Nothing of an ended job is left to be moved. */
export const markMoved = (team: number, job: number): Statement =>
  statement(sql`UPDATE ${removal} SET ${assignments(removal, { due: MOVED })}
    WHERE ${isOfJob(team, job)} AND ${removal.due} = ${NEVER}`)
