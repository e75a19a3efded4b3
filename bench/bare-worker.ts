import { runBareJob } from './bare-job.ts'

// What a request costs with nothing of ours around it: the same rows, one prepared statement, no framework.
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
const UPDATE = `UPDATE process SET data = jsonb_set(data, '$.score', ?3), s2 = ?3, version = version + 1, updated_at = ?4
  WHERE rid = ?1 AND +proc = ?2 RETURNING ${COLUMNS}`
const RECORD = `INSERT INTO record (rid, id, team, phone_name, email_name, data, created_at, updated_at)
  VALUES (?1, ?2, 1, 'phone', 'email', jsonb(?3), ?4, ?4)`
const IDENTITIES = `INSERT INTO record_identity (team, kind, value, record) VALUES (1, 1, ?2, ?1), (1, 2, ?3, ?1)`
const CREATE = `INSERT INTO process (rid, id, proc, team, status, state, created_by, updated_at, primary_key, s1, s2, data, record)
  VALUES (?1, ?2, ?3, 1, 3, 'NEW', ?4, ?5, ?6, ?7, ?8, jsonb(?9), ?10) RETURNING ${COLUMNS}`

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
        const update = DB.prepare(UPDATE).bind(number('rid'), number('proc'), data.score, Date.now())
        return Response.json(await update.first())
      }
      case '/create': {
        const { data, record } = await request.json<Lead>()
        const [rid, id, now] = [number('rid'), crypto.randomUUID(), Date.now()]
        const values = [rid, id, number('proc'), id, now, data.lead_id, data.city, data.score, JSON.stringify(data)]
        if (record === undefined)
          return Response.json(
            await DB.prepare(CREATE)
              .bind(...values, null)
              .first(),
          )
        const { phone, email } = record.data
        const [, , made] = await DB.batch([
          DB.prepare(RECORD).bind(rid, crypto.randomUUID(), JSON.stringify(record.data), now),
          DB.prepare(IDENTITIES).bind(phone, email, rid),
          DB.prepare(CREATE).bind(...values, rid),
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
