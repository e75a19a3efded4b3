import { beforeAll, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

// `startsWith` and `contains` find the same whether the attribute has an index or not.

/** More spellings than an index is scanned for, `walkedPrefixesMax`. */
const SPELLINGS = 1_100
let team: Team

const lower = 'kanyakumarix'
const spelling = (nth: number) =>
  [...lower].map((letter, at) => ((nth >> at) % 2 === 0 ? letter : letter.toUpperCase())).join('')

async function found(where: object): Promise<string[]> {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const body: object = { where, limit: 100, ...(cursor === null ? {} : { cursor }) }
    const reply = await team.call('POST', `${LEADS}/list`, body)
    expect(reply.status, reply.errors.join()).toBe(200)
    for (const { data } of reply.data) names.push(data.lead_id)
    cursor = reply.meta.next as string | null
  } while (cursor !== null)
  return names
}

beforeAll(async () => {
  team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    ...[attribute('city', 'string', { indexed: true }), attribute('plain', 'string')],
    ...[attribute('due', 'date', { indexed: true }), attribute('plainDue', 'date')],
  ]
  const { create } = await newProcedure(team, { attributes })
  for (const value of ['2026-05-01', '2026-05-17', '1779-01-01']) {
    const made = await create({ data: { lead_id: `due ${value}`, due: value, plainDue: value } })
    expect(made.status, made.errors.join()).toBe(201)
  }
  const texts = ['Pune', 'PUNE', 'pune', 'pUnE', 'Pun', 'pünE', 'x pune', '70', '7 seas', 'é-1', 'É-1']
  const spelled = Array.from({ length: SPELLINGS }, (_, nth) => `${spelling(nth)}${nth}`)
  const items = [...texts, ...spelled].map(text => ({ lead_id: text, data: { city: text, plain: text } }))
  await bulk(team, 'POST', items)
})

const both = async (match: object, [indexed, plain]: [string, string]) => {
  const byIndex = await found({ [indexed]: match })
  expect(byIndex).toEqual(await found({ [plain]: match }))
  return byIndex
}

it.each([
  ['in any spelling of A to Z', { startsWith: 'pune' }, ['pUnE', 'pune', 'PUNE', 'Pune']],
  ['that is shorter', { startsWith: 'PUN' }, ['Pun', 'pUnE', 'pune', 'PUNE', 'Pune']],
  ['of other letters as they are', { startsWith: 'é' }, ['é-1']],
  ['of digits', { startsWith: '7' }, ['7 seas', '70']],
  ['anywhere', { contains: 'PUNE' }, ['x pune', 'pUnE', 'pune', 'PUNE', 'Pune']],
])('text %s is found with and without an index', async (_, match, expected) => {
  expect(await both(match, ['city', 'plain'])).toEqual(expected)
})

it.each([
  [{ startsWith: '2026-05' }, ['due 2026-05-17', 'due 2026-05-01']],
  [{ startsWith: '1779' }, ['due 1779-01-01']],
  [{ contains: '779' }, ['due 1779-01-01']],
])('numbers among text are not text: %j', async (match, expected) => {
  expect(await both(match, ['due', 'plainDue'])).toEqual(expected)
})

it('a text with more spellings than an index is scanned for finds all, once and newest first', async () => {
  const expected = Array.from({ length: SPELLINGS }, (_, nth) => `${spelling(nth)}${nth}`).reverse()
  expect(await found({ city: { startsWith: lower } })).toEqual(expected)
  expect(await found({ city: { startsWith: [lower, 'pune'] } })).toEqual([...expected, 'pUnE', 'pune', 'PUNE', 'Pune'])
})
