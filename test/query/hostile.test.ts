import { describe, expect, test } from 'vitest'
import { newTeam } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

const LEVELS = 3_000
const FAULTS_MAX = 100

const nested = (open: string, inner: string, close: string): string =>
  open.repeat(LEVELS) + inner + close.repeat(LEVELS)

describe('a filter nested thousands of levels deep is refused, naming the limit:', () => {
  const wheres: [string, string][] = [
    ['queries in queries', nested('{"and":[', '{"city":"Pune"}', ']}')],
    ['queries in queries, either kind', nested('{"or":[{"and":[', '{}', ']}]}')],
    ['lists in lists', `{"city":${nested('[', '"Pune"', ']')}}`],
    ['objects in objects', `{"city":${nested('{"=":', '"Pune"', '}')}}`],
    ['objects in a list of users', `{"assignedTo":{"=":[${nested('{"a":', '1', '}')}]}}`],
    ['beside what is right', `{"city":"Pune","or":[{"score":1},${nested('{"and":[', '{}', ']}')}]}`],
  ]
  test.each(wheres)('%s', async (_, where) => {
    const team = await newTeam()
    const { path } = await newProcedure(team)
    const listed = await team.call('POST', `${path}/list`, `{"where":${where},"cursor":"eyJxIjoiMSJ9"}`)
    expect(listed.status).toBe(400)
    expect(listed.errors.join()).toMatch(/at most 8 deep|at most \d+ levels/)
    const updated = await team.call('PATCH', path, `{"where":${where},"update":{"state":"BUSY"}}`)
    expect(updated.status).toBe(400)
  })
})

describe('a request of a megabyte gets no response of many:', () => {
  const SIZE = 400_000
  const wheres: [string, unknown][] = [
    [
      'an attribute of a long name, compared by 200 unknown operators',
      { ['n'.repeat(SIZE)]: Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`op${index}`, 1])) },
    ],
    ['a list of a long name with 200 objects', { ['n'.repeat(SIZE)]: Array.from({ length: 200 }, () => ({})) }],
    ['long operators', { city: { ['o'.repeat(SIZE)]: 1 } }],
    ['a long value of a wrong type', { score: 'x'.repeat(SIZE) }],
  ]
  test.each(wheres)('%s', async (_, where) => {
    const team = await newTeam()
    const { path } = await newProcedure(team)
    const listed = await team.call('POST', `${path}/list`, { where })
    expect(listed.status).toBe(400)
    expect(listed.errors.length).toBeLessThanOrEqual(FAULTS_MAX + 1)
    expect(JSON.stringify([listed.errors, listed.meta]).length).toBeLessThan(200_000)
  })

  test('a long field to sort by', async () => {
    const team = await newTeam()
    const { path } = await newProcedure(team)
    const listed = await team.call('POST', `${path}/list`, { sort: [{ field: 'f'.repeat(SIZE) }] })
    expect(listed.status).toBe(400)
    expect(JSON.stringify([listed.errors, listed.meta]).length).toBeLessThan(10_000)
  })
})

test('fields to sort by are counted before anything is said of each', async () => {
  const team = await newTeam()
  const { path } = await newProcedure(team)
  const sort = Array.from({ length: 20_000 }, (_, index) => ({ field: `unknown ${index}` }))
  const listed = await team.call('POST', `${path}/list`, { sort })
  expect(listed.status).toBe(400)
  expect(listed.errors).toEqual([expect.stringMatching(/at most 4/)])
  const five = ['createdAt', 'updatedAt', 'state', 'status', 'city'].map(field => ({ field }))
  expect((await team.call('POST', `${path}/list`, { sort: five })).status).toBe(400)
  expect((await team.call('POST', `${path}/list`, { sort: five.slice(1) })).status).toBe(200)
})

test('2,000 unknown states against 200 known ones get a hint each only as long as the budget lasts', async () => {
  const words = (start: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${start}${index}`.padEnd(64, 'ab'))
  const states = words('known', 200)
  const team = await newTeam()
  const { path } = await newProcedure(team, {
    states: states.map(shortId => ({ shortId })),
    startState: states[0],
    completedState: states[1],
  })
  const where = { or: [{ state: words('known1', 1_000) }, { state: words('known2', 1_000) }] }
  const listed = await team.call('POST', `${path}/list`, { where })
  expect(listed.status).toBe(400)
  expect(listed.errors.length).toBeLessThanOrEqual(FAULTS_MAX + 1)
  const hints = (listed.meta.errors as { hint?: string }[]).filter(({ hint }) => hint !== undefined)
  expect(hints.length).toBeGreaterThan(0)
  expect(hints.length).toBeLessThanOrEqual(10)
})
