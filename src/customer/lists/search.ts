import { sql } from 'drizzle-orm'
import { countFitting } from '../../bytes.ts'
import { namesOfRecord } from '../../customer-record/identity-statements.ts'
import { listNameWords, splitNameSearch } from '../../customer-record/name-words.ts'
import { type RecordRow, selectRecords } from '../../customer-record/rows.ts'
import { record, recordWord } from '../../customer-record/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { type Statement, select } from '../../db/statement.ts'
import { invalid } from '../../errors.ts'
import { SHORT_BYTES_MAX, takeFittingRows } from '../../http/response/page-bytes.ts'
import type { Scope } from '../../scope.ts'
import { readWhole } from './whole.ts'

const WORDS_MAX = 10
/** The candidates of a word, and how often a page that has found fewer than it has room for reads on. */
const CANDIDATES_MAX = 500
const ROUNDS_MAX = 4
/** Longer records are read alone, this many bytes together, because their names have to be looked for in the whole record. */
const SHORT_RECORD_BYTES_MAX = 4_096
const RECORDS_BYTES_MAX = 2_500_000
/** Sorts after every word that begins with another one. */
const LAST = '\u{10FFFF}'

/** The row of `record_word` after which a page begins. */
interface SearchPosition {
  /** The index of the word of the search that is looked up; the others are compared. */
  nth: number
  word: string
  record: number
}

interface SearchPage {
  rows: RecordRow[]
  next: string | null
}

/** Finds the customers with a name in which each word of the search begins a word, in the order of these words. */
export async function searchCustomers(
  scope: Scope,
  search: string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): Promise<SearchPage> {
  const words = splitNameSearch(search)
  if (words.length === 0 || words.length > WORDS_MAX)
    throw invalid([{ message: `must have 1 to ${WORDS_MAX} words of letters or digits`, path: '/query/search' }])
  let position = cursor === undefined ? await begin(scope, words) : readPosition(cursor, words)
  const found: SearchPosition[] = []
  let hasMore = true
  for (let round = 0; round < ROUNDS_MAX && hasMore && found.length < limit; round++) {
    const { candidates, isLast } = await readCandidates(scope, words, position)
    hasMore = !isLast
    for (const { word, record: rid, names } of candidates) {
      if (found.length === limit) {
        hasMore = true
        break
      }
      position = { ...position, word, record: rid }
      if (names !== null && isFound(words, position, listNameWords(JSON.parse(names) as Record<string, unknown>)))
        found.push(position)
    }
  }
  const [rows] = await scope.db.read(
    selectRecords(
      scope,
      found.map(each => each.record),
      SHORT_BYTES_MAX,
    ),
  )
  const byRid = new Map(rows.map(row => [row.rid, row]))
  const inOrder = found.flatMap(each => byRid.get(each.record) ?? [])
  const { page, hasMore: isCut } = takeFittingRows(inOrder, limit)
  const last = isCut ? found.find(each => each.record === page.at(-1)?.rid) : undefined
  return { rows: await readWhole(scope, page), next: hasMore || isCut ? writePosition(last ?? position) : null }
}

/** Chooses the word with which the fewest words of customers begin, as far as they are counted. */
async function begin(scope: Scope, words: readonly string[]): Promise<SearchPosition> {
  const startAt = (nth: number): SearchPosition => ({ nth, word: words[nth] ?? '', record: 0 })
  if (words.length === 1) return startAt(0)
  const counts = await scope.db.read(
    ...words.map(word =>
      select(
        { count: sql<number>`count(*)` },
        sql`FROM (SELECT 1 FROM ${recordWord} WHERE ${within(scope, word)} LIMIT ${CANDIDATES_MAX})`,
      ),
    ),
  )
  const sizes = counts.map(([row]) => row?.count ?? 0)
  return startAt(sizes.indexOf(Math.min(...sizes)))
}

const within = ({ team }: Scope, word: string) =>
  sql`${recordWord.team} = ${team.no} AND ${recordWord.word} >= ${word} AND ${recordWord.word} < ${word + LAST}`

interface SearchCandidate {
  word: string
  record: number
  bytes: number
  /** Null for a record that is read alone, or that no longer exists. */
  names: string | null
}

/** Reads as many candidates as their records have room for, and at least one. */
async function readCandidates(
  scope: Scope,
  words: readonly string[],
  after: SearchPosition,
): Promise<{ candidates: SearchCandidate[]; isLast: boolean }> {
  const { team, word, record: rid } = recordWord
  const bytes = sql<number>`length(${record.data})`
  const page: Statement<SearchCandidate> = select(
    {
      word,
      record: rid,
      bytes,
      names: sql<string | null>`iif(${bytes} <= ${SHORT_RECORD_BYTES_MAX}, ${namesOfRecord}, NULL)`,
    },
    sql`FROM ${recordWord} CROSS JOIN ${record} ON ${record.rid} = ${rid} AND +${record.team} = ${scope.team.no}
      WHERE ${team} = ${scope.team.no} AND (${word}, ${rid}) > (${after.word}, ${after.record})
        AND ${word} < ${(words[after.nth] ?? '') + LAST}
      ORDER BY ${word}, ${rid} LIMIT ${CANDIDATES_MAX}`,
  )
  const [rows] = await scope.db.read(page)
  const long = rows.map(each => (each.names === null ? each.bytes : 0))
  const candidates = rows.slice(0, countFitting(long, RECORDS_BYTES_MAX))
  const names = await readNames(
    scope,
    candidates.flatMap(each => (each.names === null ? [each.record] : [])),
  )
  return {
    candidates: candidates.map(each => ({ ...each, names: each.names ?? names.get(each.record) ?? null })),
    isLast: candidates.length === rows.length && rows.length < CANDIDATES_MAX,
  }
}

async function readNames({ db, team }: Scope, rids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  if (rids.length === 0) return new Map()
  const [rows] = await db.read(
    select(
      { rid: record.rid, names: namesOfRecord },
      sql`FROM ${record} WHERE ${record.rid} IN ${ridList(rids)} AND +${record.team} = ${team.no}`,
    ),
  )
  return new Map(rows.map(({ rid, names }) => [rid, names]))
}

/** Tells whether a customer is found here. A name may have several words that begin alike: the customer is found once, by the first. */
function isFound(words: readonly string[], { nth, word }: SearchPosition, names: readonly string[]): boolean {
  const [first] = names.filter(each => each.startsWith(words[nth] ?? '')).sort()
  return first === word && words.every(searched => names.some(each => each.startsWith(searched)))
}

const writePosition = ({ nth, word, record: rid }: SearchPosition): string => `${nth}.${rid.toString(36)}.${word}`

function readPosition(cursor: string, words: readonly string[]): SearchPosition {
  const [, nth, rid = '', word = ''] = /^(\d)\.([0-9a-z]{1,11})\.(.{0,120})$/su.exec(cursor) ?? []
  const position = { nth: Number(nth), word, record: Number.parseInt(rid, 36) }
  const begins = words[position.nth]
  if (begins !== undefined && Number.isSafeInteger(position.record) && word.startsWith(begins)) return position
  throw invalid([{ message: 'the cursor is invalid, or of another search', path: '/query/cursor' }])
}
