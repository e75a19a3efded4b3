import { type SQL, sql } from 'drizzle-orm'
import { countFitting } from '../../../bytes.ts'
import { isDamaged } from '../../../damaged-object.ts'
import { isSameJson } from '../../../db/document/canonical-json.ts'
import { type Statement, select, statement } from '../../../db/statement.ts'
import { selectWithinBytes } from '../../../db/within-bytes.ts'
import type { Author } from '../../../event/author.ts'
import { listDataChanges } from '../../../event/changes.ts'
import type { EventMember } from '../../../event/object/members.ts'
import type { MovedLog, MovedRows } from '../../../event/object/open.ts'
import { event } from '../../../event/table.ts'
import type { Scope } from '../../../scope.ts'
import type { ProcessEventType } from '../../events.ts'
import {
  listChangedFields,
  type ProcessAfter,
  type ProcessBefore,
  readProcessBefore,
  type StoredProcessBefore,
} from '../../rows/append-events.ts'
import { type ChangeWithAuthor, selectAuthorName } from '../last-change.ts'

/** A change of a process, as the log keeps it. */
export interface LoggedChange extends ChangeWithAuthor {
  /** The row of the log that has it. */
  row: number
  after: ProcessAfter
  before: ProcessBefore | undefined
}

/**
 * The search for the newest change of a process that stands. The log is read backwards like a stack: what an undo has
 * taken back, and whatever came between, counts no more, so the search goes on before that. Where it is an undo whose
 * changes are to be taken back, they stand. What came between is read as well, since the change that is sought may have
 * been taken back there. Rows of the log say what came first: clocks of isolates may differ.
 */
export interface ChangeSearch {
  rid: number
  /** The id of the job whose changes are to be taken back. */
  job: string
  /** How many of its changes are to be taken back: so many are read ahead, where they follow each other. */
  depth: number
  /** What was read of the log so far, by the rows. */
  read: Map<number, LoggedChange | 'not kept'>
  /** The row of the log to look at next; null: there is none. */
  next: number | null
  /** The undo whose change, which it has taken back, is in the row to be read. */
  undo?: LoggedChange | undefined
  /** The newest undo of the search so far that stands, and the row of what it has taken back: all from there on counts no more. */
  newestUndo?: LoggedChange
  undoneFrom: number
  /** The changes that it has found to be taken back. */
  passed: LoggedChange[]
  /** How many it has read between an undo and what that has taken back. */
  between: number
  /** How many it has passed because they changed nothing. */
  idle: number
  /** How many are read behind the newest one that stands, where that is not to be taken back. */
  behind: number
  /** Undefined while it is not found. */
  newest?: LoggedChange | 'none' | 'not kept'
}

/** Begins at the last event of the process. */
export const beginSearch = (rid: number, job: string, depth: number, lastEvent: number | null): ChangeSearch =>
  moveSearchTo(
    {
      rid,
      job,
      depth,
      read: new Map(),
      next: null,
      undoneFrom: Number.POSITIVE_INFINITY,
      passed: [],
      between: 0,
      idle: 0,
      behind: 0,
    },
    lastEvent,
  )

/** The newest change was taken back just now: the search goes on before it. */
export const passNewest = (search: ChangeSearch, newest: LoggedChange): ChangeSearch => {
  search.passed.push(newest)
  return moveSearchTo(search, rowBefore(newest))
}

function moveSearchTo(search: ChangeSearch, row: number | null): ChangeSearch {
  search.next = row
  search.undo = undefined
  if (row === null) search.newest = 'none'
  else {
    delete search.newest
    advance(search)
  }
  return search
}

/** Each may be a read of its own, and a step has an end. */
const IDLE_MAX = 20

/** An update with the values that the process had: it stands in nobody's way. One that names nothing may have been erased. */
function isIdle({ type, after, before }: LoggedChange): boolean {
  if (type !== 'process.updated' || after.undid !== undefined || before === undefined) return false
  const { fields, values } = before
  const changed = listChangedFields(after)
  return (
    (changed.length > 0 || values.length > 0) &&
    listDataChanges(after, values).length === 0 &&
    changed.every(name => isSameJson(after[name], fields[name]))
  )
}

