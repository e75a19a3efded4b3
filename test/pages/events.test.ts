import type { TeamEvent } from 'caseworker'
import { expect, test } from 'vitest'
import { aboutOf } from '../../src/admin/event/event-words.ts'

const about = (data: object) => aboutOf({ data } as unknown as TeamEvent)

test('an event says what changed, of which procedure, and whose message it is about', () => {
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
  expect(about({ process: { procedureShortId: 'lead' }, changes })).toBe('lead · state → WON, data.score → 7')
})
