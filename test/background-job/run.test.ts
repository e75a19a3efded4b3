import { describe, expect, it } from 'vitest'
import { bulk, JOBS, LEADS, listEntries, newLeadTeam, waitForJob } from '../support/jobs.ts'

describe('a bulk update', () => {
  it('a bulk update is accepted at once, runs to its end, and shows the outcome of each entry', async () => {
    const team = await newLeadTeam()
    const a = await team.call('POST', LEADS, { data: { lead_id: 'A', city: 'Goa' } })
    const b = await team.call('POST', LEADS, { data: { lead_id: 'B', city: 'Goa' } })
    const reply = await team.call('PATCH', LEADS, {
      processes: [
        { id: a.data.id, update: { data: { city: 'Pune', score: '105' }, state: 'IN_PROGRESS' } },
        { lead_id: 'B', data: { isHot: true }, nextActionAt: '1616253910842' },
        { id: 'B', update: { assignedTo: team.admin } },
        { lead_id: 'C', update: { data: { city: 'Goa' } } },
        { id: a.data.id, update: { data: { score: 'many' } } },
        { status: 'COMPLETED' },
      ],
    })
    expect(reply.status).toBe(202)
    expect(reply.headers.get('location')).toBe(`${JOBS}/${reply.data.id}`)
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(reply.data).toMatchObject({
      completionStatus: 'IN_PROGRESS',
      completedAt: 0,
      type: 'bulk_api_job',
      team: team.id,
    })
    const job = await waitForJob(team, reply.data.id)
    expect(job.data).toMatchObject({
      completionStatus: 'ERROR',
      statusMessage: 'Of 6 entries 3 succeeded, 1 failed, 2 invalid',
    })
    expect(job.meta.bjEntryCompletionStatusVsCount).toEqual({
      INVALID: 2,
      NOT_STARTED: 0,
      IN_PROGRESS: 0,
      SUCCESS: 3,
      ERROR: 1,
      CANCELLED: 0,
    })
    expect(job.headers.get('retry-after')).toBeNull()
    const entries = await listEntries(team, reply.data.id)
    expect(entries.map((each: { completionStatus: string }) => each.completionStatus)).toEqual([
      'SUCCESS',
      'SUCCESS',
      'SUCCESS',
      'ERROR',
      'INVALID',
      'INVALID',
    ])
    expect(entries[0].completionResult).toEqual({ id: a.data.id, primaryKey: 'A' })
    const after = await team.call('GET', `${LEADS}/${b.data.id}`)
    expect(after.data).toMatchObject({
      data: { city: 'Goa', isHot: true },
      nextActionAt: 1616253910842,
      assignedTo: team.admin,
    })
  })
})

describe('a bulk create', () => {
  it('makes a process of each item', async () => {
    const team = await newLeadTeam()
    const job = await bulk(team, 'POST', [
      { lead_id: 'A', data: { score: '105' } },
      { data: { lead_id: 'B', city: 'Goa' }, state: 'IN_PROGRESS', record: { data: { phone: '+91 98' } } },
      { lead_id: 'A' },
    ])
    expect(job.meta.bjEntryCompletionStatusVsCount).toMatchObject({ SUCCESS: 2, ERROR: 1 })
    const a = await team.call('GET', `${LEADS}/lead_id/A`)
    expect(a.data.data).toEqual({ lead_id: 'A', score: 105 })
    const entries = await listEntries(team, job.data.id)
    expect(entries[2].completionResult).toMatchObject({
      code: 'duplicate_primary_key',
      errors: [{ processId: a.data.id }],
    })
  })
})
