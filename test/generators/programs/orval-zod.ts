import { isDeepStrictEqual } from 'node:util'
import {
  createProcessBody,
  getJobResponse,
  getProcessByPrimaryKeyResponse,
  listNewestProcessesResponse,
  listProcessesBody,
  listProcessesResponse,
} from '../made/orval/zod'

// Schemas only: what they read must be what is sent, and what is received.
const lead_id = `ZOD-${Date.now()}`
const base = `${process.env.API}/v1/ext/procedure/lead/process`
const headers = { authorization: `Bearer ${process.env.TOKEN}`, 'content-type': 'application/json' }
const post = async (path: string, body: unknown, method = 'POST'): Promise<Response> =>
  fetch(base + path, { method, headers, body: JSON.stringify(body) })

const lead = createProcessBody.parse({ data: { lead_id, score: 81 }, nextActionAt: '2026-12-01T10:00:00Z' })
const created = await post('', lead)
const where = { lead_id, score: { '>=': 80 }, or: [{ score: { '=': [81, null] } }, { city: ['Pune', 'Oslo'] }] }
const search = listProcessesBody.parse({ where, limit: 5 })
const listed = listProcessesResponse.parse(await (await post('/list', search)).json())
const fetched = getProcessByPrimaryKeyResponse.parse(
  await (await fetch(`${base}/lead_id/${lead_id}`, { headers })).json(),
)
const newest = listNewestProcessesResponse.parse(await (await fetch(`${base}?limit=2`, { headers })).json())
const accepted = await post('', { processes: [{ lead_id, update: { data: { score: 82 } } }] }, 'PATCH')
const { _data } = (await accepted.json()) as { _data: { id: string } }
const job = getJobResponse.parse(
  await (await fetch(`${process.env.API}/v1/ext/background-job/${_data.id}`, { headers })).json(),
)

console.log(
  JSON.stringify({
    created: created.status,
    sent: isDeepStrictEqual(search.where, where),
    found: listed._data.map(({ data }) => data.score),
    fetched: fetched._data.state,
    newest: newest._data.length,
    job: job._data.total,
    refused: [createProcessBody.safeParse({ state: 7 }).success, listProcessesBody.safeParse({ limit: 'x' }).success],
  }),
)