/** Goes on as far as was read. */
function advance(search: ChangeSearch): void {
  const { next, undo, undoneFrom, job } = search
  if (search.newest !== undefined || next === null) return
  const known = search.read.get(next)
  if (known === undefined) return
  if (known === 'not kept') {
    if (next > undoneFrom) moveSearchTo(search, undoneFrom)
    else search.newest = known
  } else if (undo) passUndone(search, known, undo)
  else if (next >= undoneFrom) advanceBetween(search, known)
  else if (search.idle < IDLE_MAX && known.by.job !== job && isIdle(known)) {
    search.idle += 1
    moveSearchTo(search, rowBefore(known))
  } else if (known.after.undid === undefined || known.by.job === job) search.newest = known
  else {
    search.newestUndo = known
    readUndone(search, known, known.after.undid)
  }
}

function readUndone(search: ChangeSearch, undo: LoggedChange, undid: number): void {
  Object.assign(search, { next: undid, undo })
  advance(search)
}

/** The last change of the job that was taken back is its first one: the others were before. */
function passUndone(search: ChangeSearch, known: LoggedChange, undo: LoggedChange): void {
  search.passed.push(known)
  search.undoneFrom = Math.min(search.undoneFrom, known.row)
  if (known.by.job === search.job) moveSearchTo(search, search.undoneFrom)
  else moveBetween(search, undo)
}

/** An undo that is to be taken back, and was not, has been followed by that of an earlier change. */
function advanceBetween(search: ChangeSearch, known: LoggedChange): void {
  const { undid } = known.after
  if (undid === undefined || search.passed.includes(known)) moveBetween(search, known)
  else if (known.by.job === search.job) search.newest = search.newestUndo ?? known
  else readUndone(search, known, undid)
}

const BETWEEN_MAX = 8

function moveBetween(search: ChangeSearch, from: LoggedChange): void {
  const before = rowBefore(from)
  search.between += 1
  const isEnough = before !== null && search.between > BETWEEN_MAX
  moveSearchTo(search, isEnough ? Math.min(before, search.undoneFrom) : before)
}

/** The next row to be read: where the search stands, or behind what it has found. */
function findUnread({ newest, next, depth, behind, read }: ChangeSearch): number | null {
  if (newest === undefined) return next
  let known: ChangeSearch['newest'] = newest
  for (let nth = 1; nth < depth + behind && typeof known === 'object'; nth++) {
    const row = rowBefore(known)
    if (row === null) return null
    known = read.get(row)
    if (known === undefined) return row
  }
  return null
}

export const hasUnread = (search: ChangeSearch): boolean => findUnread(search) !== null

/** The changes from the newest one that stands back to one that is sought, which is the last; undefined: it was not read. */
export function listSince(
  { newest, read }: ChangeSearch,
  isSought: (change: LoggedChange) => boolean,
): LoggedChange[] | undefined {
  const since: LoggedChange[] = []
  for (let known: ChangeSearch['newest'] = newest; typeof known === 'object'; ) {
    since.push(known)
    if (isSought(known)) return since
    const row = rowBefore(known)
    known = row === null ? undefined : read.get(row)
  }
  return undefined
}

/** The row with the event before; null: there is none. */
const rowBefore = ({ after, before }: LoggedChange): number | null => before?.lastEvent ?? after.last ?? null

/** What is read at once: a row of the log has the changes of a whole step, as large as their values. */
const READ_BYTES_MAX = 4_000_000

/** And so many objects with what was moved of the log. */
const OBJECTS_READ_MAX = 4

/** A search, and the row that it needs next. */
interface OpenSearch {
  search: ChangeSearch
  next: number
}

