import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  countCandidates,
  countDocumentBytes,
  forgetMeasuredScans,
  measureScan,
  paceScan,
  SCAN_LIMITS,
} from '../../src/process/query/scan-limits.ts'
import { newTeam, type Team } from '../support/api.ts'
import { attribute, newProcedure } from '../support/procedures.ts'
import { buildStatement } from '../support/statements.ts'

const COUNT = 12
/** Each pattern is compared at each of a text's characters, to its end. */
const PATTERNS = Array.from({ length: 10 }, (_, nth) => `${'a'.repeat(97)}X${nth}`)
const TEXT = `${'a'.repeat(100_000)} end`
const ATTRIBUTES = [attribute('lead_id', 'string'), attribute('essay', 'string')]

async function createDocuments(): Promise<{ team: Team; path: string }> {
  const team = await newTeam()
  const { path } = await newProcedure(team, { attributes: ATTRIBUTES })
  for (let nth = 0; nth < COUNT; nth++) {
    const made = await team.call('POST', path, { data: { lead_id: `L${nth}`, essay: TEXT } })
    expect(made.status).toBe(201)
  }
  return { team, path }
}

describe('a statement that searches large documents looks at few of them:', () => {
  const where = { essay: { contains: PATTERNS } }
  // Half a megabyte at once, by the weight of these patterns: five documents of a hundred kilobytes.
  const STATEMENTS_MIN = 3

  test('of a list, newest first or sorted', async () => {
    const { team, path } = await createDocuments()
    for (const sort of [[], [{ field: 'updatedAt' }], [{ field: 'createdAt', order: 'asc' }]]) {
      const listed = await team.call('POST', `${path}/list`, { where, sort, limit: 2 })
      expect([listed.errors, listed.data]).toEqual([[], []])
      expect(listed.cost.trips).toBeGreaterThanOrEqual(STATEMENTS_MIN)
    }
  })

  test('of a list by primary keys', async () => {
    const { team, path } = await createDocuments()
    const keys = Array.from({ length: COUNT }, (_, nth) => `L${nth}`)
    const listed = await team.call('POST', `${path}/list`, { where: { ...where, lead_id: keys } })
    expect([listed.status, listed.data]).toEqual([200, []])
    expect(listed.cost.trips).toBeGreaterThanOrEqual(STATEMENTS_MIN)
    const found = await team.call('POST', `${path}/list`, {
      where: { essay: { contains: ['end', ...PATTERNS] }, lead_id: keys },
      limit: COUNT,
    })
    expect(found.data).toHaveLength(COUNT)
  })

  test('of counts and figures', async () => {
    const { team, path } = await createDocuments()
    const all = await team.call('POST', `${path}/aggregate`, { where: { essay: { contains: ['end', ...PATTERNS] } } })
    expect([all.status, all.data[0].count]).toEqual([200, COUNT])
    expect(all.cost.trips).toBeGreaterThanOrEqual(STATEMENTS_MIN)
  })

  test('of a job by `where`, which the queue continues to collect', async () => {
    const { team, path } = await createDocuments()
    const body = { where: { essay: { contains: ['end', ...PATTERNS] } }, update: { state: 'BUSY' } }
    const accepted = await team.call('PATCH', path, body)
    expect(accepted.status).toBe(202)
    const row = await env.DB.prepare('SELECT collecting, total FROM background_job WHERE id = ?')
      .bind(accepted.data.id)
      .first<{ collecting: string | null; total: number }>()
    expect(row?.collecting).not.toBeNull()
    expect(row?.total).toBeLessThan(COUNT)
  })

  test('and none is left out or shown twice where some are small', async () => {
    const { team, path } = await createDocuments()
    for (let nth = 0; nth < 5; nth++) await team.call('POST', path, { data: { lead_id: `S${nth}`, essay: 'the end' } })
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const page = await team.call('POST', `${path}/list`, {
        where: { essay: { contains: ['end', ...PATTERNS] } },
        limit: 3,
        fields: ['id'],
        ...(cursor && { cursor }),
      })
      seen.push(...page.data.map(({ id }: { id: string }) => id))
      cursor = page.meta.next
    } while (cursor !== null)
    expect(seen).toHaveLength(COUNT + 5)
    expect(new Set(seen).size).toBe(COUNT + 5)
  })
})

