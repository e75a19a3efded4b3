import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Team } from '../support/api.ts'
import {
  createLead,
  eraseEverywhere,
  expectNothingLeft,
  type Person,
  personalTeam,
  RECORD,
  somePerson,
  untilErased,
} from '../support/erasing.ts'
import { faultsOfCalls, oneFault } from '../support/faults.ts'
import { Harness } from '../support/harness.ts'
import { LEADS } from '../support/jobs.ts'
import { loadLoggedEvents } from '../support/logged-events.ts'
import { createRandom } from '../support/random.ts'
import { IS_CHAOS } from '../support/seed.ts'

// A customer is erased everywhere while their processes are changed, and while anything fails.

/** Acts once, before the first call of the database that a text stands in. */
const once = (sql: string, act: () => Promise<unknown>) => {
  let isDone = false
  const harness = new Harness(
    {},
    {
      before: async call => {
        if (isDone || call.kind !== 'database' || !call.sql.includes(sql)) return
        isDone = true
        await act()
      },
    },
  )
  return { harness, isDone: () => isDone }
}

/** The beginning of the step that empties processes, or those in the trash. */
const EMPTYING = 'UPDATE "process" SET "record" = '
const EMPTYING_TRASH = 'UPDATE "process_trash" SET'

const erasing = (team: Team, id: string, harness: Harness) =>
  harness.request(team, 'DELETE', `${RECORD}/${id}?everywhere=true`)

describe('an erasure that empties processes', () => {
  it('keeps changes of other attributes, and removes what is written into personal ones', async () => {
    const team = await personalTeam()
    const [person, late] = [somePerson(), somePerson()]
    const made = await createLead(team, { lead_id: 'A', ...person })
    const { harness, isDone } = once(EMPTYING, () =>
      team.call('PUT', `${LEADS}/${made.id}`, { data: { city: 'Oslo', name: late.name }, state: 'IN_PROGRESS' }),
    )
    await erasing(team, made.record.id, harness)
    expect(isDone()).toBe(true)
    await untilErased(team, made.record.id)
    const left = (await team.call('GET', `${LEADS}/${made.id}`)).data
    expect([left.state, left.data]).toEqual(['IN_PROGRESS', { lead_id: 'A', city: 'Oslo' }])
    await expectNothingLeft(person, late.name)
  })

  it.each([
    ['by a call', false],
    ['by a job', true],
  ])(
    'keeps the later values of one that is given to another customer, %s, and nothing from before',
    async (_how, byJob) => {
      const team = await personalTeam()
      const [person, next] = [somePerson(), somePerson()]
      const made = await createLead(team, { lead_id: 'A', ...person })
      await team.call('PUT', `${LEADS}/${made.id}`, { data: { address: person.name } })
      const update = { data: { name: next.name, score: 1 }, record: { data: { phone: next.phone_number } } }
      const queue = new Harness()
      const { harness, isDone } = once(EMPTYING, async () => {
        if (!byJob) return expect((await team.call('PUT', `${LEADS}/${made.id}`, update)).status).toBe(200)
        const sent = await queue.request(team, 'PATCH', LEADS, { processes: [{ lead_id: 'A', update }] })
        expect(sent.status).toBe(202)
        return queue.settle(team)
      })
      await erasing(team, made.record.id, harness)
      expect(isDone()).toBe(true)
      await untilErased(team, made.record.id)
      const left = (await team.call('GET', `${LEADS}/${made.id}`)).data
      expect(left.data).toEqual({ lead_id: 'A', name: next.name, score: 1 })
      expect(left.record.data).toEqual({ phone: next.phone_number })
      await expectNothingLeft(person)
    },
  )

  it('empties one that is deleted meanwhile, in the trash', async () => {
    const team = await personalTeam()
    const person = somePerson()
    const made = await createLead(team, { lead_id: 'A', ...person })
    const { harness, isDone } = once(EMPTYING, () => team.call('DELETE', `${LEADS}/${made.id}`))
    await erasing(team, made.record.id, harness)
    expect(isDone()).toBe(true)
    await untilErased(team, made.record.id)
    await expectNothingLeft(person)
    expect((await team.call('POST', `${LEADS}/${made.id}/restore`)).data.data).toEqual({ lead_id: 'A' })
  })

  it.each([
    ['by a call', false, EMPTYING_TRASH],
    ['by a job', true, EMPTYING_TRASH],
    ['by a call that has read it before', false, ''],
  ])('empties one that is restored, %s', async (_how, byJob, at) => {
    const team = await personalTeam()
    const person = somePerson()
    const made = await createLead(team, { lead_id: 'A', ...person })
    await team.call('DELETE', `${LEADS}/${made.id}`)
    const queue = new Harness()
    const restoring = async (harness: Harness) => {
      if (!byJob) return expect((await harness.request(team, 'POST', `${LEADS}/${made.id}/restore`)).status).toBe(200)
      await harness.request(team, 'PATCH', LEADS, { processes: [{ id: made.id, update: { isDeleted: false } }] })
      return harness.settle(team)
    }
    if (at === '') {
      const { harness, isDone } = once('DELETE FROM "process_trash"', () => untilErasedFrom(team, made.record.id))
      await restoring(harness)
      expect(isDone()).toBe(true)
    } else {
      const { harness, isDone } = once(at, () => restoring(queue))
      await erasing(team, made.record.id, harness)
      expect(isDone()).toBe(true)
    }
    await untilErased(team, made.record.id)
    const left = (await team.call('GET', `${LEADS}/${made.id}`)).data
    expect([left.data, left.record]).toEqual([{ lead_id: 'A' }, null])
    await expectNothingLeft(person)
  })

  it('waits for a new definition, and empties what is personal by it', async () => {
    const team = await personalTeam()
    const person = somePerson()
    const made = await createLead(team, { lead_id: 'A', city: person.name, ...person })
    const { harness, isDone } = once(EMPTYING, async () => {
      const { data } = await team.call('GET', '/v1/ext/procedure/lead')
      const attributes = data.attributes.map((each: { shortId: string }) =>
        each.shortId === 'city' ? { ...each, personal: true } : each,
      )
      expect((await team.call('PUT', '/v1/ext/procedure/lead', { ...data, attributes })).status).toBe(200)
    })
    await erasing(team, made.record.id, harness)
    expect(isDone()).toBe(true)
    await untilErased(team, made.record.id)
    await expectNothingLeft(person)
  })
})

