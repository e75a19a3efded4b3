import { describe, expect, it } from 'vitest'
import { findUndoneBy, getJobProgress, type JobRow } from '../../src/background-job/rules.ts'
import { bulk, JOBS, newLeadTeam } from '../support/jobs.ts'

const RUNNING = {
  no: 1,
  id: '',
  type: 'bulk_api_job',
  queue: null,
  procedure: null,
  completionStatus: 'IN_PROGRESS',
  total: 1_000,
  revision: 4,
  cursor: 250,
  unfinished: '[]',
  outstanding: 0,
  invalid: 100,
  inProgress: 50,
  inProgressTo: 300,
  success: 140,
  error: 10,
  cancelled: 0,
  giveUpBatchSize: 0,
  createdBy: '',
  startAt: null,
  startedAt: 10_000,
  updatedAt: 12_500,
  completedAt: 0,
  retryOf: null,
  firstJob: null,
  isDryRun: 0,
  applyOf: null,
  undoOf: null,
  wakeAt: 0,
  pausedBy: null,
  pausedBecause: null,
  pausedAt: null,
  interruptedAt: null,
  archivedAt: null,
  collectedTo: null,
  cancelledBecause: null,
} as unknown as JobRow
const job = (row: Partial<JobRow>): JobRow => ({ ...RUNNING, ...row })

describe('the progress of a job', () => {
  it('is estimated by the entries that were run, not by those that were invalid at acceptance', () => {
    // 150 in 2.5 s, and 750 to go.
    expect(getJobProgress(RUNNING)).toEqual({
      done: 250,
      total: 1_000,
      perSecond: 60,
      limitedBy: null,
      etaAt: 12_500 + 12_500,
    })
  })

  it('has no estimate without a basis, while entries are collected, in a pause, and after the end', () => {
    expect(getJobProgress(job({ success: 0, error: 0 }))).toMatchObject({ perSecond: null, etaAt: null })
    expect(getJobProgress(job({ updatedAt: 10_000 }))).toMatchObject({ perSecond: null, etaAt: null })
    expect(getJobProgress(job({ collectedTo: 5 }))).toMatchObject({ perSecond: null, etaAt: null, limitedBy: null })
    expect(getJobProgress(job({ pausedBecause: 'the plugin is stopped' }))).toMatchObject({
      perSecond: 60,
      etaAt: null,
    })
    expect(getJobProgress(job({ completedAt: 13_000 }))).toMatchObject({
      perSecond: null,
      etaAt: null,
      limitedBy: null,
    })
  })

  it('says what holds the job up, where that is known', () => {
    const delayed = JSON.stringify([{ mode: 'delayed', from: 3, to: 4, at: 13_000 }])
    const limits = [
      job({ completionStatus: 'NOT_STARTED', startedAt: 0, startAt: 99_000 }),
      job({ pausedBecause: 'the plugin is stopped' }),
      job({ queue: 'sends' }),
      job({ queue: 'sends', cursor: 1_000, unfinished: delayed, outstanding: 1 }),
      job({ queue: 'sends', revision: 0 }),
      { ...job({ revision: 0 }), isHeldByTeam: 1 },
      { ...job({ collectedTo: 0 }), isHeldByTeam: 1 },
      { ...job({ revision: 0 }), isHeldByTeam: 0 },
      job({ completionStatus: 'CANCELLED', completedAt: 13_000 }),
    ].map(each => getJobProgress(each).limitedBy)
    expect(limits).toEqual([
      'schedule',
      'paused',
      'sender-pace',
      'provider',
      null,
      'team-share',
      'team-share',
      null,
      null,
    ])
  })

  it('is shown wherever a job is', async () => {
    const team = await newLeadTeam()
    const { data } = await bulk(team, 'POST', { processes: [{ data: { lead_id: 'A' } }, { data: 'none' }] })
    const whole = { done: 2, total: 2, perSecond: null, etaAt: null, limitedBy: null }
    expect((await team.call('GET', `${JOBS}/${data.id}`)).data.progress).toEqual(whole)
    expect((await team.call('GET', JOBS)).data[0].progress).toEqual(whole)
  })
})

describe('the undo of a job that stands', () => {
  const undo = (id: string, undoOf: string, row = {}) => ({ id, undoOf, success: 1, completedAt: 1, ...row })

  it.each<[string, ReturnType<typeof undo>[], string | undefined]>([
    ['is none where there is none', [], undefined],
    ['is the newest', [undo('a', 'job'), undo('b', 'job')], 'b'],
    ['is none where it was undone', [undo('a', 'job'), undo('b', 'a')], undefined],
    ['is itself where its undo was undone', [undo('a', 'job'), undo('b', 'a'), undo('c', 'b')], 'a'],
    ['is none after the undo of that', [undo('a', 'job'), undo('b', 'a'), undo('c', 'b'), undo('d', 'c')], undefined],
    ['is the one that came after an undone one', [undo('a', 'job'), undo('b', 'a'), undo('c', 'job')], 'c'],
    ['is none where an earlier one was undone later', [undo('a', 'job'), undo('b', 'job'), undo('c', 'a')], undefined],
    ['is one that runs', [undo('a', 'job', { success: 0, completedAt: 0 })], 'a'],
    ['is none that has taken nothing back', [undo('a', 'job', { success: 0 })], undefined],
    ['does not end by an undo that has taken nothing back', [undo('a', 'job'), undo('b', 'a', { success: 0 })], 'a'],
  ])('%s', (_, undos, standing) => expect(findUndoneBy('job', undos)).toBe(standing))
})
