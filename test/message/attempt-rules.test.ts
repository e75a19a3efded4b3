import { describe, expect, it } from 'vitest'
import { type Attempt, toAttemptState } from '../../src/message/bulk/attempt-rules.ts'
import { deliveryNumber, PENDING_MS_MAX } from '../../src/message/rules.ts'

const NOW = 1_795_276_206_000
const JOB = 'a job'

const pending = (updatedAt: number): Attempt => ({
  id: 'a message',
  process: null,
  externalId: null,
  delivery: deliveryNumber('PENDING'),
  error: null,
  reason: null,
  attempt: 1,
  sourceId: JOB,
  resentAs: null,
  updatedAt,
})

describe('an entry whose message is stored and not settled', () => {
  it('is busy while its runner may still work on it', () => {
    expect(toAttemptState([pending(NOW)], JOB, NOW)).toEqual({ kind: 'busy' })
    expect(toAttemptState([pending(NOW - PENDING_MS_MAX + 1)], JOB, NOW)).toEqual({ kind: 'busy' })
  })

  it('is unknown after a minute, and never sent again', () => {
    expect(toAttemptState([pending(NOW - PENDING_MS_MAX)], JOB, NOW)).toEqual({ kind: 'unknown' })
    expect(toAttemptState([pending(NOW - PENDING_MS_MAX)], 'a retry of it', NOW)).toEqual({ kind: 'unknown' })
  })
})
