import { type AppError, invalid } from '../../../errors.ts'
import { type Warning, warnUndeclared } from '../../../http/response/warnings.ts'
import { guardDefinition } from '../../../procedure/definition-guard.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Scope } from '../../../scope.ts'
import { areListsIncomplete, planWithoutLists } from '../element/planned-limit.ts'
import { readWhere } from '../list.ts'
import type { QueryPlan } from '../plan/plan.ts'
import { planQuery } from '../plan/plan.ts'
import { simplify } from '../read/condition.ts'
import { computeFingerprint } from '../read/cursor.ts'
import type { ScanLimits } from '../scan-limits.ts'
import { countDocumentBytes, paceScan, SCAN_LIMITS, startBudget } from '../scan-limits.ts'
import { chooseSource } from './choose-source.ts'
import type { GroupResponse } from './figures.ts'
import {
  addGroup,
  addRest,
  countCharacters,
  createEmptyGroup,
  dropSmallest,
  GROUPS_CHARACTERS_MAX,
  GROUPS_MAX,
  sortGroups,
  viewGroup,
} from './figures.ts'
import { readExtremes } from './index-ends.ts'
import { getNextEntriesMax, startPace } from './pace.ts'
import type { GroupRequest, MetricRequest, ParsedAggregate } from './parsed-aggregate.ts'
import { parseAggregate } from './parsed-aggregate.ts'
import type { AggregateQuery, PartialFigures } from './partial-figures.ts'
import { OUT_OF_DATE, readPartialFigures, writePartialFigures } from './partial-figures.ts'
import { chooseSources, type Source } from './stages.ts'
import { estimateCost, isGroupedByPlace, readStep, selectStep } from './step.ts'

/** A filter, and its place in the request. All filters must match. */
interface FilterAt {
  where: unknown
  pointer: string
}

export interface AggregateRequest {
  filters: FilterAt[]
  groupBy: readonly GroupRequest[]
  metrics?: readonly MetricRequest[] | undefined
  limit: number
  cursor?: string | undefined
}

export interface Aggregate {
  groups: GroupResponse[]
  /** The number of groups, including those beyond the limit. */
  found: number
  /** The cursor, if the figures are of a part of the processes only. */
  next: string | null
  warnings: Warning[]
}

/** Counts the processes that match, and computes sums and extremes. Reports all faults of the request at once. */
export async function aggregateProcesses(
  scope: Scope,
  procedure: Procedure,
  request: AggregateRequest,
  cursorPointer = '/body/cursor',
  limits: ScanLimits = SCAN_LIMITS,
): Promise<Aggregate> {
  const read = await Promise.all(
    request.filters.map(({ where, pointer }) =>
      readWhere(scope, procedure, { where, pointer, cursor: request.cursor }),
    ),
  )
  const { faults: parseFaults, undeclared, ...parsed } = parseAggregate(procedure, request.groupBy, request.metrics)
  const faults = [...read.flatMap(each => each.faults), ...parseFaults]
  // With faults there is nothing that a cursor could be compared with.
  const query =
    faults.length > 0 ? null : toQuery(procedure, request, read.find(each => each.moment !== null)?.moment ?? null)
  const kept = readKept(request.cursor, query)
  if (faults.length > 0 || query === null) throw invalid(faults)

  const plan = planQuery(simplify({ kind: 'all', parts: read.map(({ condition }) => condition) }), procedure)
  const { figures, dropped, rest } = await readFigures(plan)
  if (parsed.groups.length === 0 && figures.size === 0) addGroup(figures, createEmptyGroup(parsed))
  return {
    groups: sortGroups(figures)
      .slice(0, request.limit)
      .map(group => viewGroup(group, parsed)),
    found: figures.size + dropped,
    next: rest && writePartialFigures(query, rest),
    warnings: [
      ...read.flatMap((each, nth) => warnUndeclared(each.undeclared, request.filters[nth]?.pointer ?? '/body')),
      ...warnUndeclared(undeclared, '/body'),
    ],
  }

  function readKept(cursor: string | undefined, query: AggregateQuery | null): PartialFigures | null {
    if (cursor === undefined) return null
    const found = readPartialFigures(cursor, query, parsed, cursorPointer)
    if ('figures' in found) return found
    faults.push(found)
    return null
  }

  async function readFigures(plan: QueryPlan | null): Promise<FiguresResult> {
    if (plan === null) {
      await scope.db.read(guardDefinition(procedure))
      return { figures: new Map(), dropped: 0, rest: null }
    }
    const ends = kept === null ? await readExtremes(scope, plan, parsed) : null
    if (ends !== null) return { figures: ends, dropped: 0, rest: null }
    const outdated = (): AppError => invalid([{ message: OUT_OF_DATE, path: cursorPointer }])
    const withoutLists = planWithoutLists(plan)
    try {
      const found = (await readSource(plan)) ?? (await readSource(withoutLists))
      if (found === null) throw outdated()
      return found
    } catch (error) {
      if (!areListsIncomplete(error)) throw error
      // Earlier requests have added to the kept figures already, so there is no way back for these.
      const found = kept === null ? await readSource(withoutLists) : null
      if (found === null) throw outdated()
      return found
    }
  }

  async function readSource(plan: QueryPlan): Promise<FiguresResult | null> {
    const source = await chooseSource(scope, plan, chooseSources(plan, parsed), kept?.source, limits)
    return source === undefined ? null : readStages(scope, plan, parsed, { source, kept, limits })
  }
}