describe('the number of documents that a statement looks at', () => {
  beforeEach(forgetMeasuredScans)

  test('a statement looks at fewer documents the more it looks for in each', () => {
    expect(countCandidates({ row: 0 }, SCAN_LIMITS)).toBe(10_000)
    expect(countCandidates({ row: 64 }, SCAN_LIMITS)).toBe(156)
    expect(countCandidates({ row: 1e9 }, SCAN_LIMITS)).toBe(1)
    expect(countDocumentBytes({ documents: 1 }, SCAN_LIMITS)).toBe(40_960_000)
    expect(countDocumentBytes({ documents: 64 }, SCAN_LIMITS)).toBe(640_000)
  })

  test('is adapted after a slow statement that read few rows', () => {
    expect(paceScan(SCAN_LIMITS).candidates).toBe(2_500)
    measureScan(24, { row: 1 }, 700)
    expect(paceScan(SCAN_LIMITS).candidates).toBe(SCAN_LIMITS.candidatesMin)
    measureScan(2_000, { row: 1 }, 2)
    expect(paceScan(SCAN_LIMITS).candidates).toBe(5_000)
  })
})

describe('a statement that looks for words in the processes that ids or primary keys name looks at few of them,', () => {
  const WORDS = 'one two three four five six seven eight nine ten'
  const texts = Array.from({ length: 8 }, (_, nth) => `text${nth}`)
  const searchable = texts.map(name => attribute(name, 'string', { searchable: true }))
  const written: [string, number, Record<string, string>][] = [
    [
      'where their texts are long',
      12,
      Object.fromEntries(texts.map(name => [name, `${'a b '.repeat(1_200)}${WORDS}`])),
    ],
    // One character has three bytes, and eighteen of words.
    [
      'where short texts have long words',
      40,
      { text0: `${WORDS} ${'\ufdfa'.repeat(500)}`, text1: '\ufdfa'.repeat(500) },
    ],
  ]
  test.each(written)('%s', async (_, count, data) => {
    const team = await newTeam()
    const { path } = await newProcedure(team, { attributes: [attribute('lead_id', 'string'), ...searchable] })
    const keys = Array.from({ length: count }, (_, nth) => `L${nth}`)
    const ids: string[] = []
    for (const lead_id of keys) ids.unshift((await team.call('POST', path, { data: { lead_id, ...data } })).data.id)
    for (const where of [{ lead_id: keys }, { id: ids }]) {
      const none = await team.call('POST', `${path}/list`, { where, search: WORDS.replace('ten', 'tenth') })
      expect([none.errors, none.data]).toEqual([[], []])
      expect(none.cost.trips).toBeGreaterThanOrEqual(2)
      const found = await team.call('POST', `${path}/list`, { where, search: WORDS, limit: 100 })
      expect(found.data.map(({ id }: { id: string }) => id)).toEqual(ids)
    }
  })
})

test('a text is lowered once for all searches in it', () => {
  const { text } = buildStatement({ where: { tags: { contains: ['a', 'b', 'c'] } } })
  // One is for a text, and one for each text of a list.
  expect(text.match(/lower\(/g)).toHaveLength(2)
})

test('searched texts that are too much together are refused', async () => {
  const team = await newTeam()
  const { path } = await newProcedure(team)
  const listed = await team.call('POST', `${path}/list`, {
    where: { or: [{ city: { contains: PATTERNS } }, { essay: { contains: PATTERNS } }] },
  })
  expect(listed.status).toBe(400)
  expect(listed.errors.join()).toContain('at most 1000 characters')
  expect(listed.meta.errors[0].path).toBe('/body/where/or/1/essay/contains')
})

test('a long page by an element of an indexed list has each match once, also where some documents are large', async () => {
  const team = await newTeam()
  const attributes = [attribute('lead_id', 'string'), attribute('tags', 'multiString', { indexed: true })]
  const { path } = await newProcedure(team, { attributes })
  const essay = 'a'.repeat(10_000)
  const made: string[] = []
  for (let nth = 0; nth < 95; nth++) {
    const data = { lead_id: `L${nth}`, tags: ['hot'], ...(nth % 30 === 7 && { essay }) }
    made.unshift((await team.call('POST', path, { data })).data.id)
  }
  const listed = await team.call('POST', `${path}/list`, { where: { tags: 'hot' }, limit: 100 })
  expect(listed.data.map(({ id }: { id: string }) => id)).toEqual(made)
  expect(listed.meta.hasMore).toBe(false)
})
