import { withProcedure } from '../../../procedure/definition-cache.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { identitiesOf, type ShownRecord } from '../../../record/identities.ts'
import type { Scope } from '../../../scope.ts'
import type { ProcessOwner } from '../../rows/members.ts'
import type { Process } from '../../schema.ts'
import { viewListed } from '../../view.ts'
import type { ListPart, PreparedList } from '../list.ts'
import { positionBehind, readPart } from '../list.ts'
import type { FoundProcess } from '../newest-page.ts'
import type { ListPosition } from '../read/cursor.ts'
import { SCAN_LIMITS } from '../scan-limits.ts'
import { rowsStatement } from '../sql/lookup-page.ts'
import { type Identities, NO_IDENTITIES } from './chosen.ts'
import { needsIdentity } from './fields.ts'
import type { StreamBudget } from './stream-budget.ts'

/** Some processes of a list, complete, and where it goes on behind them. */
export interface WholePart {
  rows: string[]
  identities: Identities
  next: ListPosition | null
}

/** Rows of a part: of a list that is newest first, whose long rows are read by themselves; of others as of a page. */
const NEWEST_ROWS = 500
const SORTED_ROWS = 100
/** What long rows are read together. A process, and its customer, have up to 900,000 bytes each. */
const LONG_ROWS_LENGTH_MAX = 2_000_000
/** The trips of a part: so often the team's share of the database is looked at. */
const TRIPS_PER_PART = 20

export interface PartSource {
  scope: Scope
  /** The procedure, as the address names it. */
  reference: string
  prepare: (procedure: Procedure) => Promise<PreparedList>
  budget: StreamBudget
  /** The first part belongs to the call; each further one waits for its turn as a call does. */
  takeTurn: <T>(act: () => Promise<T>) => Promise<T>
}

type TakeTurn = PartSource['takeTurn']

/** The parts of a list one after the other, each read when it is asked for. The last one has what is left, or null. */
export async function* listParts(source: PartSource): AsyncGenerator<WholePart, void, undefined> {
  let list: PreparedList | undefined
  let position: ListPosition | null = null
  const read = async (scope: Scope, procedure: Procedure) => {
    if (list?.procedure !== procedure) list = await source.prepare(procedure)
    const isNewestFirst = list.order.length === 0
    const part = await readPart(scope, list, {
      from: position ?? list.from,
      limit: isNewestFirst ? NEWEST_ROWS : SORTED_ROWS,
      limits: { ...SCAN_LIMITS, listTrips: TRIPS_PER_PART },
      selected: isNewestFirst ? 'short process' : 'process',
    })
    return { list, part }
  }
  let turn: TakeTurn = act => act()
  do {
    const scope = withNewTimeLimit(source.scope)
    const { list, part } = await turn(() => withProcedure(scope, source.reference, procedure => read(scope, procedure)))
    for await (const whole of wholeParts(source, list, part, turn)) {
      position = whole.next
      yield whole
    }
    turn = source.takeTurn
  } while (position !== null && (await source.budget.mayGoOn()))
}

const withNewTimeLimit = (scope: Scope): Scope => ({ ...scope, db: scope.db.reconnect() })

const isLong = ({ row }: FoundProcess): boolean => !row.startsWith('{')

/** Long rows come a few at a time, in their place among the others. */
async function* wholeParts(
  source: PartSource,
  list: PreparedList,
  { found, next }: ListPart,
  firstTurn: TakeTurn,
): AsyncGenerator<WholePart> {
  let turn = firstTurn
  for (let from = 0; ; ) {
    const to = endOfGroup(found, from)
    const group = found.slice(from, to)
    const last = group.at(-1)
    const isLast = last === undefined || to === found.length
    const onward = isLast ? next : positionBehind(list, last)
    const whole = await wholeRows(source, list, group, turn)
    source.budget.count(whole.rows)
    yield { ...whole, next: onward }
    if (isLast || !(await source.budget.mayGoOn())) return
    turn = source.takeTurn
    from = to
  }
}

/** Where the rows end that are read or written together from here on: short ones, or long ones of a bounded length. */
export function endOfGroup(found: readonly FoundProcess[], from: number): number {
  let length = 0
  for (let at = from; at < found.length; at++) {
    const each = found[at]
    const first = found[from]
    if (each === undefined || first === undefined || isLong(each) !== isLong(first)) return at
    if (!isLong(each)) continue
    length += Number(each.row)
    if (length > LONG_ROWS_LENGTH_MAX && at > from) return at
  }
  return found.length
}

async function wholeRows(
  { scope, reference }: PartSource,
  list: PreparedList,
  group: FoundProcess[],
  turn: TakeTurn,
): Promise<Omit<WholePart, 'next'>> {
  const short = group.map(({ row }) => row)
  const readLong = (procedure: Procedure) => readRows(withNewTimeLimit(scope), procedure, group)
  const rows = group.some(isLong) ? await turn(() => withProcedure(scope, reference, readLong)) : short
  if (!needsIdentity(list.fields)) return { rows, identities: NO_IDENTITIES }
  return { rows, identities: await turn(() => identitiesIn(withNewTimeLimit(scope), list, rows)) }
}

/** The phone numbers and e-mail addresses of the customers in some rows, if the list shows them. */
export async function identitiesIn(
  scope: Scope,
  { procedure, fields }: PreparedList,
  rows: readonly string[],
): Promise<Identities> {
  return needsIdentity(fields) ? identitiesOf(scope, customersIn(rows, { team: scope.team, procedure })) : NO_IDENTITIES
}

/** What was deleted in between is left out. */
async function readRows(scope: Scope, procedure: Procedure, group: FoundProcess[]): Promise<string[]> {
  const rids = group.map(({ rid }) => rid)
  const [stored] = await scope.db.read(rowsStatement(procedure, rids))
  const rows = new Map(stored.map(({ rid, row }) => [rid, row]))
  return rids.flatMap(rid => rows.get(rid) ?? [])
}

function customersIn(rows: readonly string[], owner: ProcessOwner): ShownRecord[] {
  const view = viewListed(owner)
  return rows.flatMap(row => (JSON.parse(view(row)) as Pick<Process, 'record'>).record ?? [])
}
