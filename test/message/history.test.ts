import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openDatabase } from '../../src/db/databases.ts'
import { write } from '../../src/db/write.ts'
import { toRowNo } from '../../src/ids.ts'
import { advanceStatus } from '../../src/message/ledger/advance-status.ts'
import { DELIVERY_STATUSES, type DeliveryEvent, deliveryNumber } from '../../src/message/rules.ts'
import type { Team } from '../support/api.ts'
import { type Connected, newConnectedTeam, newNumber } from '../support/provider.ts'

const ENTRIES_MAX = 30
const AT = 1_795_763_764_224

interface Entry {
  status: string
  at: number
  timestamp: number | null
  source: string
  code?: number
  reason?: string
}

const toEntry = ({ status, at, timestamp, source, error, reason }: DeliveryEvent): Entry => ({
  status,
  at,
  timestamp,
  source,
  ...(error === undefined ? {} : { code: error.code }),
  ...(reason === undefined ? {} : { reason }),
})

const isSame = (one: Entry, other: Entry): boolean =>
  one.source === other.source && one.status === other.status && one.timestamp === other.timestamp

const ERROR: NonNullable<DeliveryEvent['error']> = {
  code: 131_026,
  title: 'Message undeliverable',
  details: 'of nobody',
  advice: 'none',
  class: 'stop-entry',
}

const anyEvent: fc.Arbitrary<DeliveryEvent> = fc
  .record({
    status: fc.constantFrom(...DELIVERY_STATUSES),
    at: fc.integer({ min: AT, max: AT + 50 }),
    timestamp: fc.constantFrom(null, 1_800_000_000_000, 1_800_000_001_000, 1_000, Number.MAX_SAFE_INTEGER + 1),
    source: fc.constantFrom('PROVIDER' as const, 'WEBHOOK' as const, 'SWEEP' as const),
    more: fc.constantFrom({}, {}, {}, { error: ERROR }, { reason: 'TIMEOUT' as const }),
  })
  .map(({ more, ...event }) => ({ ...event, ...more }))

/** Changes of one message, each of several events, and between them those of code that knows nothing of words. */
const anyChanges = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.array(anyEvent, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(anyEvent, { minLength: 12, maxLength: 20 }) },
    { weight: 2, arbitrary: anyEvent },
  ),
  { minLength: 1, maxLength: 6 },
)

async function sendOne(team: Team, whatsapp: Connected): Promise<{ id: string; history: Entry[] }> {
  const { data } = await whatsapp.send(newNumber())
  return (await team.call('GET', `/v1/ext/message/${data.id}`)).data
}

/** What a history is by the rules alone. Null: the change is none. */
function append(known: readonly Entry[], delivery: number, events: readonly DeliveryEvent[]): Entry[] | null {
  const highest = Math.max(...events.map(({ status }) => deliveryNumber(status)))
  if (highest <= deliveryNumber('UNKNOWN') && delivery !== deliveryNumber('PENDING')) return null
  // The same event twice in one change is the first one's place with what the last one says.
  const once = new Map(events.map(event => [`${event.source} ${event.status} ${event.timestamp}`, toEntry(event)]))
  const found = [...once.values()].filter(entry => !known.some(each => isSame(each, entry)))
  return found.length === 0 ? null : [...known, ...found].slice(0, Math.max(known.length, ENTRIES_MAX))
}

describe('the history of a message', () => {
  it('has each event once, in the order in which they were learnt, whichever code has written them', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    await fc.assert(
      fc.asyncProperty(fc.boolean(), anyChanges, async (isOlder, changes) => {
        const data = await sendOne(team, whatsapp)
        const of = toRowNo(data.id)
        if (isOlder)
          await env.DB.prepare('UPDATE message SET steps = NULL, history = jsonb(?2), delivery = 0 WHERE rid = ?1')
            .bind(of, JSON.stringify(data.history.slice(0, 1)))
            .run()
        else await env.DB.prepare('UPDATE message SET delivery = 0 WHERE rid = ?').bind(of).run()
        let expected: Entry[] = isOlder ? data.history.slice(0, 1) : data.history
        let delivery = 0
        for (const change of changes) {
          if (!Array.isArray(change)) {
            const entry = toEntry(change)
            expected = [...expected, entry]
            await env.DB.prepare("UPDATE message SET history = jsonb_insert(history, '$[#]', json(?2)) WHERE rid = ?1")
              .bind(of, JSON.stringify(entry))
              .run()
            continue
          }
          const effect = advanceStatus(team.no, [{ id: data.id, externalId: null, events: change }], AT)
          await write({ db: openDatabase(env), idempotency: null }, { effect, outcome: null })
          const next = append(expected, delivery, change)
          if (next) delivery = Math.max(delivery, ...change.map(({ status }) => deliveryNumber(status)))
          expected = next ?? expected
        }
        const { data: shown } = await team.call('GET', `/v1/ext/message/${data.id}`)
        expect(shown.history).toEqual(expected)
        expect(shown.deliveryStatus).toBe(DELIVERY_STATUSES[delivery])
      }),
      { numRuns: 60 },
    )
  })

  it('takes some twenty characters for each status', async () => {
    const { team, whatsapp } = await newConnectedTeam()
    const data = await sendOne(team, whatsapp)
    const size = await env.DB.prepare(
      'SELECT octet_length(steps) + octet_length(history) AS bytes FROM message WHERE rid = ?',
    )
      .bind(toRowNo(data.id))
      .first<number>('bytes')
    expect(data.history.map(({ status }) => status)).toEqual(['PENDING', 'SENT'])
    expect(size).toBeLessThan(30)
  })
})
