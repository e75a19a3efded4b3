import { type SQL, sql } from 'drizzle-orm'
import { dryRunProcess as projected } from '../../background-job/table.ts'
import { countFitting, countUtf8Bytes } from '../../bytes.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import { replaceInto, type Statement, select, statement } from '../../db/statement.ts'
import { toRowNo } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import { selectTrashedRow, type TrashedProcess } from '../row.ts'
import { process } from '../table.ts'

/** The customer of a process in a dry run: an id, or the data of a customer who would be created. */
export type ProjectedRecord = string | { isNew: true; data: Record<string, unknown> } | null

/** A process as the entries of a dry run so far would have left it. Its data have stored names. */
export interface ProjectedProcess extends Omit<TrashedProcess, 'record' | 'lastEvent' | 'notifiedDueAt'> {
  record: ProjectedRecord
  /** The row of the record; null if there is none yet. */
  recordRid: number | null
  /** Set if the job would create the process: its id belongs to no process. */
  isNew?: true
  /** The position of the entry that would delete it. */
  deletedBy?: number | undefined
  /** Set if an entry of the job would change it. */
  isOwn?: boolean
}

/** The number of the job on whose behalf a step runs. */
function getJobNumber({ origin }: Scope): number {
  if (!('job' in origin)) throw new Error('a dry run belongs to a job')
  return toRowNo(origin.job)
}

/** Finds what a job has projected of some processes, by their row numbers and their primary keys; deleted ones are among them. */
export async function findProjected(
  scope: Scope,
  procedure: Procedure,
  { rids, keys }: { rids: readonly number[]; keys: readonly string[] },
): Promise<ProjectedProcess[]> {
  const ofJob = sql`${projected.team} = ${scope.team.no} AND ${projected.job} = ${getJobNumber(scope)}`
  const columns = { row: sql<string>`json(${projected.row})` }
  const ofProcedure = sql`${projected.row} ->> '$.proc' = ${procedure.no}`
  const rows = await scope.db.read(
    select(columns, sql`FROM ${projected} WHERE ${ofJob} AND ${projected.rid} IN ${ridList(rids)} AND ${ofProcedure}`),
    select(
      columns,
      sql`FROM json_each(${JSON.stringify(keys)}) key CROSS JOIN ${projected}
        ON ${ofJob} AND ${projected.primaryKey} = key.value AND ${ofProcedure}`,
    ),
  )
  const found = rows.flat().map(({ row }) => JSON.parse(row) as ProjectedProcess)
  return [...new Map(found.map(each => [each.rid, each])).values()]
}

/** The bytes of a statement's value. D1 takes 2,000,000. */
const STATEMENT_BYTES_MAX = 1_000_000

export function saveProjected(scope: Scope, procedure: Procedure, rows: readonly ProjectedProcess[]): Statement[] {
  const texts = rows.map(row => JSON.stringify({ ...row, proc: procedure.no }))
  const bytes = texts.map(countUtf8Bytes)
  const statements: Statement[] = []
  for (let at = 0; at < texts.length; ) {
    const end = at + countFitting(bytes.slice(at), STATEMENT_BYTES_MAX)
    statements.push(replaceProjected(scope, `[${texts.slice(at, end).join(',')}]`))
    at = end
  }
  return statements
}

function replaceProjected(scope: Scope, rows: string): Statement {
  const member = (name: string): SQL => sql`value ->> ${sql.raw(`'$.${name}'`)}`
  const values = {
    team: sql`${scope.team.no}`,
    job: sql`${getJobNumber(scope)}`,
    rid: member('rid'),
    primaryKey: member('primaryKey'),
    row: sql`jsonb(value)`,
  }
  return statement(replaceInto(projected, values, sql`FROM json_each(${rows})`))
}

/** Reads whole processes as they are. */
export async function readWhole(
  scope: Scope,
  procedure: Procedure,
  rids: readonly number[],
): Promise<Map<number, ProjectedProcess>> {
  if (rids.length === 0) return new Map()
  const columns = { rid: process.rid, record: process.record, row: selectTrashedRow(process.lastEvent.getSQL()) }
  const [rows] = await scope.db.read(
    select(
      columns,
      sql`FROM ${process} WHERE ${process.rid} IN ${ridList(rids)} AND +${process.proc} = ${procedure.no}`,
    ),
  )
  return new Map(rows.map(({ rid, record, row }) => [rid, toProjected(JSON.parse(row) as TrashedProcess, record)]))
}

const toProjected = (
  { record, lastEvent: _, notifiedDueAt: _notified, ...row }: TrashedProcess,
  recordRid: number | null,
): ProjectedProcess => ({ ...row, record: record?.id ?? null, recordRid })