const untilErasedFrom = async (team: Team, id: string) => {
  expect((await eraseEverywhere(team, id)).status).toBeLessThan(300)
  await untilErased(team, id)
}

describe('an erasure with faults', () => {
  const SHARES = [0, 1, 2, 3]
  const FAULTS_TRIED = IS_CHAOS ? 200 : 20

  /** Processes with a history of calls and jobs, one of them in the trash. */
  async function start(count: number) {
    const team = await personalTeam()
    const people: Person[] = [somePerson(), somePerson()]
    const [first, second] = people as [Person, Person]
    const setUp = new Harness()
    const record = { data: { phone: first.phone_number } }
    const items = Array.from({ length: count }, (_, nth) => ({
      data: { lead_id: `${nth}`, city: 'Pune', ...first },
      record,
    }))
    await setUp.request(team, 'POST', `${LEADS}/bulk-create`, { processes: items })
    await setUp.settle(team)
    const others = somePerson()
    await createLead(team, { lead_id: 'other', ...others })
    const changed = [...Array.from({ length: count }, (_, nth) => `${nth}`), 'other']
    const change = (data: object) =>
      setUp.request(team, 'PATCH', LEADS, {
        processes: changed.map(lead_id => ({
          lead_id,
          update: { data: lead_id === 'other' ? { name: others.address } : data },
        })),
      })
    await change({ name: second.name, score: 1 })
    await setUp.settle(team)
    await change({ name: first.name, address: second.address, city: 'Oslo' })
    await setUp.settle(team)
    const made = (await team.call('GET', `${LEADS}/lead_id/0`)).data
    for (let nth = 0; nth < 4; nth++)
      await team.call('PUT', `${LEADS}/${made.id}`, { data: { address: `${second.address}${nth}` } })
    await team.call('DELETE', `${LEADS}/lead_id/1`)
    return {
      team,
      id: made.record.id as string,
      people: [first, { name: second.name, address: second.address }],
      others,
    }
  }

  /** The log as it was, but for the values of the person. */
  const toShape = async (team: Team) =>
    (await loadLoggedEvents(team)).map(({ sequence, count, type, after }) => [
      sequence,
      count,
      type,
      Object.keys(after),
    ])

  async function expectErased({ team, people, others }: Awaited<ReturnType<typeof start>>, count: number) {
    await expectNothingLeft(...people)
    const list = (await team.call('POST', `${LEADS}/list`, { where: {}, limit: 100 })).data
    expect(list.map(({ data }: { data: object }) => data)).toEqual([
      { lead_id: 'other', ...others, name: others.address },
      ...Array.from({ length: count }, (_, nth) => ({ lead_id: `${nth}`, city: 'Oslo', score: 1 }))
        .filter(({ lead_id }) => lead_id !== '1')
        .reverse(),
    ])
    const other = (await team.call('GET', `${LEADS}/lead_id/other/history`)).data
    expect(other[1].changes).toEqual([{ field: 'data.name', from: others.name, to: others.address }])
    const left = await env.DB.prepare(
      `SELECT (SELECT count(*) FROM record_erasure WHERE team = ?1) + (SELECT count(*) FROM erased_process WHERE team = ?1)
        + (SELECT count(*) FROM erasure_sweep WHERE team = ?1) AS n`,
    )
      .bind(team.no)
      .first<{ n: number }>()
    expect(left?.n).toBe(0)
  }

  it.each(SHARES)('is complete, once, with a fault at each call (%i)', async share => {
    const calm = await start(3)
    const harness = new Harness()
    await erasing(calm.team, calm.id, harness)
    await untilErased(calm.team, calm.id, harness)
    await expectErased(calm, 3)
    const possible = faultsOfCalls({ log: harness.log.filter(({ kind }) => kind === 'database') })
    const random = createRandom(7)
    const chosen = possible.filter(() => random.chance(Math.min(1, FAULTS_TRIED / possible.length)))
    const some = chosen.filter((_, nth) => nth % SHARES.length === share)
    expect(some.length).toBeGreaterThan(1)
    for (const fault of some) {
      const set = await start(3)
      const before = await toShape(set.team)
      const failing = new Harness({}, oneFault(fault))
      const { status } = await erasing(set.team, set.id, failing)
      // A caller without a response does not know whether the erasure was begun: they ask once more.
      if (status >= 500) expect((await erasing(set.team, set.id, failing)).status).toBeLessThan(500)
      await untilErased(set.team, set.id, failing)
      await expectErased(set, 3)
      expect((await toShape(set.team)).slice(0, before.length)).toEqual(before)
    }
  })

  it.each([1, 2, 3])(
    'is complete for many processes, with steps that fail or whose responses are lost (%i)',
    async seed => {
      const random = createRandom(seed)
      const set = await start(260)
      const harness = new Harness(
        {},
        {
          fault: (kind, _, __, { sql }) =>
            kind === 'database' && /record_erasure|erased_process/.test(sql) && random.chance(0.3)
              ? random.pick(['fails before', 'fails after'] as const)
              : undefined,
        },
      )
      for (let attempt = 0; attempt < 10; attempt++) if ((await erasing(set.team, set.id, harness)).status < 300) break
      await untilErased(set.team, set.id, harness)
      await expectNothingLeft(...set.people)
      expect(harness.statementsMax).toBeLessThan(1_000)
      const sequences = (await loadLoggedEvents(set.team)).map(({ sequence, count }) => [sequence, count] as const)
      let last = 0
      for (const [sequence, count] of sequences) {
        expect(sequence).toBe(last + count)
        last = sequence
      }
    },
  )
})
