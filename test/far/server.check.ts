import assert from 'node:assert/strict'
import { startFar } from './server/start.ts'

// The server of `npm run far`: distance, a job through its queue, a fault, an isolate that vanishes. Run from .ci/run.

const LEADS = '/v1/ext/procedure/lead/process'
const DATABASE_MS = 40

const far = await startFar({ options: { databaseMs: DATABASE_MS } })

async function call(method: string, path: string, body?: unknown) {
  const startedAt = performance.now()
  const response = await fetch(far.url + path, {
    method,
    headers: { authorization: `Bearer ${far.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { _data, _errors } = (await response.json()) as { _data: Record<string, unknown>; _errors: string[] }
  const trips = Number(/trips=(\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1])
  return { status: response.status, data: _data, errors: _errors, trips, ms: performance.now() - startedAt }
}

try {
  const procedure = {
    name: 'Lead',
    states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
    startState: 'NEW',
    completedState: 'WON',
    attributes: [{ shortId: 'lead_id', type: 'string' }],
    primaryKey: 'lead_id',
  }
  assert.equal((await call('PUT', '/v1/ext/procedure/lead', procedure)).status, 201)

  const created = await call('POST', LEADS, { data: { lead_id: 'L0' } })
  assert.equal(created.status, 201)
  const warm = await call('GET', `${LEADS}/${created.data.id}`)
  assert.ok(warm.ms >= warm.trips * DATABASE_MS, `${warm.ms} ms for ${warm.trips} trips`)
  await far.control('POST', 'vanish')
  const cold = await call('GET', `${LEADS}/${created.data.id}`)
  assert.ok(cold.trips > warm.trips, `${cold.trips} trips in a cold isolate, ${warm.trips} in a warm one`)

  await far.control('POST', 'faults', [{ kind: 'database', fault: 'lost after', about: 'INTO "process"' }])
  assert.equal((await call('POST', LEADS, { data: { lead_id: 'L1' } })).status, 503)
  assert.equal((await call('GET', `${LEADS}/lead_id/L1`)).status, 200)

  const processes = Array.from({ length: 600 }, (_, n) => ({ data: { lead_id: `B${n}` } }))
  const job = await call('POST', `${LEADS}/bulk-create`, { processes })
  assert.deepEqual([job.status, job.errors], [202, []])
  for (;;) {
    const { data } = await call('GET', `/v1/ext/background-job/${job.data.id}`)
    if (data.completionStatus === 'SUCCESS') break
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  await far.control('POST', 'cron')
  console.log('npm run far: distance, faults, isolates, queues and cron are there')
} finally {
  await far.stop()
}
