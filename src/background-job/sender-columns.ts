import { type SQL, sql } from 'drizzle-orm'
import { select } from '../db/statement.ts'
import type { Scope } from '../scope.ts'
import { whereJob } from './job-rows.ts'
import { backgroundJob as job } from './table.ts'

/** A column of the table that a job was sent as, which its results have, too: its heading, and what of an entry stands in it. */
export interface SenderColumn {
  name: string
  target: string
  /** Numbers had a comma before their decimals. */
  hasComma?: true
  /** Days had another order than 2026-12-31. */
  dates?: 'dmy' | 'mdy'
  /** What stands in a cell is read as JSON, where it is that. */
  isJson?: true
  /** What stands between the cells of the table, where it is no comma. The first column says it of all. */
  separator?: string
  /** The table had a byte order mark, or was no UTF-8: a spreadsheet needs one. The first column says it of all. */
  hasMark?: true
}

/** More columns, or longer names, have no room in the job's row: then the results have what was asked for as JSON. */
const COLUMNS_MAX = 1_000
const COLUMNS_LENGTH_MAX = 100_000

/** As the job's row has them; null where there is no table that could be sent back. */
export function encodeColumns(columns: readonly SenderColumn[] | null): string | null {
  if (columns === null || columns.length === 0 || columns.length > COLUMNS_MAX) return null
  const text = JSON.stringify(columns)
  return text.length > COLUMNS_LENGTH_MAX ? null : text
}

/** What entries have, in the order in which it comes up. */
export function collectTargets(): { add: (targets: readonly string[]) => void; columns: () => SenderColumn[] } {
  const found = new Set<string>()
  return {
    add(targets) {
      if (found.size <= COLUMNS_MAX) for (const target of targets) found.add(target)
    },
    columns: () => [...found].map(target => ({ name: target, target })),
  }
}

export async function loadColumns({ db, team }: Scope, no: number): Promise<SenderColumn[] | null> {
  const [[row]] = await db.read(select({ columns: job.columns }, sql`FROM ${job} WHERE ${whereJob(team.no, no)}`))
  return row?.columns ? (JSON.parse(row.columns) as SenderColumn[]) : null
}

/** The columns of another job, and those that a correction of its entries adds. */
export function copyColumns(team: number, no: number, corrected: readonly SenderColumn[]): SQL {
  const more = JSON.stringify(corrected)
  const all = sql`SELECT value FROM json_each(${job.columns}) UNION ALL
    SELECT value FROM json_each(${more}) WHERE value ->> '$.target' NOT IN (
      SELECT own.value ->> '$.target' FROM json_each(${job.columns}) own)`
  const columns =
    corrected.length === 0
      ? sql`${job.columns}`
      : sql`iif(${job.columns} IS NULL, NULL, (SELECT json_group_array(json(value)) FROM (${all})))`
  return sql`(SELECT ${columns} FROM ${job} WHERE ${whereJob(team, no)})`
}
