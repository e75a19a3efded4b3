import { env } from 'cloudflare:workers'
import { afterAll, describe, expect, it } from 'vitest'
import { newNumber } from '../support/provider.ts'
import { type FarReply, type FarTeam, far, type Place } from './far.ts'
import { LEADS, teamWithLeads } from './leads.ts'
import { connectSender } from './sender.ts'

// The waiting time of a caller, by the distance of the database: in an isolate that remembers nothing, and in one that
// has served this caller before. `npm run far -- --table` prints it.

const DISTANCES = [5, 50, 150]

interface Setting {
  place: Place
  team: FarTeam
  id: string
  sender: Awaited<ReturnType<typeof connectSender>>
}

interface Operation {
  name: string
  run: (setting: Setting) => Promise<FarReply>
  /** Trips to the database that it may take, one after the other or not. */
  trips: { cold: number; warm: number }
  /** The distance of the nearest replica; there is none otherwise. */
  replicaMs?: number
}

let counter = 0
const lead = () => ({ lead_id: `T${++counter}`, city: 'Pune' })
const phone = () => `9198${String(10_000_000 + ++counter)}`

const OPERATIONS: Operation[] = [
  {
    name: 'fetch',
    run: ({ team, id }) => team.call('GET', `${LEADS}/${id}`),
    trips: { cold: 2, warm: 1 },
  },
  {
    name: 'fetch, any state, with a replica 5 ms away',
    replicaMs: 5,
    run: ({ team, id }) => team.call('GET', `${LEADS}/${id}`, undefined, { 'x-caseworker-bookmark': 'any' }),
    trips: { cold: 2, warm: 1 },
  },
  {
    name: 'list, 10 of one city',
    run: ({ team }) => team.call('POST', `${LEADS}/list`, { where: { city: 'Pune' }, limit: 10 }),
    trips: { cold: 2, warm: 1 },
  },
  {
    name: 'create',
    run: ({ team }) => team.call('POST', LEADS, { data: lead() }),
    trips: { cold: 2, warm: 1 },
  },
  {
    name: 'create, with a new customer',
    run: ({ team }) => team.call('POST', LEADS, { data: lead(), record: { data: { phone: phone() } } }),
    trips: { cold: 2, warm: 1 },
  },
  {
    name: 'update',
    run: ({ team, id }) => team.call('PUT', `${LEADS}/${id}`, { data: { city: `C${++counter}` } }),
    trips: { cold: 2, warm: 1 },
  },
  {
    name: 'send a message',
    run: ({ sender }) => sender.send(newNumber()),
    trips: { cold: 5, warm: 4 },
  },
]

interface Measured {
  name: string
  trips: { cold: number; warm: number }
  ms: { cold: number; warm: number }[]
}

const measured = OPERATIONS.map(({ name }): Measured => ({ name, trips: { cold: 0, warm: 0 }, ms: [] }))

describe.each(DISTANCES)('with the database %d ms away', databaseMs => {
  it('no operation takes more trips than its budget, in a cold isolate or a warm one', async () => {
    const place = far({ databaseMs })
    const team = await teamWithLeads(place)
    const sender = await connectSender(team)
    const created = await team.call('POST', LEADS, { data: lead() })
    const setting = { place, team, sender, id: created.data.id }
    for (const [nth, { name, run, trips, replicaMs = Number.POSITIVE_INFINITY }] of OPERATIONS.entries()) {
      place.options.replicaMs = replicaMs
      await run(setting)
      await place.settled()
      await place.pass(1_000)
      const warm = await run(setting)
      await place.pass(1_000)
      place.vanish()
      const cold = await run(setting)
      await place.settled()
      expect([...warm.errors, ...cold.errors]).toEqual([])
      expect(warm.trips, `${name}, warm`).toBeLessThanOrEqual(trips.warm)
      expect(cold.trips, `${name}, cold`).toBeLessThanOrEqual(trips.cold)
      const row = measured[nth]
      if (!row) continue
      row.trips = { cold: cold.trips, warm: warm.trips }
      row.ms.push({ cold: cold.ms, warm: warm.ms })
    }
  })
})

afterAll(() => {
  if (env.FAR !== 'print') return
  const head = `| milliseconds, cold and warm | trips | ${DISTANCES.map(ms => `database ${ms} ms away`).join(' | ')} |`
  const lines = measured.map(
    ({ name, trips, ms }) =>
      `| ${name} | ${trips.cold}, ${trips.warm} | ${ms.map(({ cold, warm }) => `${cold}, ${warm}`).join(' | ')} |`,
  )
  console.log([head, `|---|---|${DISTANCES.map(() => '---').join('|')}|`, ...lines].join('\n'))
})
