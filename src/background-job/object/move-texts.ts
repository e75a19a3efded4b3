import { type SQL, sql } from 'drizzle-orm'
import { callBucket } from '../../bucket-call.ts'
import type { Db } from '../../db/client.ts'
import { guard, isGuardFailure } from '../../db/guard.ts'
import { type Statement, select, statement } from '../../db/statement.ts'
import { selectWithinBytes } from '../../db/within-bytes.ts'
import { write } from '../../db/write.ts'
import { TIME_TRAVEL_MS } from '../../time-units.ts'
import type { CompletedJob } from '../archive/statements.ts'
import { whereJob } from '../job-rows.ts'
import { readRestoredAt } from '../maintenance/interrupt.ts'
import { markMoved } from '../removal.ts'
import { backgroundJob, jobChunk, jobOutcome } from '../table.ts'
import { encodePointer, toObjectKey, toObjectPrefix, wherePointer } from './pointer.ts'
import { collectTexts } from './write-texts.ts'

/** What is moved at once: as much is read in one round trip, and held in memory. */
const OBJECT_BYTES_MAX = 2_000_000
const ROWS_PER_OBJECT = 500
/** The rest is for the next minute: other tasks share the time of this one. */
const OBJECTS_PER_RUN = 15
const CHANGED = 'the entries of the job were changed meanwhile'

type MovingBucket = Pick<R2Bucket, 'put' | 'delete' | 'list'>

/** A row of a chunk, or of outcomes. */
interface MovedRow {
  table: 'chunk' | 'outcome'
  first: number
  place: number
  text: string
}

/**
 * Moves what the rows of a large job have still: its first entries, and all outcomes. The rows stay until the job expires, with
 * pointers, so that they are the index of its objects: each step takes effect by itself, however large the job is.
 */
export async function moveTexts(bucket: MovingBucket, db: () => Db, job: CompletedJob, now: number): Promise<void> {
  const prefix = toObjectPrefix(job.team, job)
  for (let nth = 0; nth < OBJECTS_PER_RUN; nth++) {
    const [chunks, outcomes] = await db().read(selectTexts(job, 'chunk'), selectTexts(job, 'outcome'))
    const rows = chunks.length > 0 ? chunks : outcomes
    if (rows.length === 0) return endMove(bucket, db, job, now)
    const texts = collectTexts()
    const moved = rows.map(({ text, ...row }) => ({ ...row, text: encodePointer(texts.add(text)) }))
    await texts.write(bucket, prefix)
    try {
      const writer = { db: db(), idempotency: null }
      await write(writer, { guards: [guardUnchanged(job)], effect: [replaceTexts(job, moved)], outcome: null })
    } catch (error) {
      // Whether it happened is not known then: an object that no row points to goes at the end.
      if (!isGuardFailure(error, CHANGED)) throw error
      // An erasure came between: the job is looked at anew in a minute.
      await texts.remove(bucket, prefix)
      return
    }
  }
}

/**
 * Notes that there is nothing left to do. After a restore no object is removed for a month: it may be taken back, with rows that
 * point there. Then the job is looked at again.
 */
async function endMove(bucket: MovingBucket, db: () => Db, job: CompletedJob, now: number): Promise<void> {
  const removableAt = (await readRestoredAt(db())) + TIME_TRAVEL_MS
  const isRemovable = removableAt < now
  if (isRemovable) await removeLost(bucket, db, job)
  const effect = [markMoved(job.team.no, job.no, isRemovable ? null : removableAt)]
  await write({ db: db(), idempotency: null }, { guards: [guardUnchanged(job)], effect, outcome: null })
}

/** Removes objects that no row points to: whoever put one died before its rows were written. */
async function removeLost(bucket: MovingBucket, db: () => Db, job: CompletedJob): Promise<void> {
  const prefix = `${toObjectPrefix(job.team, job)}/`
  const [named] = await db().read(selectObjectNames(job))
  const known = new Set(named.map(({ name }) => toObjectKey(prefix.slice(0, -1), name)))
  for (let cursor: string | undefined; ; ) {
    const listed = await callBucket(() => bucket.list({ prefix, ...(cursor === undefined ? {} : { cursor }) }))
    const lost = listed.objects.flatMap(({ key }) => (known.has(key) ? [] : [key]))
    if (lost.length > 0) await callBucket(() => bucket.delete(lost))
    if (!listed.truncated) return
    cursor = listed.cursor
  }
}

const guardUnchanged = ({ team, no, revision }: CompletedJob): Statement =>
  guard(
    CHANGED,
    sql`EXISTS (SELECT 1 FROM ${backgroundJob} WHERE ${whereJob(team.no, no)} AND ${backgroundJob.completedAt} > 0
      AND ${backgroundJob.archivedAt} IS NULL AND ${backgroundJob.revision} = ${revision})`,
  )

const COLUMNS = {
  chunk: { table: jobChunk, place: sql`0`, text: jobChunk.entries.getSQL() },
  outcome: { table: jobOutcome, place: jobOutcome.offset.getSQL(), text: jobOutcome.outcomes.getSQL() },
}

const whereTextOfJob = (table: typeof jobChunk | typeof jobOutcome, { team, no }: CompletedJob): SQL =>
  sql`${table.team} = ${team.no} AND ${table.job} = ${no}`

/** The next rows that have their texts themselves. */
function selectTexts(job: CompletedJob, name: MovedRow['table']): Statement<MovedRow> {
  const { table, place, text } = COLUMNS[name]
  const rows = sql`SELECT ${table.first} AS "first", ${place} AS place, octet_length(${text}) AS bytes FROM ${table}
    WHERE ${whereTextOfJob(table, job)} AND NOT ${wherePointer(text)} ORDER BY 1, 2 LIMIT ${ROWS_PER_OBJECT}`
  return select(
    {
      table: sql<MovedRow['table']>`${name}`,
      first: sql<number>`${table.first}`,
      place: sql<number>`${place}`,
      text: sql<string>`${text}`,
    },
    sql`FROM ${table} WHERE ${whereTextOfJob(table, job)}
      AND (${table.first}, ${place}) IN (${selectWithinBytes({ key: sql`"first", place`, bytesMax: OBJECT_BYTES_MAX }, rows)})
      ORDER BY 2, 3`,
  )
}

/** All rows of a step are of one table. What somebody else has moved stays: the object of theirs may be the only one left. */
function replaceTexts(job: CompletedJob, rows: readonly MovedRow[]): Statement {
  const { table, place, text } = COLUMNS[rows[0]?.table ?? 'outcome']
  const column = sql.raw(table === jobChunk ? 'entries' : 'outcomes')
  return statement(sql`UPDATE ${table} SET ${column} = moved.text
    FROM (SELECT value ->> '$.first' AS "first", value ->> '$.place' AS place, value ->> '$.text' AS text
      FROM json_each(${JSON.stringify(rows)})) AS moved
    WHERE ${whereTextOfJob(table, job)} AND ${table.first} = moved."first" AND ${place} = moved.place AND NOT ${wherePointer(text)}`)
}

const selectObjectNames = (job: CompletedJob): Statement<{ name: string }> =>
  statement(sql`SELECT ${jobChunk.entries} ->> '$.object' AS name FROM ${jobChunk} WHERE ${whereTextOfJob(jobChunk, job)}
    UNION SELECT ${jobOutcome.outcomes} ->> '$.object' FROM ${jobOutcome} WHERE ${whereTextOfJob(jobOutcome, job)}`)
