import { newId, toRowNo } from '../src/ids.ts'
import { CHUNK_ENTRIES, CREATE_MANY, CREATED_MANY, UPDATE_MANY, UPDATED_MANY, UPSERTED_MANY } from './set-based.ts'

// A bulk job with nothing of ours around it: the same body, kept as entries in chunks; read again, chunk by chunk; the
// same rows of processes, an event and an outcome for each entry, with what ours have in them, and the job's row moved on. One
// hand-written statement per table.
const JOB = `INSERT INTO background_job (no, id, team, type, completion_status, total, created_by, updated_at, wake_at)
  VALUES (?1, ?2, 1, 'bulk_api_job', 'IN_PROGRESS', ?3, ?2, ?4, ?4)`
const CHUNK = `INSERT INTO job_chunk (team, job, first, count, invalid, entries) VALUES (1, ?1, ?2, ?3, 0, ?4)`
const ENTRIES = `SELECT entries FROM job_chunk WHERE job = ?1 AND first = ?2`
const KNOWN = `SELECT item.key AS nth, process.rid, process.id FROM job_chunk CROSS JOIN json_each(entries) item
  CROSS JOIN process ON proc = ?3 AND primary_key = item.value ->> '$.lead_id' WHERE job = ?1 AND first = ?2`
const OUTCOMES = `INSERT INTO job_outcome (team, job, first, offset, invalid, success, error, updated_at, outcomes)
  VALUES (1, ?1, ?2, 0, 0, ?3, 0, ?4, ?5)`
const MOVE_ON = `UPDATE background_job SET cursor = cursor + ?2, success = success + ?2, revision = revision + 1, updated_at = ?3,
  completion_status = iif(cursor + ?2 = total, 'SUCCESS', 'IN_PROGRESS'), completed_at = iif(cursor + ?2 = total, ?3, 0) WHERE no = ?1`

interface Lead {
  lead_id: string
  city: string
  score: number
}
interface CreateItem {
  data: Lead
}
interface UpdateItem {
  id: string
  update: { data: Pick<Lead, 'city' | 'score'> }
}

interface UpsertItem {
  lead_id: string
  data: Pick<Lead, 'city' | 'score'>
}
type Item = CreateItem | UpdateItem | UpsertItem

/** The row of a process as the statement takes it, and the result of its entry. */
interface PlannedRow {
  isNew: boolean
  row: unknown
  result: { id: string; primaryKey?: string; created?: boolean }
}

/** The process that an entry of an upsert finds. */
interface Found {
  nth: number
  rid: number
  id: string
}

interface PlanContext {
  /** The place of the item in the job. */
  entry: number
  now: number
  isUpsert: boolean
  found: Found | undefined
}

function plan(item: Item, nth: number, { entry, now, isUpsert, found }: PlanContext): PlannedRow {
  if ('id' in item)
    return { isNew: false, row: { rid: toRowNo(item.id), entry, ...item.update.data }, result: { id: item.id } }
  const primaryKey = 'lead_id' in item ? item.lead_id : item.data.lead_id
  const data = { ...item.data, lead_id: primaryKey }
  if (found)
    return {
      isNew: false,
      row: { rid: found.rid, entry, ...data },
      result: { created: false, id: found.id, primaryKey },
    }
  const id = newId(now, nth)
  const result = isUpsert ? { created: true, id, primaryKey } : { id, primaryKey }
  return { isNew: true, row: { rid: toRowNo(id), id, entry, data }, result }
}

export async function runBareJob(request: Request, DB: D1Database, proc: number): Promise<Response> {
  const [now, isUpsert] = [Date.now(), request.method === 'PUT']
  const body = await request.json<Item[] | { processes: Item[] }>()
  const entries = 'processes' in body ? body.processes : body
  const id = newId(now)
  const job = toRowNo(id)
  // Its user is called as the job itself: an id as any other.
  const by = JSON.stringify({ user: id, job: id })
  const firsts = Array.from({ length: Math.ceil(entries.length / CHUNK_ENTRIES) }, (_, nth) => nth * CHUNK_ENTRIES)
  await DB.batch([
    DB.prepare(JOB).bind(job, id, entries.length, now),
    ...firsts.map(first => {
      const some = entries.slice(first, first + CHUNK_ENTRIES)
      return DB.prepare(CHUNK).bind(job, first, some.length, JSON.stringify(some))
    }),
  ])
  for (const first of firsts) {
    const [chunk, known] = await DB.batch([
      DB.prepare(ENTRIES).bind(job, first),
      ...(isUpsert ? [DB.prepare(KNOWN).bind(job, first, proc)] : []),
    ])
    const found = new Map((known?.results as Found[] | undefined)?.map(each => [each.nth, each]))
    const [{ entries: text = '[]' } = {}] = (chunk?.results ?? []) as { entries?: string }[]
    const planned = (JSON.parse(text) as Item[]).map((item, nth) =>
      plan(item, nth, { entry: first + nth, now: now + first / CHUNK_ENTRIES, isUpsert, found: found.get(nth) }),
    )
    const outcomes = planned.map(({ result }, offset) => [offset, 'SUCCESS', result])
    const write = (isNew: boolean, statements: [text: string, ...more: string[]][]) => {
      const rows = planned.filter(each => each.isNew === isNew).map(({ row }) => row)
      return rows.length === 0
        ? []
        : statements.map(([text, ...more]) => DB.prepare(text).bind(JSON.stringify(rows), proc, now, ...more))
    }
    await DB.batch([
      ...write(true, [
        [CREATED_MANY, by],
        [CREATE_MANY, id],
      ]),
      ...write(false, [[isUpsert ? UPSERTED_MANY : UPDATED_MANY, by], [UPDATE_MANY]]),
      DB.prepare(OUTCOMES).bind(job, first, planned.length, now, JSON.stringify(outcomes)),
      DB.prepare(MOVE_ON).bind(job, planned.length, now),
    ])
  }
  return Response.json({ id })
}
