// What a request costs with nothing of ours around it: one prepared statement, no framework. The yardstick of the bench.
interface BareEnv {
  DB: D1Database
}

const COLUMNS =
  'rid, id, status, state, assigned_to, next_action_at, updated_at, version, primary_key, json(data) AS data'

export default {
  async fetch(request: Request, { DB }: BareEnv): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const number = (name: string) => Number(searchParams.get(name))
    if (pathname === '/fetch') {
      const read = DB.prepare(`SELECT ${COLUMNS} FROM process WHERE rid = ?1 AND +proc = ?2`)
      return Response.json(await read.bind(number('rid'), number('proc')).first())
    }
    if (pathname === '/list') {
      const list = DB.prepare(
        `SELECT ${COLUMNS} FROM process INDEXED BY process_s1 WHERE proc = ?1 AND s1 = ?2 ORDER BY rid DESC LIMIT 11`,
      )
      return Response.json((await list.bind(number('proc'), searchParams.get('city')).all()).results)
    }
    const body = await request.json<{ data: Record<string, unknown> }>()
    if (pathname === '/update') {
      const update = DB.prepare(
        `UPDATE process SET data = jsonb_set(data, '$.score', ?3), version = version + 1, updated_at = ?4 WHERE rid = ?1 AND +proc = ?2 RETURNING ${COLUMNS}`,
      )
      return Response.json(await update.bind(number('rid'), number('proc'), body.data.score, Date.now()).first())
    }
    const create = DB.prepare(
      `INSERT INTO process (rid, id, proc, status, state, updated_at, primary_key, s1, data) VALUES (?1, ?2, ?3, 3, 'NEW', ?4, ?5, ?6, jsonb(?7)) RETURNING ${COLUMNS}`,
    )
    const { lead_id, city } = body.data
    const values = [
      number('rid'),
      crypto.randomUUID(),
      number('proc'),
      Date.now(),
      lead_id,
      city,
      JSON.stringify(body.data),
    ]
    return Response.json(await create.bind(...values).first())
  },
}
