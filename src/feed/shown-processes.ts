import { type SQL, sql } from 'drizzle-orm'
import type { Customer } from '../customer/schema.ts'
import { viewCustomer } from '../customer/view.ts'
import { ridList } from '../db/document/values-by-row.ts'
import { select } from '../db/statement.ts'
import type { Referent } from '../event/event-view.ts'
import { toRowNo } from '../ids.ts'
import { procedure } from '../procedure/table.ts'
import {
  joinedBytes,
  joinedRow,
  type ProcessRow,
  type RecordRow,
  recordRow,
  type TrashedProcess,
  WITH_RECORD,
} from '../process/row.ts'
import type { RecordIds } from '../process/rows/changes.ts'
import type { ProcessOwner } from '../process/rows/members.ts'
import type { Process } from '../process/schema.ts'
import { process, processTrash } from '../process/table.ts'
import { viewProcess } from '../process/view.ts'
import { readCustomer, selectCustomers } from '../record/customer.ts'
import { fromNamed, NAMED_ID } from '../record/survivor.ts'
import { record } from '../record/table.ts'
import type { Scope } from '../scope.ts'

type Reader = Pick<Scope, 'db' | 'team'>

/** What the events of a page refer to, by row numbers and by the numbers of procedures. */
export interface References {
  processes: readonly number[]
  records: readonly number[]
  /** Records that are shown whole. */
  customers: readonly number[]
  procedures: readonly number[]
}

export interface ProcessReferents {
  processes: ReadonlyMap<number, Referent<Process>>
  records: RecordIds
  customers: ReadonlyMap<number, Referent<Customer>>
}

interface ProcessResult {
  rid: number
  proc: number
  bytes: number
  /** Null: it is too long. */
  row: string | null
  isDeleted: number
}

interface RecordResult {
  bytes: number
  row: RecordRow | null
}

/**
 * Reads all that a page refers to, as it is now, but for what is longer than `bytesMax`: of that it says how long it is. In
 * one round trip, and two more where processes were deleted.
 */
export async function readReferred(scope: Reader, references: References, bytesMax: number): Promise<ProcessReferents> {
  const { processes, records, customers, procedures } = references
  if (processes.length + records.length + customers.length === 0)
    return { processes: new Map(), records: new Map(), customers: new Map() }
  const [owners, found, named, whole] = await scope.db.read(
    selectOwners(scope, procedures),
    selectLive(scope, processes, bytesMax),
    select({ rid: record.rid, id: record.id }, sql`FROM ${record} WHERE ${isAmong(scope, record, records)}`),
    selectCustomers(scope, customers, bytesMax),
  )
  const others = await readMissing(scope, { wanted: processes, found, bytesMax })
  const ownerByNo = new Map(owners.map(({ no, ...of }) => [no, { team: scope.team, procedure: of }]))
  const recordsOfTrashed = await readRecordsOfTrashed(scope, others, bytesMax)
  const shown = [...found, ...others].flatMap(row => {
    const owner = ownerByNo.get(row.proc)
    return owner ? [[row.rid, viewFound(owner, row, recordsOfTrashed)] as const] : []
  })
  return {
    processes: new Map(shown),
    records: new Map(named.map(({ rid, id }) => [rid, id])),
    customers: new Map(whole.map(({ rid, bytes, row }) => [rid, toReferent(bytes, row, viewFoundCustomer)])),
  }
}

/** A text that is there says how long it is; its bytes in the database are fewer as a rule. */
const toReferent = <Shown>(bytes: number, row: string | null, view: (row: string) => Shown): Referent<Shown> =>
  row === null ? { bytes, shown: 'not read' } : { bytes: row.length, shown: view(row) }

const viewFoundCustomer = (row: string): Customer => viewCustomer(readCustomer({ row }))

const selectLive = (scope: Reader, rids: readonly number[], bytesMax: number) =>
  select(
    {
      rid: process.rid,
      proc: process.proc,
      bytes: joinedBytes,
      row: sql<string | null>`iif(${joinedBytes} <= ${bytesMax}, ${joinedRow}, NULL)`,
      isDeleted: sql<number>`0`,
    },
    sql`FROM ${process} ${WITH_RECORD} WHERE ${isAmong(scope, process, rids)}`,
  )

interface MissingRows {
  wanted: readonly number[]
  found: readonly ProcessResult[]
  bytesMax: number
}

/** Looking into the trash for all of them would read as many rows again. One may have been restored since it was missed. */
async function readMissing(scope: Reader, { wanted, found, bytesMax }: MissingRows): Promise<ProcessResult[]> {
  const known = new Set(found.map(({ rid }) => rid))
  const missing = wanted.filter(rid => !known.has(rid))
  if (missing.length === 0) return []
  const bytes = sql<number>`length(${processTrash.row})`
  const row = sql<string | null>`iif(${bytes} <= ${bytesMax}, json(${processTrash.row}), NULL)`
  const [live, trashed] = await scope.db.read(
    selectLive(scope, missing, bytesMax),
    select(
      { rid: processTrash.rid, proc: processTrash.proc, bytes, row, isDeleted: sql<number>`1` },
      sql`FROM ${processTrash} WHERE ${isAmong(scope, processTrash, missing)}`,
    ),
  )
  return [...live, ...trashed]
}

const isAmong = (
  { team }: Reader,
  table: typeof process | typeof processTrash | typeof record,
  rids: readonly number[],
): SQL => sql`${table.rid} IN ${ridList(rids)} AND +${table.team} = ${team.no}`

const selectOwners = ({ team }: Reader, procedures: readonly number[]) =>
  select(
    { no: procedure.no, id: procedure.id, shortId: procedure.shortId },
    sql`FROM ${procedure} WHERE ${procedure.no} IN ${ridList(procedures)} AND +${procedure.team} = ${team.no}`,
  )

/** The trash keeps only the id of a record, which may have been erased meanwhile, or merged into another. */
async function readRecordsOfTrashed(
  scope: Reader,
  trashed: readonly ProcessResult[],
  bytesMax: number,
): Promise<Map<string, RecordResult>> {
  const rids = trashed.flatMap(({ row, isDeleted }) => {
    if (isDeleted === 0 || row === null) return []
    const { record: kept } = JSON.parse(row) as TrashedProcess
    return kept ? [toRowNo(kept.id)] : []
  })
  if (rids.length === 0) return new Map()
  const bytes = sql<number>`length(${record.data})`
  const row = sql<string | null>`iif(${bytes} <= ${bytesMax}, json(${recordRow}), NULL)`
  const [rows] = await scope.db.read(select({ id: NAMED_ID, bytes, row }, fromNamed(scope, ridList(rids))))
  return new Map(
    rows.map(({ id, ...found }) => [
      id,
      found.row === null
        ? { bytes: found.bytes, row: null }
        : { bytes: found.row.length, row: JSON.parse(found.row) as RecordRow },
    ]),
  )
}

function viewFound(
  owner: ProcessOwner,
  { row, bytes, isDeleted }: ProcessResult,
  records: ReadonlyMap<string, RecordResult>,
): Referent<Process> {
  if (row === null || isDeleted === 0)
    return toReferent(bytes, row, text => viewProcess(owner, JSON.parse(text) as ProcessRow))
  const trashed = JSON.parse(row) as TrashedProcess
  const kept = trashed.record && records.get(trashed.record.id)
  const both = row.length + (kept?.bytes ?? 0)
  if (kept?.row === null) return { bytes: both, shown: 'not read' }
  return { bytes: both, shown: viewProcess(owner, { ...trashed, record: kept?.row ?? null }, true) }
}
