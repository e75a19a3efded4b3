import { expect, it } from 'vitest'
import { newTeam, type Team } from '../support/api.ts'
import { bulk, LEADS } from '../support/jobs.ts'
import { attribute, newProcedure, type Processes } from '../support/procedures.ts'
import { createRandom, type Random } from '../support/random.ts'
import { SEED } from '../support/seed.ts'
import { listBlocks } from '../support/unicode.ts'

// Random changes of every kind, then random searches: what they find is what a plain reading of the words finds.

const ROUNDS = 12
const CHANGES = 12
const SEARCHES = 16

interface Words {
  name: string | null
  tags: string[] | null
}
interface Kept extends Words {
  id: string
  isDeleted: boolean
}

const WORDS = [
  ...[
    'Asha',
    'asha',
    'ashok',
    'ASHRAM',
    'as',
    'a',
    'Müller',
    'muller',
    'MÜLLHEIM',
    'São',
    'sao',
    'saone',
    'José',
    'jose',
  ],
  ...[
    '105',
    '1055',
    '10',
    '5',
    '日本',
    '日本語',
    'été',
    'ete',
    'x1',
    '1x',
    'and',
    'OR',
    'not',
    'NEAR',
    'Ñandú',
    'nandu',
  ],
]
const BETWEEN = [' ', '  ', ', ', '-', '@', '.', '\n', "'", '"', '*', '(', ' & ', '_', '/', '\u00a0', ':', '^', '+']

const LETTERS = listBlocks(/^[\p{L}\p{N}]$/u)
const MARKS = listBlocks(/^\p{M}$/u)
const SEPARATORS = listBlocks(/^[^\p{L}\p{N}\p{M}]$/u)
const pickOne = (random: Random, blocks: string[][]) => random.pick(random.pick(blocks))

function makeWord(random: Random): string {
  if (random.chance(0.6)) return random.pick(WORDS)
  const characters = Array.from({ length: random.whole(1, 4) }, () => pickOne(random, LETTERS))
  return characters.map(each => (random.chance(0.2) ? each + pickOne(random, MARKS) : each)).join('')
}
const separator = (random: Random) => (random.chance(0.5) ? random.pick(BETWEEN) : pickOne(random, SEPARATORS))

const getText = (random: Random, most: number) => {
  let text = random.chance(0.2) ? separator(random) : ''
  for (let nth = random.whole(0, most); nth > 0; nth--) text += makeWord(random) + separator(random)
  return random.chance(0.5) ? text.trim() : text
}
const getName = (random: Random) => getText(random, 5)
const makeTags = (random: Random) =>
  Array.from({ length: random.whole(1, 3) }, () => `${makeWord(random)} ${getText(random, 1)}`)

/** Scripts whose marks are accents and points; those that belong to no script are shared by these. */
const ACCENTED =
  /\p{Script=Inherited}|\p{Script=Latin}|\p{Script=Greek}|\p{Script=Cyrillic}|\p{Script=Hebrew}|\p{Script=Arabic}|\p{Script=Syriac}/u
const isAccent = (character: string) =>
  /\p{M}/u.test(character) && ACCENTED.test(character) && !'\u3099\u309a'.includes(character)

/** Character by character, as independently of the index as it goes. */
function getWords(text: string): string[] {
  const runs = [...text].map(each => (/[\p{L}\p{N}\p{M}]/u.test(each) ? each : ' ')).join('')
  const small = [...runs.normalize('NFKD').toLowerCase()].filter(each => !isAccent(each)).join('')
  const folded = small.replaceAll('ς', 'σ').replaceAll('ı', 'i').normalize('NFC')
  const words = folded.split(/[^\p{L}\p{N}\p{M}]+/u)
  return words.map(each => each.replace(/^\p{M}+/u, '')).filter(each => each !== '')
}

const finds = (search: string, { name, tags }: Words) => {
  const words = [name ?? '', ...(tags ?? [])].flatMap(getWords)
  return getWords(search).every(each => words.some(word => word.startsWith(each)))
}

/** Generates the change of an attribute: often none, and now and then a removal. */
function change(random: Random): Partial<Words> {
  return {
    ...(random.chance(0.6) ? { name: random.chance(0.15) ? null : getName(random) } : {}),
    ...(random.chance(0.4) ? { tags: random.chance(0.15) ? null : makeTags(random) } : {}),
  }
}
const created = (random: Random): Partial<Words> => ({
  ...(random.chance(0.85) ? { name: getName(random) } : {}),
  ...(random.chance(0.5) ? { tags: makeTags(random) } : {}),
})
const empty: Words = { name: null, tags: null }

let counter = 0

