import { newId, toRowNo } from '../src/ids.ts'
import { CHUNK_ENTRIES, CREATE_MANY, CREATED_MANY, UPDATE_MANY, UPDATED_MANY } from './set-based.ts'

// A bulk job with nothing of ours around it: the same body, kept as entries in chunks; read again, chunk by chunk; the
// same rows of processes, an event and an outcome for each entry, and the job's row moved on. One hand-written statement per table.
const JOB = `INSERT INTO background_job (no, id, team, type, completion_status, total, created_by, updated_at, wake_at)
  VALUES (?1, ?2, 1, 'bulk_api_job', 'IN_PROGRESS', ?3, ?2, ?4, ?4)`
const CHUNK = `INSERT INTO job_chunk (team, job, first, count, invalid, entries) VALUES (1, ?1, ?2, ?3, 0, ?4)`
const ENTRIES = `SELECT entries FROM job_chunk WHERE job = ?1 AND first = ?2`
const OUTCOMES = `INSERT INTO job_outcome (team, job, first, offset, invalid, success, error, updated_at, outcomes)
  VALUES (1, ?1, ?2, 0, 0, ?3, 0, ?4, ?5)`
const MOVE_ON = `UPDATE background_job SET cursor = cursor + ?2, success = success + ?2, revision = revision + 1, updated_at = ?3,
  completion_status = iif(cursor + ?2 = total, 'SUCCESS', 'IN_PROGRESS'), completed_at = iif(cursor + ?2 = total, ?3, 0) WHERE no = ?1`

interface Lead {
  lead_id: string
  city: string
  score: number
}
type CreateItem = { data: Lead }
type UpdateItem = { id: string; update: { data: Pick<Lead, 'city' | 'score'> } }

/** The row of a process as the statement takes it, and the result of its entry. */
type PlannedRow = [row: unknown, result: { id: string; primaryKey?: string }]

function planCreated({ data }: CreateItem, nth: number, now: number): PlannedRow {
  const id = newId(now, nth)
  return [
    { rid: toRowNo(id), id, data },
    { id, primaryKey: data.lead_id },
  ]
}

const planUpdated = ({ id, update }: UpdateItem): PlannedRow => [{ rid: toRowNo(id), ...update.data }, { id }]

export async function runBareJob(request: Request, DB: D1Database, proc: number): Promise<Response> {
  const [now, isCreate] = [Date.now(), request.method === 'POST']
  const entries = isCreate
    ? await request.json<CreateItem[]>()
    : (await request.json<{ processes: UpdateItem[] }>()).processes
  const id = newId(now)
  const job = toRowNo(id)
  const firsts = Array.from({ length: Math.ceil(entries.length / CHUNK_ENTRIES) }, (_, nth) => nth * CHUNK_ENTRIES)
  await DB.batch([
    DB.prepare(JOB).bind(job, id, entries.length, now),
    ...firsts.map(first => {
      const some = entries.slice(first, first + CHUNK_ENTRIES)
      return DB.prepare(CHUNK).bind(job, first, some.length, JSON.stringify(some))
    }),
  ])
  for (const first of firsts) {
    const text = await DB.prepare(ENTRIES).bind(job, first).first<string>('entries')
    const planned = isCreate
      ? (JSON.parse(text ?? '[]') as CreateItem[]).map((entry, nth) =>
          planCreated(entry, nth, now + first / CHUNK_ENTRIES),
        )
      : (JSON.parse(text ?? '[]') as UpdateItem[]).map(planUpdated)
    const outcomes = planned.map(([, result], offset) => [offset, 'SUCCESS', result])
    const rows = [JSON.stringify(planned.map(([row]) => row)), proc, now]
    await DB.batch([
      DB.prepare(isCreate ? CREATED_MANY : UPDATED_MANY).bind(...rows),
      DB.prepare(isCreate ? CREATE_MANY : UPDATE_MANY).bind(...rows),
      DB.prepare(OUTCOMES).bind(job, first, planned.length, now, JSON.stringify(outcomes)),
      DB.prepare(MOVE_ON).bind(job, planned.length, now),
    ])
  }
  return Response.json({ id })
}
