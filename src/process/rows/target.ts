import { type SQL, sql } from 'drizzle-orm'
import { record } from '../../customer-record/table.ts'
import { ridList } from '../../db/document/values-by-row.ts'
import type { Procedure } from '../../procedure/model.ts'
import { process } from '../table.ts'

/** The address of a process: its number and id, or its primary key. */
export type Target = { rid: number; id: string } | { primaryKey: string }

export const formatTarget = (target: Target): string => `process ${'rid' in target ? target.id : target.primaryKey}`

/** The versions of a process and its record that a caller has seen, as the entity tag says. */
export interface Tag {
  version: number
  record: number
}

type Value = SQL | string | number

/** Matches one process. The number of the procedure, which was looked up by team, binds the statement to the team. */
export const whereTarget = (at: { proc: Value } & ({ rid: Value; id: Value } | { primaryKey: Value })): SQL =>
  'rid' in at
    ? sql`${process.rid} = ${at.rid} AND ${process.id} = ${at.id} AND +${process.proc} = ${at.proc}`
    : sql`${process.proc} = ${at.proc} AND ${process.primaryKey} = ${at.primaryKey}`

/** Matches some processes by their numbers. */
export const whereAmong = ({ no }: Procedure, rows: readonly { rid: number }[]): SQL =>
  sql`${process.rid} IN ${ridList(rows.map(({ rid }) => rid))} AND +${process.proc} = ${no}`

export const whereTag = (tag: { version: Value; record: Value }): SQL =>
  sql`${process.version} = ${tag.version}
    AND coalesce((SELECT ${record.version} FROM ${record} WHERE ${record.rid} = ${process.record}), 0) = ${tag.record}`

/** Matches if there is such a process, as the caller has seen it. */
export const whereTagNow = ({ no }: Procedure, target: Target, tag: Tag): SQL =>
  sql`EXISTS (SELECT 1 FROM ${process} WHERE ${whereTarget({ proc: no, ...target })} AND ${whereTag({ ...tag })})`

/** Parses the header `If-Match`. A tag in another format matches nothing, because no process has version 0. */
export function readTag(tag: string | undefined): Tag | undefined {
  if (tag === undefined) return undefined
  const match = /^(\d+)-(\d+)$/.exec(tag)
  return { version: Number(match?.[1] ?? 0), record: Number(match?.[2] ?? 0) }
}
