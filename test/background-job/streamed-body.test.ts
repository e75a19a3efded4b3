import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { type Reply, request, type Team } from '../support/api.ts'
import { JOBS, LEADS, leadProcedure, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'

const MB = 1_000_000
const PIECE_BYTES = 64 * 1024

/**
 * Makes a body without a content-length, which is produced while it is read. `midway` runs when half of it was read.
 */
function toStream(texts: readonly string[], midway = async () => {}): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(texts.join(''))
  let at = 0
  return new ReadableStream({
    async pull(controller) {
      if (at < bytes.length / 2 && at + PIECE_BYTES >= bytes.length / 2) await midway()
      controller.enqueue(bytes.slice(at, at + PIECE_BYTES))
      at += PIECE_BYTES
      if (at >= bytes.length) controller.close()
    },
  })
}

const send = (team: Team, method: string, path: string, body: ReadableStream, more: Record<string, string> = {}) =>
  request(method, path, {
    headers: { authorization: `Bearer ${team.token}`, 'content-type': 'application/json', ...more },
    body,
  })

/** Items of about a kilobyte each. */
const items = (megabytes: number, update: object = {}) =>
  Array.from({ length: megabytes * 1_000 }, (_, index) =>
    JSON.stringify({ lead_id: `L${index}`, update: { data: { note: 'x'.repeat(1_000) }, ...update } }),
  ).join(',')

const count = async (team: Team, table: string): Promise<number> =>
  (await env.DB.prepare(`SELECT count(*) AS n FROM ${table} WHERE team = ?`).bind(team.no).first<{ n: number }>())?.n ??
  -1

async function expectNothingVisible(team: Team, reply: Reply, status: number, message: string) {
  expect([reply.status, reply.errors[0]]).toEqual([status, expect.stringContaining(message)])
  expect((await team.call('GET', JOBS)).data).toEqual([])
  // Its chunks wait for the cron.
  expect(await count(team, 'background_job')).toBe(0)
  expect((await count(team, 'job_chunk')) > 0).toBe((await count(team, 'chunk_removal')) > 0)
}

describe('a bulk body that is read as a stream', () => {
  it('needs no content-length, and is bounded by the bytes that were read', async () => {
    const team = await newLeadTeam()
    const reply = await send(team, 'PATCH', LEADS, toStream([`[${items(5)}]`]))
    expect([reply.status, reply.data.total]).toEqual([202, 5_000])
    expect(await count(team, 'chunk_removal')).toBe(0)
    await team.call('POST', `${JOBS}/${reply.data.id}/cancel`)
    const other = await newLeadTeam()
    const tooLarge = await send(other, 'PATCH', LEADS, toStream([`[${items(3)}`, ' '.repeat(33 * 1024 * 1024), ']']))
    await expectNothingVisible(other, tooLarge, 413, 'the body is larger than 33554432 bytes')
  })

  it('is recognised by its key when it is sent again, before anything is written', async () => {
    const team = await newLeadTeam()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const first = await send(team, 'PATCH', LEADS, toStream([`[${items(5)}]`]), key)
    expect(first.status).toBe(202)
    const chunks = await count(team, 'job_chunk')
    const again = await send(team, 'PATCH', LEADS, toStream([`[${items(5)}]`]), key)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect(again.data.id).toBe(first.data.id)
    const other = await send(team, 'PATCH', LEADS, toStream([`[${items(5)},{}]`]), key)
    expect(other.status).toBe(422)
    expect([await count(team, 'job_chunk'), await count(team, 'chunk_removal')]).toEqual([chunks, 0])
    await team.call('POST', `${JOBS}/${first.data.id}/cancel`)
  })

  it.each([
    ['is no JSON at its end', 400, ',{"lead_id": nothing}]', 'the body is not JSON: at byte'],
    ['breaks off', 400, ',{"lead_id": "A"', 'the body is not JSON: it ends in the middle'],
    ['goes on after its end', 400, ']]', 'something follows its end'],
    ['has too many entries', 413, `${',1'.repeat(100_000)}]`, 'a request holds at most 100000 entries'],
  ])('a body that %s leaves nothing that anybody can see', async (_, status, end, message) => {
    const team = await newLeadTeam()
    await expectNothingVisible(team, await send(team, 'PATCH', LEADS, toStream([`[${items(3)}`, end])), status, message)
  })

  it('may have members after its list, which are held to the same rules', async () => {
    const team = await newLeadTeam()
    const late = (member: string) => send(team, 'PATCH', LEADS, toStream([`{"processes":[${items(3)}],${member}}`]))
    await expectNothingVisible(team, await late('"update":{}'), 400, '"update" goes with "where"')
    await expectNothingVisible(team, await late('"where":{}'), 400, 'either "processes" or "where", not both')
    await expectNothingVisible(team, await late('"wher":{}'), 400, 'unknown field "wher"')
    await expectNothingVisible(team, await late('"processes":[]'), 400, '"processes" is there twice')
    const startAt = Date.now() + 3_600_000
    const entry = { apiType: 'PROCESS_DELETE', apiData: { procedureId: 'lead', processId: 'A' } }
    const entries = Array.from({ length: 30_000 }, () => JSON.stringify(entry)).join(',')
    const reply = await send(team, 'POST', JOBS, toStream([`{"entries":[${entries}],"startAt":${startAt}}`]))
    expect([reply.status, reply.data.total]).toEqual([202, 30_000])
    const job = await team.call('GET', `${JOBS}/${reply.data.id}`)
    expect(job.data.completionStatus).toBe('NOT_STARTED')
  })

  it('holds no item that is too large to be an entry, and tells its size', async () => {
    const team = await newLeadTeam()
    const sizes = [1.2 * MB, 5 * MB]
    const body = sizes.map(size => JSON.stringify({ lead_id: 'A', note: 'x'.repeat(size) })).join(',')
    const reply = await send(team, 'PATCH', LEADS, toStream([`[${body},{"lead_id":"B"}]`]))
    expect([reply.status, reply.data.total]).toEqual([202, 3])
    await waitForJob(team, reply.data.id)
    const entries = await listEntries(team, reply.data.id)
    expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual([
      'INVALID',
      'INVALID',
      'ERROR',
    ])
    for (const nth of [0, 1])
      expect(entries[nth].completionMessage).toMatch(/^an entry holds at most 1100000 bytes, this one has \d{7}$/)
  })

  it('is read by the definition that is in force when its first entries are written', async () => {
    const team = await newLeadTeam()
    await team.call('GET', LEADS)
    const change = () =>
      leadProcedure(team, {
        states: [{ shortId: 'NEW' }, { shortId: 'LATER' }, { shortId: 'WON' }],
      })
    const reply = await send(team, 'PATCH', LEADS, toStream([`[${items(1, { state: 'LATER' })}]`], change))
    expect(reply.status).toBe(202)
    const job = await team.call('GET', `${JOBS}/${reply.data.id}`)
    expect(job.meta.bjEntryCompletionStatusVsCount.INVALID).toBe(0)
    await team.call('POST', `${JOBS}/${reply.data.id}/cancel`)
  })
})
