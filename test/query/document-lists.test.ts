import { describe, expect, test } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

// An empty text is one byte of a document, and as much work for a filter as any other element of its list.

const COUNT = 12
/** The most documents that one statement looks at, by 64 comparisons each. */
const TOGETHER = 2
const LIST = Array.from({ length: 1_000 }, () => '')
const letters = Array.from({ length: 64 }, (_, nth) => String.fromCharCode(0x4e00 + nth))
const attributes = [
  attribute('lead_id', 'string'),
  attribute('note', 'string'),
  attribute('choices', 'multiString'),
  attribute('shape', 'json'),
]
const nth = (n: number) => `L${n}`
const times = <T>(make: (n: number) => T): T[] => Array.from({ length: COUNT }, (_, n) => make(n))

async function newLeads(name: string) {
  const team = await newTeam()
  const leads = await newProcedure(team, { attributes })
  for (const lead_id of times(nth)) await leads.create({ data: { lead_id, [name]: LIST } })
  return { team, ...leads }
}

/** Counts the statements in which a filter without a match has looked at all of them. */
async function countStatements(team: Team, where: object): Promise<number> {
  const listed = await team.call('POST', `${LEADS}/list`, { where })
  expect([listed.errors, listed.data]).toEqual([[], []])
  return listed.cost.trips
}

describe('a statement looks at few documents that have long lists, however few bytes they are:', () => {
  const filters: [string, (name: string) => object][] = [
    ['texts that are contained', name => ({ [name]: { contains: letters } })],
    ['equalities', name => ({ and: letters.map(letter => ({ [name]: { '=': letter } })) })],
    ['equalities of which any may hold', name => ({ or: letters.map(letter => ({ [name]: { '=': letter } })) })],
  ]
  test.each(['choices', 'shape', 'undeclared'])('of the attribute %s', async name => {
    const { team } = await newLeads(name)
    for (const [what, where] of filters)
      expect([what, await countStatements(team, where(name))]).toEqual([
        what,
        expect.toSatisfy(count => count >= COUNT / TOGETHER),
      ])
  })

  test('in an order of its own, by primary keys, and of figures', async () => {
    const { team, path } = await newLeads('choices')
    const where = { choices: { contains: letters.slice(1) } }
    for (const body of [
      { where, sort: [{ field: 'updatedAt' }], limit: 1 },
      { where: { ...where, lead_id: times(nth) } },
    ]) {
      const listed = await team.call('POST', `${path}/list`, body)
      expect([listed.errors, listed.data]).toEqual([[], []])
      expect(listed.cost.trips).toBeGreaterThanOrEqual(COUNT / TOGETHER)
    }
    const counted = await team.call('POST', `${path}/aggregate`, { where })
    expect([counted.errors, counted.data[0]?.count ?? 0]).toEqual([[], 0])
    expect(counted.cost.trips).toBeGreaterThanOrEqual(COUNT / TOGETHER)
  })

  test('whatever code has written the list', async () => {
    const where = { choices: { contains: letters } }
    const ways: Record<string, (leads: Awaited<ReturnType<typeof newProcedure>>, team: Team) => Promise<unknown>> = {
      'bulk create': (_, team) =>
        bulk(
          team,
          'POST',
          times(n => ({ lead_id: nth(n), data: { lead_id: nth(n), choices: LIST } })),
        ),
      update: async ({ create, update }) => {
        for (const lead_id of times(nth)) {
          await create({ data: { lead_id } })
          await update(`lead_id/${lead_id}`, { data: { choices: LIST } })
        }
      },
      'bulk update': async ({ create }, team) => {
        for (const lead_id of times(nth)) await create({ data: { lead_id } })
        const processes = times(n => ({
          lead_id: nth(n),
          update: { data: { choices: n % 2 === 0 ? LIST : [...LIST.slice(1), 'x'] } },
        }))
        await bulk(team, 'PATCH', { processes })
      },
      restore: async ({ create, remove, restore }) => {
        for (const lead_id of times(nth)) {
          const { data } = await create({ data: { lead_id, choices: LIST } })
          await remove(data.id)
          await restore(data.id)
        }
      },
    }
    for (const [way, act] of Object.entries(ways)) {
      const team = await newTeam()
      await act(await newProcedure(team, { attributes }), team)
      expect([way, await countStatements(team, where)]).toEqual([
        way,
        expect.toSatisfy(count => count >= COUNT / TOGETHER),
      ])
    }
  })

  test('and at many documents that have short lists', async () => {
    const team = await newTeam()
    const { create } = await newProcedure(team, { attributes })
    for (const lead_id of times(nth)) await create({ data: { lead_id, choices: LIST.slice(0, 8) } })
    expect(await countStatements(team, { choices: { contains: letters } })).toBe(1)
  })
})

describe('a list has a bounded number of elements', () => {
  const long = Array.from({ length: 10_000 }, () => 0)
  test.each(['shape', 'undeclared'])('in the attribute %s', async name => {
    const team = await newTeam()
    const { create, update, fetch } = await newProcedure(team, { attributes })
    const made = await create({ data: { lead_id: 'A', [name]: long } })
    expect(made.status).toBe(201)
    for (const refused of [
      await create({ data: { lead_id: 'B', [name]: [...long, 0] } }),
      await update('lead_id/A', { data: { [name]: [...long, 0] } }),
    ]) {
      expect([refused.status, refused.errors]).toEqual([400, [`"${name}" a list holds at most 10000 values`]])
      expect(refused.meta.errors[0]).toMatchObject({ path: `/body/data/${name}` })
    }
    expect((await fetch('lead_id/A')).data.data[name]).toHaveLength(long.length)
  })
})
