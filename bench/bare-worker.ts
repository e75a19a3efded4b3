import { runBareJob } from './bare-job.ts'
import { LAST_EVENT } from './set-based.ts'

// The cost of a request without our code: the same rows, one prepared statement, no framework.
interface BareEnv {
  DB: D1Database
}

const COLUMNS =
  'rid, id, status, state, assigned_to, next_action_at, created_by, completed_at, updated_at, version, primary_key, record, json(data) AS data'
const FETCH = `SELECT ${COLUMNS} FROM process WHERE rid = ?1 AND +proc = ?2`
const EQUALITY = `SELECT ${COLUMNS} FROM process INDEXED BY process_s1 WHERE proc = ?1 AND s1 = ?2 ORDER BY rid DESC LIMIT 11`
const RANGE = `SELECT ${COLUMNS} FROM process INDEXED BY process_s2 WHERE proc = ?1 AND s2 >= ?2 AND s2 < ?3 ORDER BY rid DESC LIMIT 11`
const SKIP = `SELECT ${COLUMNS} FROM process INDEXED BY process_list WHERE proc = ?1 ORDER BY rid DESC LIMIT 11 OFFSET ?2`
const CURSOR = `SELECT ${COLUMNS} FROM process INDEXED BY process_list WHERE proc = ?1 AND rid < ?2 ORDER BY rid DESC LIMIT 11`
const UPDATE = `UPDATE process SET data = jsonb_set(data, '$.score', ?3), s2 = ?3, version = version + 1, updated_at = ?4,
  last_event = ${LAST_EVENT}
  WHERE rid = ?1 AND +proc = ?2 RETURNING ${COLUMNS}`
/** An event: before an update with what it replaces, after a creation. */
const EVENT = 'INSERT INTO event (team, sequence, count, at, type, proc, by, after, before)'
const UPDATED = `${EVENT} SELECT 1, ${LAST_EVENT} + 1, 1, ?4, 'process.updated', ?2, jsonb('{}'),
  jsonb_object(CAST(rid AS TEXT), json_object('id', id, 'set', json_object('score', ?3))),
  jsonb_object(CAST(rid AS TEXT), json_array(version, last_event, updated_at, data ->> '$.score'))
  FROM process WHERE rid = ?1 AND +proc = ?2`
const CREATED = `${EVENT} SELECT 1, ${LAST_EVENT} + 1, 1, ?4, 'process.created', ?3, jsonb('{}'),
  jsonb_object(CAST(?1 AS TEXT), json_object('id', ?2)), NULL`
const RECORD = `INSERT INTO record (rid, id, team, phone_name, email_name, data, created_at, updated_at)
  VALUES (?1, ?2, 1, 'phone', 'email', jsonb(?3), ?4, ?4)`
const IDENTITIES = `INSERT INTO record_identity (team, kind, value, record) VALUES (1, 1, ?2, ?1), (1, 2, ?3, ?1)`
const CREATE = `INSERT INTO process (rid, id, proc, team, status, state, created_by, updated_at, primary_key, s1, s2, data, record, last_event)
  VALUES (?1, ?2, ?3, 1, 3, 'NEW', ?4, ?5, ?6, ?7, ?8, jsonb(?9), ?10, ${LAST_EVENT} + 1) RETURNING ${COLUMNS}`

interface Lead {
  data: { lead_id: string; city: string; score: number }
  record?: { data: { phone: string; email: string } }
}

/** The same bodies as the API's lists take. */
interface List {
  where: { city: string; score: { '>=': number; '<': number } }
  skip: number
}

export default {
  async fetch(request: Request, { DB }: BareEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    const list = async (sql: string, ...params: (string | number | null)[]) =>
      Response.json(
        (
          await DB.prepare(sql)
            .bind(number('proc'), ...params)
            .all()
        ).results,
      )
    switch (pathname) {
      case '/fetch':
        return Response.json(await DB.prepare(FETCH).bind(number('rid'), number('proc')).first())
      case '/equality':
        return list(EQUALITY, (await request.json<List>()).where.city)
      case '/range': {
        const { score } = (await request.json<List>()).where
        return list(RANGE, score['>='], score['<'])
      }
      case '/skip':
        return list(SKIP, (await request.json<List>()).skip)
      case '/cursor':
        await request.json()
        return list(CURSOR, number('before'))
      case '/job':
        return runBareJob(request, DB, number('proc'))
      case '/update': {
        const { data } = await request.json<Lead>()
        const values = [number('rid'), number('proc'), data.score, Date.now()]
        const [, updated] = await DB.batch([DB.prepare(UPDATED).bind(...values), DB.prepare(UPDATE).bind(...values)])
        return Response.json(updated?.results[0])
      }
      case '/create': {
        const { data, record } = await request.json<Lead>()
        const [rid, id, now] = [number('rid'), crypto.randomUUID(), Date.now()]
        const values = [rid, id, number('proc'), id, now, data.lead_id, data.city, data.score, JSON.stringify(data)]
        const created = DB.prepare(CREATED).bind(rid, id, number('proc'), now)
        if (record === undefined) {
          const [made] = await DB.batch([DB.prepare(CREATE).bind(...values, null), created])
          return Response.json(made?.results[0])
        }
        const { phone, email } = record.data
        const [, , made] = await DB.batch([
          DB.prepare(RECORD).bind(rid, crypto.randomUUID(), JSON.stringify(record.data), now),
          DB.prepare(IDENTITIES).bind(phone, email, rid),
          DB.prepare(CREATE).bind(...values, rid),
          created,
        ])
        return Response.json(made?.results[0])
      }
      default: {
        const statements = await request.json<{ text: string; params: unknown[] }[]>()
        const results = await DB.batch(statements.map(({ text, params }) => DB.prepare(text).bind(...params)))
        return Response.json(results.map(({ results: rows }) => ({ rows })))
      }
    }
  },
}
