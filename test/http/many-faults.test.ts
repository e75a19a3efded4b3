import { describe, expect, it, test } from 'vitest'
import { suggest } from '../../src/suggest.ts'
import { newTeam } from '../support/api.ts'
import { newProcedure } from '../support/procedures.ts'

const FAULTS_MAX = 100
const WORD_LENGTH_MAX = 64

/** Words that differ little from one another: as many characters as possible have to be compared. */
const longWord = (start: string, index: number): string => (start + index).padEnd(WORD_LENGTH_MAX, 'ab')
const longWords = (start: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => longWord(start, index))

describe('a suggestion', () => {
  test.each([
    ['createdat', ['updatedAt', 'createdAt'], 'createdAt'],
    ['next action at', ['nextActionAt'], 'nextActionAt'],
    ['ciity', ['name', 'city'], 'city'],
    ['zzz', ['name', 'city'], undefined],
    ['', ['name'], undefined],
    ['cat', ['bat', 'cut', 'cat'], 'cat'],
  ])('for %j among %j is %j', (word, known, expected) => {
    expect(suggest(word, known)).toBe(expected)
  })
})

describe('endless faults cost little and are counted:', () => {
  it('15,000 unknown attributes of a strict procedure with 500 long ones', async () => {
    const attributes = longWords('known', 500).map(shortId => ({ shortId, type: 'string' }))
    const { create } = await newProcedure(await newTeam(), { strict: true, primaryKey: null, attributes })
    const data = Object.fromEntries(longWords('other', 13_000).map(name => [name, 1]))
    const refused = await create({ data })
    expect(refused.status).toBe(400)
    expect(refused.errors).toHaveLength(FAULTS_MAX + 1)
    expect(refused.errors.at(-1)).toMatch(/^and 1\d{4} more$/)
  })

  it('64 lists of 30 unknown states, of a procedure with 200 long ones', async () => {
    const shortIds = longWords('known', 200)
    const states = shortIds.map(shortId => ({ shortId }))
    const team = await newTeam()
    const { path } = await newProcedure(team, {
      states,
      startState: shortIds[0],
      completedState: shortIds[1],
    })
    const where = { or: Array.from({ length: 60 }, () => ({ state: longWords('other', 100) })) }
    const refused = await team.call('POST', `${path}/list`, { where })
    expect(refused.status).toBe(400)
    expect(refused.errors.length).toBeLessThanOrEqual(FAULTS_MAX + 1)
  })

  it('20,000 members that a body does not have', async () => {
    const team = await newTeam()
    const refused = await team.call('POST', '/v1/ext/user', Object.fromEntries(longWords('x', 13_000).map(x => [x, 1])))
    expect(refused.status).toBe(400)
    expect(refused.errors).toHaveLength(FAULTS_MAX + 1)
  })

  it('1,000 wrong values of an enum with 1,000', async () => {
    const values = longWords('known', 1_000)
    const attributes = Array.from({ length: 12 }, (_, index) => ({
      shortId: `a${index}`,
      type: 'multiStringEnum',
      values: values.map(value => value + index),
    }))
    const { create } = await newProcedure(await newTeam(), { primaryKey: null, attributes: attributes.slice(0, 10) })
    const data = Object.fromEntries(attributes.map(({ shortId }) => [shortId, longWords('other', 1_000)]))
    const refused = await create({ data })
    expect(refused.status).toBe(400)
    expect(refused.errors[0]).toContain('and 980 more')
  })

  it('5,000 entries of a bulk request, each with 5 unknown attributes', async () => {
    const team = await newTeam()
    const attributes = longWords('known', 500).map(shortId => ({ shortId, type: 'string' }))
    const { path } = await newProcedure(team, { strict: true, primaryKey: null, attributes })
    const data = Object.fromEntries(longWords('other', 5).map(name => [name, 1]))
    const entries = Array.from({ length: 5_000 }, () => ({ data, unknown: 1 }))
    const accepted = await team.call('POST', `${path}/bulk-create`, entries)
    expect(accepted.status).toBe(202)
    expect(accepted.data.completionStatus).toBe('ERROR')
  })
})
