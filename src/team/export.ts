import type { Db } from '../db/client.ts'
import type { Team } from '../scope.ts'
import { FIRST_POSITION, toCursor, type WalkerPosition } from './position.ts'
import { selectRows } from './rows.ts'
import { WALKED_TABLES } from './tables.ts'

/** One response takes so many steps, and the next one goes on. An invocation may run 1,000 statements. */
const STEPS_MAX = 400

interface Page {
  lines: string[]
  next: WalkerPosition | undefined
}

async function readPage(db: Db, team: Team, { table: nth, after }: WalkerPosition): Promise<Page> {
  const table = WALKED_TABLES[nth]
  if (!table) return { lines: [], next: undefined }
  const following = nth + 1 < WALKED_TABLES.length ? { table: nth + 1, after: null } : undefined
  if (table.isLeftBehind) return { lines: [], next: following }
  const [rows] = await db.read(selectRows(table, team.no, after))
  const last = rows.at(-1)
  return {
    lines: rows.map(({ line }) => line),
    next: last ? { table: nth, after: last.position } : following,
  }
}

/**
 * Lines of NDJSON: all rows of a team, of every table, and at the end `{"next": …}`, with which the next request goes on,
 * or `{"end": …}` with the number of rows in this response. A row that is changed meanwhile is exported as it was met.
 */
export async function* exportTeam(
  db: () => Db,
  team: Team,
  from: WalkerPosition = FIRST_POSITION,
): AsyncGenerator<string> {
  let rows = 0
  let at: WalkerPosition | undefined = from
  for (let step = 0; at && step < STEPS_MAX; step++) {
    const page = await readPage(db(), team, at)
    rows += page.lines.length
    if (page.lines.length > 0) yield `${page.lines.join('\n')}\n`
    at = page.next
  }
  yield `${JSON.stringify(at ? { next: toCursor(at), rows } : { end: true, rows })}\n`
}
