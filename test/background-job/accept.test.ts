import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { scanBody, type Value } from '../../src/background-job/accept/scan.ts'
import { JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
/** The body in pieces of a size. */
function scanned(text: string, pieceBytes: number) {
  const whole = bytes(text)
  const scan = scanBody('processes', ['processes', 'b', 'd', 'before', 'after'], 1_000)
  const items: string[] = []
  const of = (value: Value) => new TextDecoder().decode(value.bytes ?? new Uint8Array())
  for (let at = 0; at < whole.length; at += pieceBytes)
    for (const item of scan.feed(whole.slice(at, at + pieceBytes))) {
      expect(of(item)).toBe(new TextDecoder().decode(whole.subarray(item.at, item.at + item.size)))
      items.push(of(item))
    }
  scan.end()
  return {
    items: scan.hasList() ? items : undefined,
    members: Object.fromEntries([...scan.members].map(([name, value]) => [name, of(value)])),
  }
}

/** The same, wherever it is cut into pieces. */
function texts(text: string) {
  const whole = scanned(text, bytes(text).length + 1)
  for (const pieceBytes of [1, 2, 3, 7]) expect(scanned(text, pieceBytes)).toEqual(whole)
  return whole
}

describe('the scan of a body', () => {
  it('finds the items of a bare list and of a named one, whatever they contain', () => {
    const awkward = ['{"a":"],}\\"{["}', '[1,[2]]', '"x,\\\\"', '-1.5e3', 'null', '{}', '[]', '{"ü":"😀"}']
    const list = `[ ${awkward.join(' , ')}\n]`
    expect(texts(list).items).toEqual(awkward)
    expect(texts(`{"b": {"c": [1]}, "processes":${list} , "d":7}`)).toEqual({
      items: awkward,
      members: { b: '{"c": [1]}', d: '7' },
    })
    expect(texts('[]').items).toEqual([])
    expect(texts('{}')).toEqual({ items: undefined, members: {} })
    expect(texts('{"processes": 5}')).toEqual({ items: undefined, members: { processes: '5' } })
  })

  it('finds in any document what JSON.parse finds', () => {
    for (const list of [
      [1, 'a', null],
      [{ a: [{}, []] }, [[[]]]],
      ['\\', '"', '\u0000', ']'],
    ]) {
      const found = texts(JSON.stringify({ before: 1, processes: list, after: { processes: [2] } }))
      expect(found.items?.map(text => JSON.parse(text))).toEqual(list)
    }
  })

  it('refuses what is not JSON', () => {
    for (const text of ['', ' ', '[', '[1,]', '[1 2]', '[1]]', '{"a" 1}', '{"a":}', '{a:1}', '[{]', '["a]'])
      for (const pieceBytes of [1, 2, 100]) expect(() => scanned(text, pieceBytes), text).toThrow(/is not JSON/)
  })

  it('refuses a list that is there twice', () => {
    for (const pieceBytes of [1, 2, 100])
      expect(() => scanned('{"processes":[1],"processes":[2]}', pieceBytes)).toThrow('"processes" is there twice')
  })
})

describe('a bulk request', () => {
  it('is refused whole only for what is wrong with the request', async () => {
    const team = await newLeadTeam()
    const refused: [unknown, number, string][] = [
      ['{"processes": [', 400, 'the body is not JSON: a value is expected at byte 15'],
      ['{"processes": [{"id": nothing}]}', 400, 'the body is not JSON: at byte 15'],
      [{ processes: [] }, 400, '"processes" is empty'],
      [{ processes: {} }, 400, '"processes" must be a list'],
      [{}, 400, '"processes" must be a list ("processes" with an item for each process, or "where" and "update"'],
      [[], 400, '"processes" is empty'],
      ['7', 400, '"processes" must be a list'],
      ['true', 400, '"processes" must be a list'],
      ['<html>\n<p>', 400, 'the body is not JSON: it begins with "<html>"'],
      ['Kunden-Nr;Name\n1;a\n', 400, 'it begins with "Kunden-Nr;Name" (CSV is sent with content-type: text/csv'],
      ['name;ort\n1;a\n', 400, 'it begins with "name;ort" (CSV is sent with'],
      ['{"lead_id": "A"}\n{"lead_id": "B"}\n', 400, 'follows its end at byte 17 (CSV is sent with'],
      [{ procceses: [], processes: [{}] }, 400, 'unknown field "procceses"'],
    ]
    for (const [body, status, message] of refused) {
      const reply = await team.call('PATCH', LEADS, body)
      expect([reply.status, reply.errors[0]]).toEqual([status, expect.stringContaining(message)])
    }
    const text = await team.call('PATCH', LEADS, '[]', { 'content-type': 'text/plain' })
    expect(text.status).toBe(415)
    const nowhere = await team.call('PATCH', LEADS.replace('lead', 'other'), { processes: [{}] })
    expect(nowhere.status).toBe(404)
    const jobs = await team.call('GET', JOBS)
    expect(jobs.data).toEqual([])
  })

  it('accepts every form of item, and says of each bad one what is wrong with it', async () => {
    const team = await newLeadTeam()
    const { data: lead } = await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    const cases: [unknown, string, string][] = [
      [{ id: lead.id, update: { data: { score: 1 } } }, 'SUCCESS', ''],
      [{ id: lead.id.toUpperCase(), data: { score: 2 } }, 'SUCCESS', ''],
      [{ id: 'A', update: { state: 'IN_PROGRESS' } }, 'SUCCESS', ''],
      [{ lead_id: 'A', status: 'OPEN', nextActionAt: '1616253910842' }, 'SUCCESS', ''],
      [{ lead_id: 'A' }, 'SUCCESS', ''],
      [{ lead_id: 'A', update: { isDeleted: false } }, 'SUCCESS', ''],
      [{ status: 'COMPLETED' }, 'INVALID', 'the process is missing: "id" or "lead_id" is required'],
      [{ id: lead.id, lead_id: 'A', update: {} }, 'INVALID', 'a process is named once, by "id" or "lead_id"'],
      [{ id: 'A', update: {}, state: 'NEW' }, 'INVALID', '"state" is a field of "update", where there is one'],
      [{ id: 'A', update: {}, stat: 'NEW' }, 'INVALID', 'unknown field "stat"'],
      [{ id: 'A', update: { stat: 'NEW' } }, 'INVALID', 'unknown field "stat" (did you mean "state"?)'],
      [
        { id: 'A', update: { isDeleted: true, state: 'NEW' } },
        'INVALID',
        '"isDeleted": true deletes the process and takes no other change',
      ],
      [{ id: 'A', update: 5 }, 'INVALID', '"update" must be an object'],
      [{ id: {}, update: {} }, 'INVALID', '"id" or "lead_id" must be text or a number'],
      ['A', 'INVALID', 'an item must be an object'],
      [null, 'INVALID', 'an item must be an object'],
      [{ lead_id: 'B', update: {} }, 'ERROR', 'process B not found'],
      [
        { id: crypto.randomUUID(), update: {} },
        'ERROR',
        expect.stringMatching(/^process [0-9a-f-]{36} not found$/) as unknown as string,
      ],
      [{ lead_id: 'A', isDeleted: true }, 'SUCCESS', ''],
      [{ lead_id: 'A', update: {} }, 'ERROR', 'process A not found'],
    ]
    const reply = await team.call('PATCH', LEADS, { processes: cases.map(([item]) => item) })
    await waitForJob(team, reply.data.id)
    const entries = await listEntries(team, reply.data.id, '?limit=100')
    for (const [index, [item, status, message]] of cases.entries()) {
      const entry = entries[index]
      expect([item, entry.completionStatus, entry.completionMessage]).toEqual([item, status, message])
      expect(entry.validationStatus).toBe(status === 'INVALID' ? 'ERROR' : 'SUCCESS')
      expect(entry.validationMessage).toEqual(status === 'INVALID' ? message : '')
      expect(entry.index).toBe(index)
    }
    expect(entries[0].data).toEqual({
      apiType: 'PROCESS_UPDATE',
      apiData: { procedureId: lead.procedure, processId: lead.id, processUpdate: { data: { score: 1 } } },
    })
  })

  it('needs the permission that a single request would need, for each entry', async () => {
    const team = await newLeadTeam()
    await team.call('POST', LEADS, { data: { lead_id: 'A' } })
    const agent = await team.as('agent')
    const viewer = await team.as('viewer')
    expect((await viewer.call('PATCH', LEADS, { processes: [{}] })).status).toBe(403)
    const reply = await agent.call('PATCH', LEADS, {
      processes: [
        { lead_id: 'A', data: { score: 1 } },
        { lead_id: 'A', isDeleted: true },
      ],
    })
    await waitForJob(team, reply.data.id)
    const entries = await listEntries(team, reply.data.id)
    expect(entries.map((each: Record<string, unknown>) => each.completionStatus)).toEqual(['SUCCESS', 'INVALID'])
    expect(entries[1].completionResult).toMatchObject({ code: 'permission_denied' })
  })

  it('makes one job for an idempotency key, however often it is sent', async () => {
    const team = await newLeadTeam()
    const key = { 'idempotency-key': crypto.randomUUID() }
    const body = [{ lead_id: 'A' }]
    const path = `${LEADS}/bulk-create`
    const [first, ...others] = await Promise.all([1, 2, 3].map(() => team.call('POST', path, body, key)))
    for (const other of others) expect(other.data.id).toBe(first?.data.id)
    const again = await team.call('POST', path, body, key)
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([202, 'true'])
    expect((await team.call('POST', path, [{ lead_id: 'B' }], key)).status).toBe(422)
    expect((await team.call('GET', JOBS)).data).toHaveLength(1)
  })

  it('is accepted in bounded batches up to 25 MB, and refused above the limit', async () => {
    const team = await newLeadTeam()
    const pad = 'x'.repeat(25_000)
    const item = (index: number) => ({ lead_id: `L${index}`, update: { data: { note: pad, index } } })
    const reply = await team.call('PATCH', LEADS, {
      processes: Array.from({ length: 1_000 }, (_, index) => item(index)),
    })
    expect(reply.status).toBe(202)
    const chunks = await env.DB.prepare(
      'SELECT count(*) AS n, sum(count) AS total, max(length(entries)) AS longest FROM job_chunk c JOIN background_job j ON j.no = c.job WHERE j.team = ?',
    )
      .bind(team.no)
      .first<{ n: number; total: number; longest: number }>()
    expect(chunks?.total).toBe(1_000)
    expect(chunks?.longest).toBeLessThan(1_000_100)
    expect((await env.DB.prepare('SELECT count(*) AS n FROM chunk_removal').first<{ n: number }>())?.n).toBe(0)
    expect((await team.call('POST', `${JOBS}/${reply.data.id}/cancel`)).status).toBe(200)
    const tooLarge = await team.call('PATCH', LEADS, `[${' '.repeat(33 * 1024 * 1024)}]`)
    expect([tooLarge.status, tooLarge.errors[0]]).toEqual([413, 'the body is larger than 33554432 bytes'])
    const tooMany = await team.call('PATCH', LEADS, `[${'1,'.repeat(100_000)}1]`)
    expect([tooMany.status, tooMany.errors[0]]).toEqual([413, 'a request holds at most 100000 entries'])
  })

  it('ends as soon as it is accepted if nothing can be run', async () => {
    const team = await newLeadTeam()
    const reply = await team.call('PATCH', LEADS, { processes: [{}, 5] })
    expect(reply.data).toMatchObject({
      completionStatus: 'ERROR',
      statusMessage: 'Of 2 entries 0 succeeded, 2 invalid',
    })
    expect(reply.data.completedAt).toBeGreaterThan(0)
    expect(reply.meta.bjEntryCompletionStatusVsCount.INVALID).toBe(2)
  })
})

describe('a bulk create', () => {
  it('takes a list bare or named, and the primary key beside the data or in it', async () => {
    const team = await newLeadTeam()
    const cases: [unknown, string, string][] = [
      [{ lead_id: 'A', data: { score: '105' } }, 'SUCCESS', ''],
      [{ data: { lead_id: 'B' }, state: 'IN_PROGRESS' }, 'SUCCESS', ''],
      [{ lead_id: 'C', data: { lead_id: 'C' } }, 'SUCCESS', ''],
      [{ lead_id: 7 }, 'INVALID', '"lead_id" must be text, not 7 ("7")'],
      [{}, 'SUCCESS', ''],
      [{ lead_id: 'D', data: { lead_id: 'E' } }, 'INVALID', '"lead_id" is given twice, with different values'],
      [{ lead_id: 'A' }, 'ERROR', 'a process with lead_id "A" exists already'],
      [{ lead_id: 'F', assignedTo: 'nobody' }, 'INVALID', `no user "nobody" (a user's id, username or e-mail address)`],
      [{ lead_id: 'G', colour: 'red' }, 'INVALID', 'unknown field "colour" (attributes stand in "data")'],
    ]
    const reply = await team.call('POST', `${LEADS}/bulk-create`, { processes: cases.map(([item]) => item) })
    await waitForJob(team, reply.data.id)
    const entries = await listEntries(team, reply.data.id)
    for (const [index, [item, status, message]] of cases.entries())
      expect([item, entries[index].completionStatus, entries[index].completionMessage]).toEqual([item, status, message])
    const made = await team.call('GET', `${LEADS}/${entries[0].completionResult.id}`)
    expect(made.data).toMatchObject({ data: { lead_id: 'A', score: 105 }, createdBy: team.admin, state: 'NEW' })
  })

  it('finds the customers that it names, or makes them, as single creates would', async () => {
    const team = await newLeadTeam()
    const known = await team.call('POST', LEADS, { record: { data: { phone: '+91 1', name: 'Old' } } })
    const records = [
      { phone: '911', name: 'New' },
      { phone: '912', name: 'Two' },
      { phone: '+91-2', email: 'a@b.c' },
      { phone: '911', city: 'Goa' },
    ]
    const reply = await team.call(
      'POST',
      `${LEADS}/bulk-create`,
      records.map(data => ({ record: { data } })),
    )
    await waitForJob(team, reply.data.id)
    const entries = await listEntries(team, reply.data.id)
    const found = await Promise.all(
      entries.map((each: { completionResult: { id: string } }) =>
        team.call('GET', `${LEADS}/${each.completionResult.id}`),
      ),
    )
    const ids = found.map(({ data }) => data.record.id)
    expect(ids[0]).toBe(known.data.record.id)
    expect(ids[3]).toBe(ids[0])
    expect(ids[2]).toBe(ids[1])
    expect(ids[1]).not.toBe(ids[0])
    expect(found[0]?.data.record.data).toEqual({ phone: '911', name: 'New', city: 'Goa' })
  })
})
