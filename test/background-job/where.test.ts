import { describe, expect, it } from 'vitest'
import { LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'

describe('an update of all that match', () => {
  it('has an entry for each match at the moment of its acceptance', async () => {
    const team = await newLeadTeam()
    const items = Array.from({ length: 700 }, (_, index) => ({
      lead_id: `L${index}`,
      data: { city: index % 7 === 0 ? 'Goa' : 'Pune' },
    }))
    await waitForJob(team, (await team.call('POST', `${LEADS}/bulk-create`, items)).data.id)
    const where = { city: 'Goa' }
    const reply = await team.call('PATCH', LEADS, { where, update: { data: { city: 'Panaji' }, state: 'IN_PROGRESS' } })
    expect([reply.status, reply.data.total]).toEqual([202, 100])
    const job = await waitForJob(team, reply.data.id)
    expect(job.meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(100)
    const [entry] = await listEntries(team, reply.data.id, '?limit=1')
    expect(entry.data.apiData).toMatchObject({ processUpdate: { data: { city: 'Panaji' }, state: 'IN_PROGRESS' } })
    const moved = await team.call('POST', `${LEADS}/list`, {
      where: { city: 'Panaji', state: 'IN_PROGRESS' },
      limit: 100,
    })
    expect([moved.data.length, moved.meta.hasMore]).toEqual([100, false])
    const none = await team.call('PATCH', LEADS, { where, update: { state: 'NEW' } })
    expect(none.data).toMatchObject({ total: 0, completionStatus: 'SUCCESS', statusMessage: 'There was nothing to do' })
    const gone = await team.call('PATCH', LEADS, { where: { city: 'Panaji' }, update: { isDeleted: true } })
    await waitForJob(team, gone.data.id)
    expect((await team.call('POST', `${LEADS}/list`, { where: { city: 'Panaji' } })).data).toEqual([])
  })

  it('is refused whole for a wrong filter or update, and for a missing permission', async () => {
    const team = await newLeadTeam()
    const refused: [object, number, string, string][] = [
      [{ where: {} }, 400, '"update" is required', '/body/update'],
      [{ update: {} }, 400, '"where" is required', '/body/where'],
      [{ update: {}, processes: [{}] }, 400, '"update" goes with "where"', '/body/update'],
      [{ where: {}, update: {}, processes: [{}] }, 400, 'either "processes" or "where", not both', '/body/where'],
      [
        { where: {}, update: { stat: 'NEW' } },
        400,
        'unknown field "stat" (did you mean "state"?)',
        '/body/update/stat',
      ],
      [{ where: {}, update: { data: { score: 'many' } } }, 400, '"score" must be a number', '/body/update/data/score'],
      [
        { where: {}, update: { state: 'NEWW' } },
        400,
        'there is no state "NEWW" (did you mean "NEW"?)',
        '/body/update/state',
      ],
      [{ where: { score: 1 }, update: { assignedTo: 'nobody' } }, 400, 'no user "nobody"', '/body/update/assignedTo'],
      [{ where: { state: 'NEWW' }, update: { state: 'NEW' } }, 400, 'NEWW', '/body/where/state'],
      [{ where: { score: 1 }, update: {} }, 400, '"update" is empty: it would change nothing', '/body/update'],
      [{ where: { score: 1 }, update: { data: {} } }, 400, '"update" is empty', '/body/update'],
    ]
    for (const [body, status, message, path] of refused) {
      const reply = await team.call('PATCH', LEADS, body)
      expect([body, reply.status, reply.errors[0], reply.meta.errors[0].path]).toEqual([
        body,
        status,
        expect.stringContaining(message),
        path,
      ])
    }
    const agent = await team.as('agent')
    expect((await agent.call('PATCH', LEADS, { where: {}, all: true, update: { isDeleted: true } })).status).toBe(403)
  })
})

describe('a document that grows too large', () => {
  it('is refused alone, in the words of the single request', async () => {
    const team = await newLeadTeam()
    const large = 'x'.repeat(440_000)
    for (const lead_id of ['A', 'B']) await team.call('POST', LEADS, { data: { lead_id, one: large } })
    const two = { data: { two: large, three: 'x'.repeat(40_000) } }
    const reply = await team.call('PATCH', LEADS, {
      processes: [
        { lead_id: 'B', data: { score: 1 } },
        { lead_id: 'A', update: two },
        { lead_id: 'B', data: { score: 2 } },
      ],
    })
    await waitForJob(team, reply.data.id)
    const single = await team.call('PUT', `${LEADS}/lead_id/A`, two)
    expect(single.status).toBe(413)
    const entries = await listEntries(team, reply.data.id)
    expect(entries.map((each: Record<string, string>) => [each.completionStatus, each.completionMessage])).toEqual([
      ['SUCCESS', ''],
      ['ERROR', single.errors[0]],
      ['SUCCESS', ''],
    ])
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.data.score).toBe(2)
  })

  it('is refused at the byte at which the single request is, however often its values are replaced', async () => {
    const team = await newLeadTeam()
    const of = (length: number) => ({ data: { essay: 'x'.repeat(length) } })
    for (const lead_id of ['A', 'B']) await team.call('POST', LEADS, { data: { lead_id, ...of(880_000).data } })
    let [taken, refused] = [880_000, 900_000]
    while (refused - taken > 1) {
      const tried = Math.floor((taken + refused) / 2)
      if ((await team.call('PUT', `${LEADS}/lead_id/A`, of(tried))).status === 200) taken = tried
      else refused = tried
    }
    const lengths = [taken, refused, 880_000, taken, refused, taken]
    const processes = lengths.map(length => ({ lead_id: 'B', update: of(length) }))
    const reply = await team.call('PATCH', LEADS, { processes })
    await waitForJob(team, reply.data.id)
    // A page of such entries ends by its bytes.
    const entries = await Promise.all(lengths.map((_, nth) => listEntries(team, reply.data.id, `?skip=${nth}&limit=1`)))
    expect(entries.flat().map((each: Record<string, string>) => each.completionStatus)).toEqual(
      lengths.map(length => (length === refused ? 'ERROR' : 'SUCCESS')),
    )
    expect((await team.call('GET', `${LEADS}/lead_id/B`)).data.data.essay).toHaveLength(taken)
    // Values that are replaced within one step, too: together they would be far more than fits.
    const half = { data: { essay: null, one: 'x'.repeat(300_000) } }
    const again = [half, ...Array.from({ length: 8 }, (_, n) => ({ data: { one: `${n}`.repeat(110_000) } }))]
    const more = await team.call('PATCH', LEADS, { processes: again.map(update => ({ lead_id: 'A', update })) })
    const job = await waitForJob(team, more.data.id)
    expect(job.meta.bjEntryCompletionStatusVsCount.SUCCESS).toBe(again.length)
  })
})
