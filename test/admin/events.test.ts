import type { TeamEvent } from 'caseworker'
import { expect, test } from 'vitest'
import { describeSubject } from '../../src/admin/event/event-text.ts'

const LEAD = { shortId: 'lead', name: 'Lead', primaryKey: 'lead_id' }
const about = (data: object) => describeSubject({ data } as unknown as TeamEvent, [LEAD])

test('an event is described by what changed, of which procedure, and whose message it is about', () => {
  const message = { context: { contactIdentifier: '919448300007' } }
  expect(about({ id: 'm', message, from: 'PENDING', to: 'SENT' })).toBe('+919448300007 · PENDING → SENT')
  expect(about({ id: 'm', message: { context: { contactIdentifier: '' } }, from: 'SENT', to: 'READ' })).toBe(
    'SENT → READ',
  )
  expect(about({ id: 'm', message: null, from: 'PENDING', to: 'SENT' })).toBe('')
  const changes = [
    { field: 'state', to: 'WON' },
    { field: 'data.score', to: 7 },
  ]
  const process = { id: '01a2', procedureShortId: 'lead', data: { lead_id: 'LEAD-7' } }
  expect(about({ process, changes })).toBe('Lead LEAD-7 · state → WON, data.score → 7')
  expect(about({ process: { ...process, procedureShortId: 'gone' }, changes: [] })).toBe('gone')
})

test('an event of a job says how the job ended', () => {
  const backgroundJob = { statusMessage: 'All of 140 entries succeeded' }
  expect(about({ id: 'j', backgroundJob })).toBe('All of 140 entries succeeded')
})
