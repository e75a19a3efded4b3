import type { Db } from '../db/client.ts'
import { StorageError } from '../db/storage-error.ts'
import { openObject } from '../event/object/open.ts'
import { type EventObject, selectObjectAfter, toObjectKey } from '../event/object/statements.ts'
import { eventObject } from '../event/object/table.ts'
import { event } from '../event/table.ts'
import type { Team } from '../scope.ts'
import { FIRST_POSITION, toCursor, type WalkerPosition } from './position.ts'
import { type ExportedRow, selectRows } from './table-rows.ts'
import { WALKED_TABLES, type WalkedTable } from './tables.ts'

/** One response takes so many steps, and the next one goes on. An invocation may run 1,000 statements. */
const STEPS_MAX = 400

interface ExportPage {
  lines: string[]
  next: WalkerPosition | undefined
}

interface ExportContext {
  bucket: Pick<R2Bucket, 'get' | 'list'>
  db: () => Db
  team: Team
}

async function readPage(
  { bucket, db, team }: ExportContext,
  { table: nth, after }: WalkerPosition,
): Promise<ExportPage> {
  const table = WALKED_TABLES[nth]
  if (!table) return { lines: [], next: undefined }
  // The log goes on behind what the objects have: the number of the last event is the key in both.
  const start = table.table === eventObject ? after : null
  const following = nth + 1 < WALKED_TABLES.length ? { table: nth + 1, after: start } : undefined
  if (table.isNotExported) return { lines: [], next: following }
  if (table.table === event) {
    const last = after === null ? 0 : (JSON.parse(after) as [number])[0]
    const [rows, [object]] = await db().read(selectRows(table, team.no, after), selectObjectAfter(team.no, last))
    // It was moved since the objects were exported, or since the rows before it were.
    if (!object) return toPage(nth, rows, following)
    const page = await exportObject({ bucket, db, team }, table, { nth, object, last })
    if (page) return page
    const [[now]] = await db().read(selectObjectAfter(team.no, last))
    if (now?.no === object.no) throw new StorageError(`there is no object ${toObjectKey(object)}`, true)
    // It has expired since, or an erasure has replaced it: the next step begins at the same place again.
    return { lines: [], next: { table: nth, after } }
  }
  const [rows] = await db().read(selectRows(table, team.no, after))
  return toPage(nth, rows, following)
}

const toPage = (nth: number, rows: readonly ExportedRow[], following: WalkerPosition | undefined): ExportPage => {
  const last = rows.at(-1)
  return {
    lines: rows.map(({ line }) => line),
    next: last ? { table: nth, after: last.position } : following,
  }
}

/** Rows of the log that are in an object by now, as rows: whatever moves meanwhile, each is exported once. Undefined: it is not there. */
async function exportObject(
  { bucket, team }: ExportContext,
  { name, columns }: WalkedTable,
  { nth, object, last }: { nth: number; object: EventObject; last: number },
): Promise<ExportPage | undefined> {
  const rows = await openObject(bucket, object)
  if (!rows) return undefined
  const lines = rows.sequences.flatMap(sequence => {
    const row = sequence > last ? rows.parse(sequence)?.row : undefined
    if (!row || row.at < object.keptFrom) return []
    const { type, ...values } = row
    const json: Record<string, unknown> = { ...values, team: team.no, type: JSON.stringify(type) }
    return `{"table":"${name}","row":{${columns.map(column => `"${column.name}":${json[column.column.name] ?? 'null'}`).join(',')}}}`
  })
  return { lines, next: { table: nth, after: `[${object.last}]` } }
}

/**
 * Lines of NDJSON: all rows of a team, of every table, and at the end `{"next": …}`, with which the next request goes on,
 * or `{"end": …}` with the number of rows in this response. A row that is changed meanwhile is exported as it was met.
 */
export async function* exportTeam(
  context: ExportContext,
  from: WalkerPosition = FIRST_POSITION,
): AsyncGenerator<string> {
  let rows = 0
  let at: WalkerPosition | undefined = from
  for (let step = 0; at && step < STEPS_MAX; step++) {
    const page = await readPage(context, at)
    rows += page.lines.length
    if (page.lines.length > 0) yield `${page.lines.join('\n')}\n`
    at = page.next
  }
  yield `${JSON.stringify(at ? { next: toCursor(at), rows } : { end: true, rows })}\n`
}
