import { type SQL, sql } from 'drizzle-orm'
import { type Statement, statement } from '../../../db/statement.ts'
import { guardLimit } from '../../../procedure/definition-guard.ts'
import { buildWordMatch, WORDS_OF_PROCESS } from '../../../procedure/search/index-words.ts'
import { BYTES } from '../../document-bytes.ts'
import { process } from '../../table.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { countCandidates, countDocumentBytes, type ScanLimits } from '../scan-limits.ts'
import { buildCandidatePage } from './candidate-page.ts'
import { limitEntries } from './large-documents.ts'
import type { ScanPage, ScanRow } from './scan-page.ts'
import type { RowRange } from './scans.ts'
import { and, estimateScanCost, RID, whereProcedure } from './scans.ts'
import { SELECTED_ROWS } from './selected-row.ts'
import { buildWhereAll, type RowCost } from './where.ts'

/** The newest matches that a search by relevance ranks, and through which it can page. */
const RANKED_MAX = 1_000
/** The words of a ranked match that are read: the beginning of its words, and nothing if there are very many. */
const RANKED_CHARACTERS_MAX = 2_000
const RANKED_BYTES_MAX = 20_000

const comma = sql`, `

/**
 * Selects the newest processes within a range that the index of words finds. FTS5 stops at their number. It seeks to a bound
 * only if that is an integer, and D1 binds numbers as floats: without the CAST each page would pass all rows before it.
 */
function selectNewestFound(plan: QueryPlan, words: readonly string[], { from, before }: RowRange, most: SQL): SQL {
  const bounds = [
    sql`process_search MATCH ${buildWordMatch(plan.procedure.no, words)}`,
    ...(from === null ? [] : [sql`rowid >= CAST(${from} AS INTEGER)`]),
    ...(before === null ? [] : [sql`rowid < CAST(${before} AS INTEGER)`]),
  ]
  return sql`SELECT rowid AS rid FROM process_search WHERE ${and(bounds)} ORDER BY rowid DESC LIMIT ${most}`
}

/** Selects as many candidates as their documents allow. */
function limitCandidates(
  plan: QueryPlan,
  words: readonly string[],
  rows: RowRange,
  { most, cost, limits }: { most: number; cost: RowCost; limits: ScanLimits },
): SQL {
  const found = selectNewestFound(plan, words, rows, sql`${most}`)
  const bytes = sql`SELECT ${BYTES} FROM (${found}) AS found CROSS JOIN ${process} ON ${process.rid} = found.rid`
  return limitEntries(plan.procedure, rows, { most, bytesMax: countDocumentBytes(cost, limits) }, bytes)
}

/** Matches if a search finds a process by its own words. For few processes that is cheaper than the index of all. */
export const whereFound = (words: readonly string[]): SQL =>
  sql`(SELECT ${and(words.map(word => sql`instr(t, ${` ${word}`}) > 0`))} FROM (SELECT ${WORDS_OF_PROCESS} AS t))`

/** The conditions of processes that the index of words has found. */
const whereRest = (plan: QueryPlan): SQL[] => [
  whereProcedure(plan.procedure),
  ...(plan.parts.length === 0 ? [] : [buildWhereAll(plan.parts, plan.procedure)]),
]

/** Builds a page of candidates in the order of the index of words, which is newest first, too. It stops at a bounded number. */
export function buildSearchPage(
  plan: QueryPlan,
  words: readonly string[],
  rows: RowRange,
  page: ScanPage,
): Statement<ScanRow> {
  const { sort, skip, limit, limits } = page
  const isOnlyWords = plan.parts.length === 0 && sort === null
  const cost = estimateScanCost(plan.parts, plan, sort)
  const most = isOnlyWords ? skip + limit : countCandidates(cost, limits)
  const candidates = limitCandidates(plan, words, rows, { most, cost, limits })
  const found = selectNewestFound(plan, words, rows, candidates)
  return buildCandidatePage(plan, { candidates: found, limit: candidates, conditions: whereRest(plan) }, page)
}

/** The damping of bm25 for texts of ten words: a word counts less with each repetition, and in a long text. */
const DAMPING = sql`1.2 * (0.25 + 0.75 * size / 10)`
const toTimesName = (nth: number) => sql.identifier(`times${nth}`)

/**
 * Builds a page of the best among the newest matches; equal ones are newest first. FTS5's own rank reads all matches, also
 * those of each single word, so the rank is computed here from the words of the processes.
 */
export function buildRelevantPage(
  plan: QueryPlan,
  words: readonly string[],
  { skip, limit, limits }: { skip: number; limit: number; limits: ScanLimits },
): Statement<{ rid: number; row: string }> {
  const cost = estimateScanCost(plan.parts, plan, null)
  const most = Math.min(RANKED_MAX, countCandidates(cost, limits))
  const found = selectNewestFound(plan, words, plan, limitCandidates(plan, words, plan, { most, cost, limits }))
  // A subquery with a LIMIT is not flattened, so its columns are computed once for each row.
  const texts = sql`SELECT ${RID}, iif(length(${process.words}) <= ${RANKED_BYTES_MAX}, substr(${WORDS_OF_PROCESS}, 1, ${RANKED_CHARACTERS_MAX}), '') AS words
FROM (${found}) AS found CROSS JOIN ${process} ON ${process.rid} = found.rid WHERE ${and(whereRest(plan))} LIMIT -1`
  const sized = sql`SELECT rid, words, length(words) - length(replace(words, ' ', '')) AS size FROM (${texts}) LIMIT -1`
  const times = words.map((word, nth) => {
    const characters = sql.raw(String([...word].length + 1))
    return sql`(length(words) - length(replace(words, ${` ${word}`}, ''))) / ${characters}.0 AS ${toTimesName(nth)}`
  })
  const counted = sql`SELECT rid, ${DAMPING} AS damping, ${sql.join(times, comma)} FROM (${sized}) LIMIT -1`
  const scores = words.map((_, nth) => sql`${toTimesName(nth)} / (${toTimesName(nth)} + damping)`)
  const best = sql`SELECT rid, ${sql.join(scores, sql` + `)} AS score FROM (${counted}) ORDER BY score DESC, rid DESC LIMIT ${limit} OFFSET ${skip}`
  return statement(sql`SELECT ${RID}, ${SELECTED_ROWS.process} FROM (${best}) AS best CROSS JOIN ${process} ON ${process.rid} = best.rid
ORDER BY best.score DESC, ${process.rid} DESC LIMIT ${guardLimit(plan.procedure, sql`-1`)}`)
}
