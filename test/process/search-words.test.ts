import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS, waitForJob } from '../support/jobs.ts'
import { attribute, newProcedure } from '../support/procedures.ts'

// Words are runs of letters, digits and marks of Unicode. Case, width, and accents that are marks make no difference.

const ATTRIBUTES = {
  attributes: [attribute('lead_id', 'string'), attribute('note', 'text', { searchable: true })],
}

async function setUp() {
  const team = await newTeam()
  await newProcedure(team, ATTRIBUTES)
  return team
}

const add = async (team: Team, notes: readonly string[]) => {
  const created = await bulk(
    team,
    'POST',
    notes.map((note, nth) => ({ data: { lead_id: `L${nth}`, note } })),
  )
  await waitForJob(team, created.data.id)
}

async function found(team: Team, search: string, more: object = {}): Promise<string[]> {
  const reply = await team.call('POST', `${LEADS}/list`, { search, limit: 100, ...more })
  expect(reply.status, `${search} ${reply.errors.join()}`).toBe(200)
  return reply.data.map((each: { data: { note: string } }) => each.data.note)
}

const FOUND: [search: string, text: string][] = [
  ...[
    ['5000', '₹5000'],
    ['20', '€20'],
    ['party', '🎉party'],
    ['beta', 'a→beta'],
    ['שלום', 'א\u200fשלום'],
    ['case', 'edge\u2011case'],
    ['two', 'one\u2009two'],
    ['three', 'one\u2028three'],
    ['20cm', '10×20cm'],
    ['東京', '日本・東京'],
    ['عليكم', 'سلام،عليكم'],
    ['श्याम', 'राम।श्याम'],
    ['محمد', 'مُحَمَّد'],
    ['שלום', 'שָׁלוֹם'],
    ['ΚΑΦΕ', 'καφέ'],
    ['отел', 'ОТЁЛ'],
  ],
  ...[
    ['ＡＳＨＡ', 'Asha one'],
    ['asha two', 'ａｓｈａ　ｔｗｏ'],
    ['ガイド', 'ｶﾞｲﾄﾞ'],
    ['ΟΔΟΣ', 'οδος alpha'],
    ['οδος', 'ΟΔΟΣ beta'],
    ['istanbul', 'İstanbul'],
    ['josé', 'Jose\u0301 first'],
    ['JOSE', 'José second'],
    ['احمد', 'أحمد'],
    ['ﬁnal', 'Final'],
    ['5', '№5'],
    ['acme', '™Acme'],
    ['मुम्बई', 'शहर मुम्बई'],
    ['서울', '서울역'],
    ['O\u2019Neil', 'O´Neil'],
    ['100', '1️⃣00'],
    ['ผู้', 'ผู้ใช้'],
    ['straße', 'STRAẞE'],
  ],
] as [string, string][]

const NOT_FOUND: [search: string, text: string][] = [
  ['राम', 'रीमा'],
  ['काम', 'कुमार'],
  ['गोत', 'गीता'],
  ['தீய்', 'தாய்'],
  ['か', 'がく'],
  ['하', '한국'],
  ['क', 'राम।श्याम'],
  ['cm', '10×20cm'],
]

describe('a search by words of any script', () => {
  it('finds words that are equal except for case, width and accents, whatever is before them', async () => {
    const team = await setUp()
    await add(team, [...new Set(FOUND.map(([, text]) => text))])
    const missed: string[] = []
    for (const [search, text] of FOUND)
      if (!(await found(team, search)).includes(text)) missed.push(`${search}: ${text}`)
    expect(missed).toEqual([])
  })

  it('keeps vowel signs, voiced sounds and syllables apart', async () => {
    const team = await setUp()
    await add(team, [...new Set(NOT_FOUND.map(([, text]) => text))])
    const wrong: string[] = []
    for (const [search, text] of NOT_FOUND)
      if ((await found(team, search)).includes(text)) wrong.push(`${search}: ${text}`)
    expect(wrong).toEqual([])
  })

  it('checks a process that a filter names by the same words', async () => {
    const team = await setUp()
    await add(team, ['₹5000 राम।श्याम'])
    for (const search of ['5000', 'श्या', 'श्याम 50'])
      expect(await found(team, search, { where: { lead_id: 'L0' } }), search).toHaveLength(1)
    for (const search of ['000', 'याम', '5000 x'])
      expect(await found(team, search, { where: { lead_id: 'L0' } }), search).toHaveLength(0)
  })
})

describe('words of another team', () => {
  const getNumber = (team: Team) =>
    env.DB.prepare('SELECT no FROM procedure WHERE team = ?').bind(team.no).first<number>('no')

  /** All characters of the first plane that separate words, or end a word. */
  const SEPARATORS = Array.from({ length: 0x10000 }, (_, code) => code)
    .filter(code => code > 0 && (code < 0xd800 || code > 0xdfff))
    .map(code => String.fromCharCode(code))
    .filter(character => !/[\p{L}\p{N}]/u.test(character))

  it('are never among the results, whatever is written before them', async () => {
    const [team, other] = [await setUp(), await setUp()]
    await add(team, ['Asha'])
    const own = await getNumber(team)
    const forged = ['x', '\u00a7', '', ' x'].flatMap(marker =>
      SEPARATORS.map(each => `${each}${own}${marker}asha${each}${own}${each}asha`),
    )
    const notes = Array.from({ length: Math.ceil(forged.length / 200) }, (_, nth) =>
      forged.slice(nth * 200, (nth + 1) * 200).join(' '),
    )
    await add(other, notes)
    const matching = (word: string) =>
      env.DB.prepare('SELECT count(*) AS n FROM process_search WHERE process_search MATCH ?').bind(word).first('n')
    const first = await env.DB.prepare('SELECT rid FROM process WHERE proc = ?').bind(own).first<number>('rid')
    expect(first).not.toBeNull()
    // Whichever of these the index writes before a word.
    const counts = await Promise.all(['x', '\u00a7', ''].map(each => matching(`"${own}${each}asha"*`)))
    expect(Math.max(...counts.map(Number))).toBe(1)
    expect(await found(team, 'asha', { sort: [{ field: 'relevance' }] })).toEqual(['Asha'])
  })
})
