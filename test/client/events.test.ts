import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CaseworkerError, type Fetch, type TeamEvent } from '../../src/client/client.ts'
import { newTeam } from '../support/api.ts'
import { createClient, toWorker } from '../support/client.ts'
import { newProcedure } from '../support/procedures.ts'
import { sleep } from '../support/sleep.ts'

async function setUp(fetch: Fetch = toWorker) {
  const team = await newTeam()
  const { create } = await newProcedure(team)
  const client = createClient(team, { fetch })
  await client.eventFeed.set(true)
  let made = 0
  const make = async (count: number) => {
    for (const end = made + count; made < end; made++) await create({ data: { lead_id: `L${made}` } })
  }
  return { team, client, make }
}

/** The numbers of the first events that come. */
async function numbers(events: AsyncIterable<TeamEvent>, count: number): Promise<number[]> {
  const found: number[] = []
  for await (const { sequence } of events) if (found.push(sequence) === count) break
  return found
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

const calls = () => {
  const addresses: string[] = []
  const fetch: Fetch = (address, init) => {
    if (address.includes('/v1/ext/event?')) addresses.push(address)
    return toWorker(address, init)
  }
  return { addresses, fetch }
}

describe('following events', () => {
  it('returns the events that there are, page by page, and then those that happen', async () => {
    const { client, make } = await setUp()
    await make(5)
    const found: number[] = []
    for await (const event of client.events({ after: 0, pageSize: 2 })) {
      found.push(event.sequence)
      if (event.sequence === 5) await make(2)
      if (event.sequence === 7) break
    }
    expect(found).toEqual(upTo(7))
  })

  it('goes on after the last event that was handled, or begins with what happens next', async () => {
    const { client, make } = await setUp()
    await make(3)
    expect(await numbers(client.events({ after: 1 }), 2)).toEqual([2, 3])
    const next = numbers(client.events({ after: 'latest', waitSeconds: 1 }), 1)
    const first = await Promise.race([next, sleep(300).then(() => 'nothing yet')])
    expect(first).toBe('nothing yet')
    await make(1)
    expect(await next).toEqual([4])
  })

  it('reports a position that grows where no event is of the types', async () => {
    const { client, make } = await setUp()
    await make(4)
    const pages = client.events({ after: 0, types: ['process.deleted'], waitSeconds: 1 }).pages()
    expect((await pages.next()).value).toEqual({ events: [], next: 4, latest: 4 })
    await pages.return()
    for await (const { type, data } of client.events({ types: ['process.created'] })) {
      // The type of the event is known by then: this compiles.
      const created: 'process.created' = type
      expect([created, data.version]).toEqual(['process.created', 1])
      break
    }
  })

  it('misses and repeats nothing, whatever the network does', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('none', 'lost', 'answer lost', 'proxy', 'cut off'), { minLength: 4, maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (troubles, pageSize) => {
          const left = [...troubles]
          const fetch: Fetch = async (address, init) => {
            const trouble = address.includes('/v1/ext/event?') ? (left.shift() ?? 'none') : 'none'
            if (trouble === 'lost') throw new TypeError('the connection was refused')
            if (trouble === 'proxy') return new Response('<html>bad gateway</html>', { status: 502 })
            const response = await toWorker(address, init)
            if (trouble === 'none') return response
            const text = await response.text()
            if (trouble === 'answer lost') throw new TypeError('the connection was reset')
            return new Response(text.slice(0, text.length / 2), response)
          }
          const { client, make } = await setUp(fetch)
          await make(6)
          expect(await numbers(client.events({ pageSize }), 6)).toEqual(upTo(6))
        },
      ),
      { numRuns: 3 },
    )
  })

  it('survives failures that are longer than the retries of a call, and reports them', async () => {
    let failures = 6
    const { client, make } = await setUp(async (address, init) => {
      if (address.includes('/v1/ext/event?') && failures-- > 0) throw new TypeError('the network is down')
      return toWorker(address, init)
    })
    await make(2)
    const told: string[] = []
    const events = client.events({
      onError: ({ code, tries }, pauseMs) => told.push(`${code} ${tries} ${pauseMs > 0}`),
    })
    expect(await numbers(events, 2)).toEqual([1, 2])
    expect(told).toEqual(['no_response 5 true'])
  })

  it('throws on lasting errors: a feed that is off, a number that no event has yet', async () => {
    const { client, make } = await setUp()
    await make(1)
    await expect(numbers(client.events({ after: 99 }), 1)).rejects.toMatchObject({ code: 'invalid_request' })
    await client.eventFeed.set(false)
    await expect(numbers(client.events(), 1)).rejects.toMatchObject({ code: 'event_feed_off' })
  })

  it('names the oldest event that is kept, if the next ones are not', async () => {
    const { team, client, make } = await setUp()
    await make(4)
    await env.DB.prepare('UPDATE event SET at = 1 WHERE team = ? AND sequence <= 2').bind(team.no).run()
    const error = await numbers(client.events({ after: 1 }), 1).catch((thrown: unknown) => thrown)
    if (!(error instanceof CaseworkerError && error.is('sequence_expired'))) throw error
    const [{ oldest, latest } = {}] = error.errors
    expect([error.status, oldest, latest]).toEqual([410, 3, 4])
    expect(await numbers(client.events({ after: (oldest ?? 1) - 1 }), 2)).toEqual([3, 4])
    expect(await numbers(client.events(), 2)).toEqual([3, 4])
  })

  it('ends without an error when the signal is aborted, also while it waits', async () => {
    const { client, make } = await setUp()
    await make(2)
    const stop = new AbortController()
    const found: number[] = []
    const ended = (async () => {
      for await (const { sequence } of client.events({ waitSeconds: 1, signal: stop.signal })) found.push(sequence)
    })()
    const enough = setInterval(() => found.length === 2 && stop.abort(new Error('enough')), 20)
    await ended
    clearInterval(enough)
    expect(found).toEqual([1, 2])
    for await (const _ of client.events({ signal: stop.signal })) found.push(0)
    expect(found).toEqual([1, 2])
  })

  it('does not ask again and again where the server does not wait', async () => {
    const { addresses, fetch } = calls()
    const { client } = await setUp(fetch)
    await numbers(client.events({ waitSeconds: 0, signal: AbortSignal.timeout(1_500) }), 1)
    expect(addresses.length).toBeLessThanOrEqual(3)
    expect(addresses[0]).toContain('waitSeconds=0')
  })
})
