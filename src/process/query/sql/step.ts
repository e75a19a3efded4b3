import type { PlainText, Result } from '../../../db/text-statement.ts'
import { textStatement } from '../../../db/text-statement.ts'
import { type Limits, SQL_LENGTH_MAX } from '../limits.ts'
import type { Plan, Stream } from '../plan/plan.ts'
import type { Extra, Window } from './arms.ts'
import { armsOf, asHit } from './arms.ts'
import type { Parameters } from './parameters.ts'
import { parameters } from './parameters.ts'
import { lookupsIn } from './residual.ts'

/** A result in another order than newest first: expressions to order by, and the condition to lie after a cursor. */
export interface Sorting {
  names: string[]
  extras(params: Parameters): Extra[]
  order: string
  after(params: Parameters): string
}

export interface Step {
  /** The newest row number still in question is below this one. */
  before: number | null
  /** How many of the matches found here are passed over, and how many are wanted after those. */
  skip: number
  limit: number
  /** What is selected of each match. */
  row: string
  /** The stream that an earlier step settled on. */
  stream: number | null
  sorting: Sorting | null
  limits: Limits
}

export interface StepResult {
  rows: Record<string, unknown>[]
  /** How many matches the step found, those passed over included. */
  found: number
  stream: number | null
  /** Everything from this row number on has been examined; null when that is all there is. */
  boundary: number | null
}

export function stepStatement(plan: Plan, step: Step): PlainText {
  const before = plan.before === null || (step.before !== null && step.before < plan.before) ? step.before : plan.before
  const window: Window = { from: plan.from, before }
  if (plan.lookup !== null) return lookedUp(plan, window, step)
  const chosen = step.stream === null ? undefined : plan.streams[step.stream]
  const streams = chosen === undefined ? plan.streams : [chosen]
  const [only] = streams
  const gather = step.stream === null ? plan.gather : null
  if (
    only !== undefined &&
    streams.length === 1 &&
    gather === null &&
    only.rest.length === 0 &&
    step.sorting === null
  ) {
    return straight(plan, only, window, step)
  }
  if (
    gather !== null &&
    gather.rest.length === 0 &&
    step.sorting === null &&
    only?.keys.length === 0 &&
    Array.isArray(gather.bounds)
  ) {
    // Of each value's entries no more are read than the page has room for.
    if (gather.bounds.length * (step.skip + step.limit) <= 2 * step.limits.candidates) {
      return lookedUp({ ...plan, lookup: { column: gather.column, values: gather.bounds, rest: [] } }, window, step)
    }
  }
  const tried = examined(plan, streams, gather !== null, window, step)
  return tried.sql.length <= SQL_LENGTH_MAX ? tried : examined(plan, streams.slice(0, 1), false, window, step)
}

const pageOf = (inner: string, { row, limit, skip }: Step, params: Parameters): string =>
  `SELECT page.k AS k, ${row} AS row FROM (SELECT k FROM (${inner}) ORDER BY k DESC LIMIT ${params.value(limit)} OFFSET ${params.value(skip)}) AS page
  CROSS JOIN process ON process.rid = page.k`

/** Every candidate is a match: as many index entries are read as there are rows in the answer. */
function straight(plan: Plan, stream: Stream, window: Window, step: Step): PlainText {
  const params = parameters()
  const arms = armsOf(plan, params)
  const paging = `${params.value(step.limit)} OFFSET ${params.value(step.skip)}`
  const sql =
    stream.keys.length > 1
      ? `SELECT page.k AS k, ${step.row} AS row FROM (${arms.keysOnly(stream, window, paging)}) AS page CROSS JOIN process ON process.rid = page.k`
      : arms.whole(stream, window, paging, step.row)
  return textStatement(sql, params.json())
}

function lookedUp(plan: Plan, window: Window, step: Step): PlainText {
  const params = parameters()
  const arms = armsOf(plan, params)
  const lookup = plan.lookup ?? { column: null, values: [], rest: [] }
  const found = lookup.column === null ? 'process NOT INDEXED' : `process INDEXED BY ${lookup.column.index}`
  const where = [
    lookup.column === null
      ? `process.rid IN ${params.list(lookup.values)}`
      : `${lookup.column.name} IN ${params.list(lookup.values)}`,
    arms.proc,
    ...arms.within(window),
  ].join(' AND ')
  const { sorting } = step
  if (sorting === null) {
    const sql = `SELECT process.rid AS k, ${step.row} AS row FROM ${found} WHERE ${where} AND ${arms.rest(lookup.rest)}
  ORDER BY process.rid DESC LIMIT ${params.value(step.limit)} OFFSET ${params.value(step.skip)}`
    return textStatement(sql, params.json())
  }
  const extras = sorting
    .extras(params)
    .map(({ name, sql }) => `${sql} AS ${name}`)
    .join(', ')
  const matches = `SELECT process.rid AS k, ${extras} FROM ${found} WHERE ${where} AND ${arms.rest(lookup.rest)}`
  const sql = `SELECT page.*, ${step.row} AS row FROM (SELECT * FROM (${matches}) WHERE ${sorting.after(params)} ORDER BY ${sorting.order}
  LIMIT ${params.value(step.limit)}) AS page CROSS JOIN process ON process.rid = page.k`
  return textStatement(sql, params.json())
}

