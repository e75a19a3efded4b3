import type { Db } from '../../db/client.ts'
import { isGuardFailure } from '../../db/guard.ts'
import { jsonPath } from '../../db/json.ts'
import { textGuard, textStatement } from '../../db/text-statement.ts'
import { ATTRIBUTE_TYPES, type StoredDefinition, type ValueKind } from '../model.ts'
import { INDEXED_TEXT_LENGTH_MAX } from '../schema.ts'

/** How many processes one statement enters: short enough that others on the same database don't notice. */
const STEP_PROCESSES = 2_000
/** How many steps a request does itself; the cron does the rest. */
const STEPS_PER_CALL = 10
const BUILD_MOVED_ON = 'the index build moved on'

const FITS: Record<ValueKind, string> = {
  text: `'text'`,
  number: `'integer', 'real'`,
  boolean: `'true', 'false'`,
  moment: `'text', 'integer', 'real'`,
  list: `''`,
  document: `''`,
}

interface Build extends StoredDefinition {
  version: number
  below: number
}

/**
 * Enters existing processes into the columns of newly indexed attributes, and empties columns nothing needs any more,
 * newest first, in steps. Queries use a column only once all are entered. True when nothing is left to do.
 */
export async function buildIndexes(db: Db, no: number, steps = STEPS_PER_CALL): Promise<boolean> {
  for (let step = 0; step < steps; step++) if (await buildStep(db, no)) return true
  return false
}

/** Procedures with a build that is not finished, of all teams: for the cron. */
export async function findUnfinishedBuilds(db: Db): Promise<number[]> {
  const [found] = await db.batch([
    textStatement('SELECT no FROM procedure WHERE indexing_below IS NOT NULL ORDER BY indexing_below LIMIT 10'),
  ])
  return (found?.rows ?? []).map(row => row.no as number)
}

async function buildStep(db: Db, no: number): Promise<boolean> {
  const build = await loadBuild(db, no)
  if (build === undefined) return true
  const pending = Object.entries(build.slots).filter(([, slot]) => !slot.ready)
  const columns = [
    ...pending.map(([shortId, { column }], index) => ({
      column,
      value: `process.data ->> (?3 ->> ${index})`,
      shortId,
    })),
    ...build.clearing.map(column => ({ column, value: 'NULL', shortId: '' })),
  ]
  const kinds = new Map(build.attributes.map(each => [each.shortId, ATTRIBUTE_TYPES[each.type]]))
  const misfits = pending.map(([shortId], index) =>
    misfit(kinds.get(shortId) ?? 'document', `?3 ->> ${index}`, `misfit${index}`),
  )
  const boundary = `coalesce((SELECT rid FROM process INDEXED BY process_list WHERE proc = ?1 AND rid < ?2 ORDER BY rid DESC
    LIMIT 1 OFFSET ${STEP_PROCESSES - 1}), 0)`
  const here = 'process INDEXED BY process_list WHERE proc = ?1 AND rid < ?2 AND rid >= ?4'
  const paths = JSON.stringify(pending.map(([shortId]) => jsonPath(shortId)))
  const [edge] = await db.batch([textStatement(`SELECT ${boundary} AS rid`, no, build.below)])
  const lowest = Number(edge?.rows[0]?.rid ?? 0)
  const range = [no, build.below, paths, lowest] as const
  try {
    const [, unfit] = await db.batch([
      textGuard(
        BUILD_MOVED_ON,
        '(SELECT indexing_below FROM procedure WHERE no = ?1 AND version = ?3) = ?2',
        no,
        build.below,
        build.version,
      ),
      textStatement(
        `SELECT ${misfits.map(each => `total(${each.sql}) AS ${each.name}`).join(', ') || '0 AS none'}, ?3 AS paths FROM ${here}`,
        ...range,
      ),
      textStatement(
        `UPDATE process SET ${columns.map(({ column, value }) => `s${column} = ${value}`).join(', ')}
          WHERE rid IN (SELECT rid FROM ${here}) AND +proc = ?1 AND ?3 IS NOT NULL`,
        ...range,
      ),
      textStatement('UPDATE procedure SET indexing_below = ?2 WHERE no = ?1', no, lowest),
    ])
    const broken = pending.flatMap(([shortId], index) =>
      Number(unfit?.rows[0]?.[`misfit${index}`] ?? 0) > 0 ? [shortId] : [],
    )
    if (broken.length > 0) await abandon(db, no, build, broken)
    else if (lowest === 0) await finish(db, no, build)
    return lowest === 0 && broken.length === 0
  } catch (error) {
    if (isGuardFailure(error, BUILD_MOVED_ON)) return false
    throw error
  }
}

/** Values of another kind than the declared one were stored before it was declared: an index would answer wrongly. */
const misfit = (kind: ValueKind, path: string, name: string) => ({
  name,
  sql: `json_type(data, ${path}) NOT IN (${FITS[kind]}) OR length(data ->> (${path})) > ${INDEXED_TEXT_LENGTH_MAX}`,
})

async function loadBuild(db: Db, no: number): Promise<Build | undefined> {
  const [found] = await db.batch([
    textStatement(
      'SELECT version, indexing_below AS below, json(definition) AS definition FROM procedure WHERE no = ?1',
      no,
    ),
  ])
  const row = found?.rows[0] as { version: number; below: number | null; definition: string } | undefined
  if (!row || row.below === null) return undefined
  return { ...(JSON.parse(row.definition) as StoredDefinition), version: row.version, below: row.below }
}

const FINISHED = `UPDATE procedure SET definition = jsonb(?3), version = version + 1, indexing_below = ?4 WHERE no = ?1 AND version = ?2`

async function finish(db: Db, no: number, { version, below: _, ...definition }: Build): Promise<void> {
  const slots = Object.entries(definition.slots).map(([shortId, slot]) => [shortId, { ...slot, ready: true }])
  const done = { ...definition, slots: Object.fromEntries(slots), clearing: [] }
  await db.batch([textStatement(FINISHED, no, version, JSON.stringify(done), null)])
}

/** The attribute stays declared, its column is given back, and filters on it walk, as for one that is not indexed. */
async function abandon(
  db: Db,
  no: number,
  { version, below: _, ...definition }: Build,
  broken: string[],
): Promise<void> {
  const slots = Object.entries(definition.slots).filter(([shortId]) => !broken.includes(shortId))
  const released = broken.flatMap(shortId => definition.slots[shortId]?.column ?? [])
  const left = { ...definition, slots: Object.fromEntries(slots), clearing: [...definition.clearing, ...released] }
  await db.batch([textStatement(FINISHED, no, version, JSON.stringify(left), Number.MAX_SAFE_INTEGER)])
}
