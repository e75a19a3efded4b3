import { describe, expect, it, vi } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { databaseThrough, requestWith } from '../support/broken-bindings.ts'
import { newProcedure } from '../support/procedures.ts'
import { sleep } from '../support/sleep.ts'

const MAY_HAVE_TAKEN_EFFECT = /it may have taken effect/
const NOTHING_CHANGED = /nothing was changed/

/** A request whose every call of the database that writes, or every one that reads, ends with this error. */
async function whileDatabaseSays(team: Team, message: string, method: string, path: string, body?: unknown) {
  let mayFail = false
  const failing = databaseThrough(call => {
    if (mayFail) throw new Error(message)
    return call()
  })
  const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
  mayFail = true
  return requestWith({ DB: failing }, path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) })
}

describe('a change that the database did not confirm', () => {
  it.each([
    ['D1_ERROR: D1 DB is overloaded. Too many requests queued.', 503, NOTHING_CHANGED],
    ['D1_ERROR: D1 DB is overloaded. Requests queued for too long.', 503, NOTHING_CHANGED],
    ['D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.', 503, MAY_HAVE_TAKEN_EFFECT],
    ['D1_ERROR: D1 DB exceeded its memory limit and was reset.', 503, MAY_HAVE_TAKEN_EFFECT],
    ['D1_ERROR: D1 DB exceeded its CPU time limit and was reset.', 503, MAY_HAVE_TAKEN_EFFECT],
    ['D1_ERROR: Network connection lost.', 503, MAY_HAVE_TAKEN_EFFECT],
    ['D1_ERROR: something that no list of errors has', 503, MAY_HAVE_TAKEN_EFFECT],
    ['D1_ERROR: disk I/O error: SQLITE_IOERR', 503, MAY_HAVE_TAKEN_EFFECT],
    ['D1_ERROR: database or disk is full: SQLITE_FULL', 507, NOTHING_CHANGED],
    ['D1_ERROR: Exceeded maximum DB size', 507, NOTHING_CHANGED],
  ])('is, after %j, a %i that says what is known of it', async (message, status, hint) => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    await create({ data: { lead_id: 'A' } })
    const reply = await whileDatabaseSays(team, message, 'POST', path, { data: { lead_id: 'B' } })
    expect(reply.status).toBe(status)
    expect(reply.meta.errors[0].code).toBe(status === 507 ? 'storage_full' : 'storage_unavailable')
    expect(reply.meta.errors[0].hint).toMatch(hint)
    expect(JSON.stringify(reply.meta)).not.toContain('D1')
  })

  it('is reported like a read where nothing can have changed', async () => {
    const team = await newTeam()
    const { path, create } = await newProcedure(team)
    const { data } = await create({ data: { lead_id: 'A' } })
    const message = 'D1_ERROR: D1 DB exceeded its memory limit and was reset.'
    const reply = await whileDatabaseSays(team, message, 'GET', `${path}/${data.id}`)
    expect(reply.status).toBe(503)
    expect(reply.meta.errors[0].hint).toMatch(NOTHING_CHANGED)
  })
})

it('a slow upload does not shorten the time limit of the database', async () => {
  const team = await newTeam()
  const { path } = await newProcedure(team)
  vi.useFakeTimers({ toFake: ['Date'] })
  const bytes = new TextEncoder().encode('[{"data": {"lead_id": "A"}}]')
  const upload = new ReadableStream<Uint8Array>({
    pull(controller) {
      vi.setSystemTime(Date.now() + 30_000)
      controller.enqueue(bytes)
      controller.close()
    },
  })
  const far = databaseThrough(async call => {
    await sleep(5)
    return call()
  })
  const headers = { authorization: `Bearer ${team.token}`, 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: upload, duplex: 'half' } as RequestInit
  const accepted = await requestWith({ DB: far }, `${path}/bulk-create`, init)
  vi.useRealTimers()
  expect(accepted.status).toBe(202)
})