/** Makes one random change, of a call or a job, and remembers what it comes to. */
async function changeSome(random: Random, team: Team, processes: Processes, known: Map<string, Kept>): Promise<void> {
  const pick = (isDeleted: boolean) => {
    const fitting = [...known].filter(([, kept]) => kept.isDeleted === isDeleted)
    return fitting.length === 0 ? undefined : random.pick(fitting)
  }
  /** Changes each process once: an entry for a process that another one has deleted is another case. */
  const beside = (one: string) =>
    [...known].filter(([key, { isDeleted }]) => key !== one && !isDeleted && random.chance(0.3))
  const kind = random.whole(0, 9)
  const [present, deleted] = [pick(false), pick(true)]
  if (kind <= 1 || present === undefined) {
    const [key, data] = [`L${counter++}`, created(random)]
    const { data: made } = await processes.create({ data: { lead_id: key, plain: makeWord(random), ...data } })
    known.set(key, { ...empty, ...data, id: made.id, isDeleted: false })
  } else if (kind === 2) {
    const data = change(random)
    expect((await processes.update(present[1].id, { data: { ...data, plain: makeWord(random) } })).status).toBe(200)
    Object.assign(present[1], data)
  } else if (kind === 3) {
    const data = change(random)
    expect((await processes.upsert({ data: { lead_id: present[0], ...data } })).status).toBe(200)
    Object.assign(present[1], data)
  } else if (kind === 4) {
    const refused = await processes.update(present[1].id, { data: change(random) }, { 'if-match': '"99-0"' })
    expect(refused.status).toBe(412)
  } else if (kind === 5) {
    expect((await processes.remove(`lead_id/${present[0]}`)).status).toBe(200)
    present[1].isDeleted = true
  } else if (kind === 6 && deleted !== undefined) {
    expect((await processes.restore(deleted[1].id)).status).toBeLessThan(300)
    deleted[1].isDeleted = false
  } else if (kind === 7) {
    const items = Array.from({ length: random.whole(1, 8) }, () => ({
      lead_id: `L${counter++}`,
      data: created(random),
    }))
    await bulk(team, 'POST', items)
    for (const { lead_id, data } of items) {
      const { data: made } = await processes.fetch(`lead_id/${lead_id}`)
      known.set(lead_id, { ...empty, ...data, id: made.id, isDeleted: false })
    }
  } else {
    const items = [present, ...beside(present[0])].map(([lead_id, kept]) => ({
      lead_id,
      kept,
      isDeleted: random.chance(0.2),
      data: change(random),
    }))
    const sent = items.map(({ lead_id, isDeleted, data }) => ({
      lead_id,
      update: isDeleted ? { isDeleted } : { data },
    }))
    await bulk(team, 'PATCH', { processes: sent })
    for (const { kept, isDeleted, data } of items) Object.assign(kept, isDeleted ? { isDeleted } : data)
  }
}

/** Lists all keys, page by page. */
async function listKeys(team: Team, body: object): Promise<string[]> {
  const keys: string[] = []
  let cursor: string | null = null
  do {
    const reply = await team.call('POST', `${LEADS}/list`, {
      limit: 7,
      ...body,
      ...(cursor === null ? {} : { cursor }),
    })
    expect(reply.status, `${JSON.stringify(body)} ${reply.errors.join()}`).toBe(200)
    for (const { data } of reply.data) keys.push(data.lead_id)
    cursor = reply.meta.next as string | null
  } while (cursor !== null)
  return keys
}

it('a search finds the processes that have all its words now, newest first, after any changes', async () => {
  const random = createRandom(SEED)
  const team = await newTeam()
  const attributes = [
    attribute('lead_id', 'string'),
    attribute('name', 'string', { searchable: true }),
    attribute('tags', 'multiString', { searchable: true }),
    attribute('plain', 'string', { indexed: true }),
  ]
  const processes = await newProcedure(team, { attributes })
  const known = new Map<string, Kept>()
  let matches = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (let nth = 0; nth < CHANGES; nth++) await changeSome(random, team, processes, known)
    const newest = await listKeys(team, { limit: 100 })
    expect([...newest].sort()).toEqual(
      [...known]
        .filter(([, { isDeleted }]) => !isDeleted)
        .map(([key]) => key)
        .sort(),
    )
    for (let nth = 0; nth < SEARCHES; nth++) {
      const words = Array.from({ length: random.whole(1, 3) }, () => {
        const characters = [...makeWord(random)]
        return characters.slice(0, random.whole(1, characters.length)).join('')
      })
      const search = words.join(separator(random))
      const count = new Set(getWords(search)).size
      if (count === 0 || count > 10) continue
      const expected = newest.filter(key => finds(search, known.get(key) ?? empty))
      matches += expected.length
      const about = `seed ${SEED}, round ${round}: ${JSON.stringify(search)}`
      expect(await listKeys(team, { search }), about).toEqual(expected)
      const best = await listKeys(team, { search, sort: [{ field: 'relevance' }] })
      expect(best.sort(), `${about} by relevance`).toEqual([...expected].sort())
    }
  }
  expect(matches).toBeGreaterThan(ROUNDS * SEARCHES)
})
