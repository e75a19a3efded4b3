import { type SQL, sql } from 'drizzle-orm'
import { statement } from '../../../db/statement.ts'
import type { Scope } from '../../../scope.ts'
import { guardPlan } from '../element/planned-limit.ts'
import { getPlainRange, type QueryPlan } from '../plan/plan.ts'
import type { ScanLimits } from '../scan-limits.ts'
import { fromRange, selectNewestRowNumbers, selectScanEntries } from '../sql/scans.ts'
import type { Source, Stage } from './stages.ts'

/** Chooses the source that has the oldest entry at a certain position, or that has fewer entries than that. */
export async function chooseSource(
  scope: Scope,
  plan: QueryPlan,
  sources: readonly Source[],
  chosenBefore: string | undefined,
  limits: ScanLimits,
): Promise<Source | undefined> {
  if (chosenBefore !== undefined) return sources.find(({ name }) => name === chosenBefore)
  const [first, ...others] = sources
  if (first === undefined || others.length === 0) return first
  const probes = sources.map(
    ({ stages }, nth) => sql`${selectProbe(plan, stages, limits)} AS ${sql.identifier(`p${nth}`)}`,
  )
  const [[found]] = await scope.db.read(
    statement<Record<string, number>>(sql`SELECT ${sql.join(probes, sql`, `)} LIMIT ${guardPlan(plan, sql`1`)}`),
  )
  const positions = sources.map((_, nth) => found?.[`p${nth}`] ?? 0)
  return sources[positions.indexOf(Math.min(...positions))]
}

/** Selects the row number of the entry: 0 if there are fewer, and above all others if they are not in that order. */
function selectProbe(plan: QueryPlan, [stage, ...others]: readonly Stage[], { candidates }: ScanLimits): SQL {
  const nth = sql`1 OFFSET ${candidates - 1}`
  const rows = { from: plan.from, before: plan.before }
  if (stage?.kind === 'newest' && others.length === 0)
    return sql`coalesce((${selectNewestRowNumbers(selectScanEntries(stage.scan, plan, rows), nth)}), 0)`
  const range = getPlainRange(plan)
  if (range === null) return ABOVE_ALL
  return sql`CASE WHEN EXISTS (SELECT 1 ${fromRange(range, plan.procedure)} LIMIT ${nth}) THEN ${ABOVE_ALL} ELSE 0 END`
}

/** A number above every row number. */
const ABOVE_ALL = sql.raw(String(Number.MAX_SAFE_INTEGER))