/** Candidates are examined one by one, up to a bound. Which index they come from is settled inside the statement. */
function examined(plan: Plan, streams: Stream[], gathers: boolean, window: Window, step: Step): PlainText {
  const params = parameters()
  const arms = armsOf(plan, params)
  const { sorting } = step
  const extras = sorting?.extras(params) ?? []
  const carried = ['k', ...extras.map(({ name }) => name)].join(', ')
  const order = sorting?.order ?? 'k DESC'
  const behind = sorting?.after(params) ?? '1'
  const want = params.value(step.skip + step.limit)
  const candidates = stepSize(plan, streams, step.limits)
  const size = params.value(candidates)
  const tables: string[] = []

  let pick =
    streams.length > 1
      ? sparsest(streams.map(each => arms.keysOnly(each, window, oneAt(step.limits.probe, params))))
      : '0'
  const sources: string[] = []
  if (gathers && plan.gather !== null) {
    const { gather } = plan
    const entries = arms.gathered(gather)
    const hit = asHit([...arms.within(window), arms.rest(gather.rest)])
    const selected = extras.map(({ name, sql }) => `, ${sql} AS ${name}`).join('')
    const backwards = `${gather.column.name} DESC, process.rid DESC`
    // The index entry that ends the part tells, by being there, that the part was read whole.
    tables.push(
      `ending AS MATERIALIZED (SELECT (SELECT process.rid ${entries} ORDER BY ${backwards} LIMIT 1) AS k)`,
      `gathered AS MATERIALIZED (SELECT * FROM (
    SELECT * FROM (SELECT process.rid AS k, ${hit} AS hit, process.rid = (SELECT k FROM ending) AS done${selected} ${entries} LIMIT ${params.value(gatherSize(plan, step))})
    WHERE (hit AND ${behind}) OR done ORDER BY done DESC, ${order} LIMIT -1) LIMIT ${want} + 1)`,
    )
    pick = `CASE WHEN (SELECT k IS NULL FROM ending) OR EXISTS (SELECT 1 FROM gathered WHERE done) THEN -1 ELSE ${pick} END`
    sources.push(`SELECT ${carried}, hit FROM gathered WHERE (SELECT stream FROM pick) = -1`)
  }
  for (const [index, each] of streams.entries()) {
    const guarded = pick === '0' ? size : `iif((SELECT stream FROM pick) = ${index}, ${size}, 0)`
    sources.push(`SELECT ${carried}, hit FROM (${arms.candidates(each, window, guarded, extras)})`)
  }
  tables.push(`pick AS MATERIALIZED (SELECT ${pick} AS stream)`)
  const matching = `SELECT ${carried} FROM (${sources.join(' UNION ALL ')}) WHERE hit`
  // Sorting without a LIMIT of its own reads each match once; D1 counts a sorter with LIMIT twice.
  const best =
    sorting === null ? matching : `SELECT * FROM (${matching} AND ${behind} ORDER BY ${sorting.order} LIMIT -1)`
  tables.push(`hits AS MATERIALIZED (${best} LIMIT ${want})`)

  const boundaries = streams.map(
    (each, index) => `WHEN ${index} THEN (${arms.keysOnly(each, window, oneAt(candidates, params))})`,
  )
  const boundary = `CASE (SELECT stream FROM pick) ${boundaries.join(' ')} END`
  const nothing = extras.map(() => ', NULL').join('')
  const named = extras.map(({ name }) => `, hits.${name}`).join('')
  const found =
    sorting === null
      ? `SELECT page.*, NULL AS found, NULL AS stream, NULL AS boundary FROM (${pageOf('SELECT k FROM hits', step, params)}) AS page`
      : `SELECT hits.k AS k, ${step.row} AS row${named}, NULL AS found, NULL AS stream, NULL AS boundary FROM hits CROSS JOIN process ON process.rid = hits.k`
  const sql = `WITH ${tables.join(',\n')}
${found}
UNION ALL SELECT NULL, NULL${nothing}, count(*), (SELECT stream FROM pick), ${sorting === null ? `CASE WHEN count(*) < ${want} THEN ${boundary} END` : boundary} FROM hits`
  return textStatement(sql, params.json())
}

const oneAt = (entry: number, params: Parameters): string => `1 OFFSET ${params.value(entry - 1)}`

/** The stream whose entry of a certain number lies furthest back, or that has no such entry. */
function sparsest(probes: string[]): string {
  const names = probes.map((_, index) => `p${index}`)
  const cases = names.map(
    (name, index) => `WHEN ${names.map(other => `${name} <= ${other}`).join(' AND ')} THEN ${index}`,
  )
  const probed = probes.map((probe, index) => `coalesce((${probe}), 0) AS p${index}`)
  return `(SELECT CASE ${cases.join(' ')} END FROM (SELECT ${probed.join(', ')} LIMIT 1))`
}

function stepSize({ procedure }: Plan, streams: Stream[], limits: Limits): number {
  const lookups = Math.max(
    1,
    ...streams.map(({ rest }) => rest.reduce((sum, part) => sum + lookupsIn(part, procedure), 0)),
  )
  return Math.max(limits.candidatesMin, Math.floor(limits.candidates / lookups))
}

function gatherSize({ streams }: Plan, { skip, limit, limits }: Step): number {
  if (streams.some(({ keys }) => keys.length > 0)) return limits.gatheredBeside
  return Math.min(limits.gatheredMax, Math.ceil(limits.gatheredPerRootOfRows * Math.sqrt(skip + limit)))
}

export function readStep({ rows }: Result): StepResult {
  const summary = rows.find(row => row.found !== undefined && row.found !== null)
  const matches = rows.filter(row => row.k !== null).sort((one, other) => Number(other.k) - Number(one.k))
  if (summary === undefined) return { rows: matches, found: matches.length, stream: null, boundary: null }
  const { found, stream, boundary } = summary
  return {
    rows: matches,
    found: Number(found),
    stream: typeof stream === 'number' && stream >= 0 ? stream : null,
    boundary: boundary === null ? null : Number(boundary),
  }
}
