import { countFitting } from '../../../bytes.ts'
import { loadRecordIdentities, type RecordSummary } from '../../../customer-record/identity-statements.ts'
import { RESPONSE_BYTES_MAX } from '../../../http/response/page-bytes.ts'
import { withProcedure } from '../../../procedure/definition-cache.ts'
import type { Procedure } from '../../../procedure/model.ts'
import type { Scope } from '../../../scope.ts'
import { getRowBytes, isLongRow, type ProcessOwner } from '../../rows/members.ts'
import type { Process } from '../../schema.ts'
import { viewListed } from '../../view.ts'
import type { ListPart, PartRequest, PreparedList } from '../list.ts'
import { getPositionAfter, readPart } from '../list.ts'
import type { ProcessMatch } from '../newest-page.ts'
import type { ListPosition } from '../read/cursor.ts'
import { SCAN_LIMITS } from '../scan-limits.ts'
import { selectRows } from '../sql/lookup-page.ts'
import { type Identities, NO_IDENTITIES } from './chosen.ts'
import { needsIdentity } from './fields.ts'
import type { StreamBudget } from './stream-budget.ts'

/** Complete rows of a list, and the position after them. */
export interface LoadedPart {
  rows: string[]
  identities: Identities
  next: ListPosition | null
}

/** The rows of a part. Another order than newest first has as few as a page. */
const NEWEST_ROWS = 500
const SORTED_ROWS = 100
/** The length of long rows that are read together. A process and its customer have up to 900,000 bytes each. */
const LONG_ROWS_LENGTH_MAX = 2_000_000
/** The trips of a part. After each part the team's share of the database is checked. */
const TRIPS_PER_PART = 20

export interface PartSource {
  scope: Scope
  /** The procedure, as the address names it. */
  reference: string
  prepare: (procedure: Procedure) => Promise<PreparedList>
  budget: StreamBudget
  /** Runs a part with a permit. The first part has that of the call; each further one waits for one as a call does. */
  withPermit: <T>(act: () => Promise<T>) => Promise<T>
}

type WithPermit = PartSource['withPermit']

/** Yields the parts of a list, each read when it is asked for. The last one has the position of what is left, or null. */
export async function* listParts(source: PartSource): AsyncGenerator<LoadedPart, void, undefined> {
  let list: PreparedList | undefined
  let position: ListPosition | null = null
  const read = async (scope: Scope, procedure: Procedure) => {
    if (list?.procedure !== procedure) list = await source.prepare(procedure)
    const isNewestFirst = list.order.length === 0
    const part = await readPart(scope, list, {
      from: position ?? list.from,
      limit: isNewestFirst ? NEWEST_ROWS : SORTED_ROWS,
      limits: { ...SCAN_LIMITS, listTrips: TRIPS_PER_PART },
    })
    return { list, part }
  }
  let permit: WithPermit = act => act()
  do {
    const scope = withNewTimeLimit(source.scope)
    const { list, part } = await permit(() =>
      withProcedure(scope, source.reference, procedure => read(scope, procedure)),
    )
    for await (const whole of yieldWholeParts(source, list, part, permit)) {
      position = whole.next
      yield whole
    }
    permit = source.withPermit
  } while (position !== null && (await source.budget.mayGoOn()))
}

const withNewTimeLimit = (scope: Scope): Scope => ({ ...scope, db: scope.db.reconnect() })

const isLong = ({ row }: ProcessMatch): boolean => isLongRow(row)

/** Reads a page with as many rows as it has room for. Long rows are read once it is known which of them are returned. */
export async function readPage(
  scope: Scope,
  list: PreparedList,
  wanted: Omit<PartRequest, 'from'>,
): Promise<LoadedPart> {
  const part = await readPart(scope, list, { from: list.from, ...wanted })
  const bytes = part.found.map(({ row }) => getRowBytes(row))
  const group = part.found.slice(0, countFitting(bytes, RESPONSE_BYTES_MAX))
  const whole = await readLongRows(scope, list.procedure, group)
  const rows = whole.map(({ row }) => row)
  const next = getPositionAfter(list, part, group.length, whole)
  return { rows, next, identities: await loadIdentities(scope, list, rows) }
}

/** Yields a part with its long rows, a few at a time, in their place among the others. */
async function* yieldWholeParts(
  source: PartSource,
  list: PreparedList,
  part: ListPart,
  firstPermit: WithPermit,
): AsyncGenerator<LoadedPart> {
  const { found } = part
  let permit = firstPermit
  for (let from = 0; ; ) {
    const to = getGroupEnd(found, from)
    const { whole, identities } = await readGroup(source, list, found.slice(from, to), permit)
    const rows = whole.map(({ row }) => row)
    source.budget.count(rows)
    yield { rows, identities, next: getPositionAfter(list, part, to, whole) }
    if (to === found.length || !(await source.budget.mayGoOn())) return
    permit = source.withPermit
    from = to
  }
}

/** Returns the end of the rows that are read or written together: short ones, or long ones of a bounded length. */
function getGroupEnd(found: readonly ProcessMatch[], from: number): number {
  let length = 0
  for (let at = from; at < found.length; at++) {
    const each = found[at]
    const first = found[from]
    if (each === undefined || first === undefined || isLong(each) !== isLong(first)) return at
    if (!isLong(each)) continue
    length += getRowBytes(each.row)
    if (length > LONG_ROWS_LENGTH_MAX && at > from) return at
  }
  return found.length
}

async function readGroup(
  { scope, reference }: PartSource,
  list: PreparedList,
  group: ProcessMatch[],
  permit: WithPermit,
): Promise<{ whole: ProcessMatch[]; identities: Identities }> {
  const readLong = (procedure: Procedure) => readLongRows(withNewTimeLimit(scope), procedure, group)
  const whole = group.some(isLong) ? await permit(() => withProcedure(scope, reference, readLong)) : group
  if (!needsIdentity(list.fields)) return { whole, identities: NO_IDENTITIES }
  const rows = whole.map(({ row }) => row)
  return { whole, identities: await permit(() => loadIdentities(withNewTimeLimit(scope), list, rows)) }
}

/** Loads the phone numbers and e-mail addresses of the customers in some rows, if the list returns them. */
async function loadIdentities(
  scope: Scope,
  { procedure, fields }: PreparedList,
  rows: readonly string[],
): Promise<Identities> {
  return needsIdentity(fields)
    ? loadRecordIdentities(scope, listCustomers(rows, { team: scope.team, procedure }))
    : NO_IDENTITIES
}

/** Replaces long rows by their texts. Leaves out processes that were deleted in between. */
async function readLongRows(scope: Scope, procedure: Procedure, group: ProcessMatch[]): Promise<ProcessMatch[]> {
  const long = group.filter(isLong).map(({ rid }) => rid)
  if (long.length === 0) return group
  const [stored] = await scope.db.read(selectRows(procedure, long, 'whole process'))
  const rows = new Map(stored.map(({ rid, row }) => [rid, row]))
  return group.flatMap(each => {
    const row = isLong(each) ? rows.get(each.rid) : each.row
    return row === undefined ? [] : [{ ...each, row }]
  })
}

function listCustomers(rows: readonly string[], owner: ProcessOwner): RecordSummary[] {
  const view = viewListed(owner)
  return rows.flatMap(row => (JSON.parse(view(row)) as Pick<Process, 'record'>).record ?? [])
}