const toQuery = (
  procedure: Procedure,
  { filters, groupBy, metrics }: AggregateRequest,
  moment: number | null,
): AggregateQuery => ({
  fingerprint: computeFingerprint(
    [procedure.no, filters.map(({ where }) => where ?? {}), groupBy, metrics ?? []],
    moment,
  ),
  version: procedure.version,
})

type FiguresResult = Pick<PartialFigures, 'figures' | 'dropped'> & { rest: PartialFigures | null }

interface FiguresReader {
  source: Source
  kept: PartialFigures | null
  limits: ScanLimits
}

/** Reads stage after stage, in bounded statements, for as long as a request may take. */
async function readStages(
  scope: Scope,
  plan: QueryPlan,
  parsed: ParsedAggregate,
  { source, kept, limits }: FiguresReader,
): Promise<FiguresResult> {
  const mayGoOn = startBudget(limits)
  const spent = scope.db.cost
  const beginning = {
    source: source.name,
    stage: 0,
    after: null,
    entries: 0,
    stageEntries: 0,
    dropped: 0,
    figures: new Map(),
  }
  const at: PartialFigures = kept ?? beginning
  const { figures } = at
  const cost = estimateCost(plan, parsed)
  let entriesMax = startPace(source, cost, limits)
  for (let stage = source.stages[at.stage]; stage !== undefined; ) {
    const step = {
      stage,
      after: at.after,
      entriesMax,
      bytesMax: countDocumentBytes(cost, paceScan(limits)),
    }
    const { ownMs } = spent
    const [rows] = await scope.db.read(selectStep(plan, parsed, step, scope.now))
    const result = readStep(rows, step, parsed)
    for (const group of result.groups) addGroup(figures, group)
    if (isGroupedByPlace(plan, stage, parsed)) at.dropped += dropSmallest(figures, result.groups.at(-1))
    else if (figures.size > GROUPS_MAX && stage.kind !== 'rest')
      throw invalid([{ message: TOO_MANY_GROUPS, path: '/body/groupBy' }])
    if (countCharacters(figures) > GROUPS_CHARACTERS_MAX)
      throw invalid([{ message: TOO_LONG_GROUPS, path: '/body/groupBy' }])
    at.stageEntries += result.entries
    at.after = result.place
    entriesMax = getNextEntriesMax({ entriesMax, ms: spent.ownMs - ownMs }, source, cost, limits)
    if (result.place === null) {
      if (stage.kind === 'rest') addRest(figures, parsed, at.stageEntries - at.entries)
      at.entries += at.stageEntries
      at.stageEntries = 0
      at.stage += 1
      stage = source.stages[at.stage]
    }
    if (stage !== undefined && !mayGoOn()) return { figures, dropped: at.dropped, rest: at }
  }
  return { figures, dropped: at.dropped, rest: null }
}

const TOO_LONG_GROUPS = `The texts of all groups have more than ${GROUPS_CHARACTERS_MAX} characters together: group by fewer fields, ask for fewer metrics, or narrow \`where\``
const TOO_MANY_GROUPS = `More than ${GROUPS_MAX} groups: group by fewer fields, or narrow \`where\``
