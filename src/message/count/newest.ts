import { sql } from 'drizzle-orm'
import { readRowCursor, writeRowCursor } from '../../http/request/row-cursor.ts'
import type { Scope } from '../../scope.ts'
import { type MessageRow, readMessagesPage, selectListed } from '../ledger/statements.ts'
import { message } from '../table.ts'
import { type MessageFilterByName, requireTemplate, resolveNames } from './filter-names.ts'
import { fromWindow, lowestRidAt, type ScanWindow, selectWindowEnd } from './scan.ts'

/** The first step is small, because mostly it is enough. */
const FIRST_STEP_ROWS = 200
const STEP_ROWS_MAX = 10_000
const GROWTH = 10
const TIME_MS = 2_000

interface NewestMessages extends MessageFilterByName {
  from?: number | undefined
  to?: number | undefined
  cursor?: string | undefined
  limit: number
}

/** Messages of the whole team, newest first. What there is no time for goes on by the cursor. */
export async function listNewestMessages(
  scope: Scope,
  query: NewestMessages,
): Promise<{ rows: MessageRow[]; next: string | null }> {
  const endsAt = Date.now() + TIME_MS
  const from = lowestRidAt(query.from ?? 0)
  const highest = query.to === undefined ? Number.MAX_SAFE_INTEGER : lowestRidAt(query.to)
  const filter = await resolveNames(scope, query)
  const rows: MessageRow[] = []
  let before: number | null = Math.min(highest, readRowCursor(query.cursor))
  let step = FIRST_STEP_ROWS
  let bytes = 0
  do {
    const window: ScanWindow = { before, from, rows: step }
    const wanted = query.limit - rows.length
    const [found, [end]] = await scope.db.read(
      selectListed(sql`${fromWindow(scope, filter, window)} ORDER BY ${message.rid} DESC LIMIT ${wanted + 1}`),
      selectWindowEnd(window),
    )
    const page = await readMessagesPage(scope, found, wanted, bytes)
    rows.push(...page.rows)
    bytes = page.bytes
    if (page.hasMore) return { rows, next: writeRowCursor(page.last?.rid ?? before) }
    before = end?.rid ?? null
    step = Math.min(STEP_ROWS_MAX, step * GROWTH)
  } while (before !== null && rows.length < query.limit && Date.now() < endsAt)
  if (rows.length === 0 && before === null && query.cursor === undefined) await requireTemplate(scope, filter)
  return { rows, next: before === null ? null : writeRowCursor(before) }
}