/** Takes each search one event further: one round trip. Where the rows are too large together, or in too many objects, the last ones wait. */
export async function readOn(
  { db, team, moved }: Pick<Scope, 'db' | 'team'> & { moved: MovedLog },
  searches: readonly ChangeSearch[],
): Promise<void> {
  const open = searches.flatMap((search): OpenSearch[] => {
    const next = findUnread(search)
    return next === null ? [] : [{ search, next }]
  })
  if (open.length === 0) return
  const rows = JSON.stringify([...new Set(open.map(({ next }) => next))])
  const rids = JSON.stringify(open.map(({ search }) => String(search.rid)))
  const [found, members] = await db.read(selectRows(team.no, rows), selectMembers(team.no, rows, rids))
  const byRow = new Map(found.map((row, nth) => [row.row, { ...row, nth }]))
  const read = countFitting(
    found.map(({ bytes }) => bytes),
    READ_BYTES_MAX,
  )
  const values = new Map(members.map(({ row, rid, part, value }) => [`${row} ${rid} ${part}`, value]))
  for (const { search, next } of open) {
    const { rid } = search
    const row = byRow.get(next)
    const after = values.get(`${next} ${rid} after`)
    if (!row || row.nth >= read) continue
    const before = values.get(`${next} ${rid} before`)
    const { type, at, by, byName } = row
    search.read.set(
      next,
      after === undefined
        ? 'not kept'
        : {
            row: row.row,
            type,
            at,
            by: JSON.parse(by) as Author,
            byName,
            after: JSON.parse(after) as ProcessAfter,
            before: before === undefined ? undefined : readProcessBefore(JSON.parse(before) as StoredProcessBefore),
          },
    )
    advance(search)
  }
  await readMoved(
    moved,
    open.filter(({ next }) => !byRow.has(next)),
  )
}

/** In some objects, the first ones that are needed; what is in others waits. */
async function readMoved(moved: MovedLog, open: readonly OpenSearch[]): Promise<void> {
  const openedBefore = moved.opened
  let rest = open
  for (let [first] = rest; first && moved.opened - openedBefore < OBJECTS_READ_MAX; [first] = rest) {
    const object = await moved.find(first.next)
    // Where no object has the latest, none has those before it: it is not asked for each of them.
    if (!object && rest === open) await moved.find(Math.max(...open.map(({ next }) => next)))
    const isIn = ({ next }: OpenSearch): boolean =>
      object ? next >= object.first && next <= object.last : next <= (first?.next ?? 0)
    // Those in one row follow each other.
    for (const { search, next } of rest.filter(isIn).toSorted((one, other) => one.next - other.next)) {
      search.read.set(next, object ? readChange(object, next, search.rid) : 'not kept')
      advance(search)
    }
    rest = rest.filter(each => !isIn(each))
  }
}

/** What is damaged does not come back: it is as if it had expired. */
function readChange(object: MovedRows, row: number, rid: number): LoggedChange | 'not kept' {
  try {
    const member = object.readMember(row, String(rid))
    return member ? toLoggedChange(member) : 'not kept'
  } catch (error) {
    if (!isDamaged(error)) throw error
    return 'not kept'
  }
}

const toLoggedChange = ({ row, after, before }: EventMember): LoggedChange => ({
  row: row.sequence,
  type: row.type as ProcessEventType,
  at: row.at,
  by: JSON.parse(row.by) as Author,
  after: after as ProcessAfter,
  before: before && readProcessBefore(before as StoredProcessBefore),
})

const BYTES = sql<number>`length(${event.after}) + ifnull(length(${event.before}), 0)`

const fromRows = (team: number, rows: string): SQL =>
  sql`FROM json_each(${rows}) wanted CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = wanted.value`

const selectRows = (team: number, rows: string) =>
  select(
    {
      row: event.sequence,
      type: sql<ProcessEventType>`${event.type}`,
      at: event.at,
      by: sql<string>`json(${event.by})`,
      byName: selectAuthorName(team),
      bytes: BYTES,
    },
    sql`${fromRows(team, rows)} ORDER BY wanted.key`,
  )

interface Member {
  row: number
  rid: string
  part: 'after' | 'before'
  value: string
}

/** What the rows that fit have of some processes: each is gone through once, whatever it has of others. */
function selectMembers(team: number, rows: string, rids: string): Statement<Member> {
  const fitting = selectWithinBytes(
    { key: sql`place, sequence`, order: sql`place`, bytesMax: READ_BYTES_MAX },
    sql`SELECT wanted.key AS place, ${event.sequence} AS sequence, ${BYTES} AS bytes ${fromRows(team, rows)}`,
  )
  const selectPart = (part: SQL, values: SQL): SQL => sql`SELECT ${event.sequence} AS "row", member.key AS rid,
      ${part} AS part, member.value AS value
    FROM (${fitting}) fitting CROSS JOIN ${event} ON ${event.team} = ${team} AND ${event.sequence} = fitting.sequence
    CROSS JOIN json_each(${values}) member WHERE member.key IN (SELECT value FROM json_each(${rids}))`
  return statement(
    sql`${selectPart(sql`'after'`, sql`${event.after}`)} UNION ALL ${selectPart(sql`'before'`, sql`${event.before}`)}`,
  )
}
