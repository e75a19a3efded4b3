import { type SQL, sql } from 'drizzle-orm'
import { record } from '../../customer-record/table.ts'
import { toData } from '../../db/document/json.ts'
import { jsonObject } from '../../db/statement.ts'
import { RID_TAIL, readCreatedAt } from '../../ids.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Team } from '../../scope.ts'
import { FIELDS, type ShownField, STATUS_WORD, toStatus } from '../fields.ts'
import type { ProcessRow } from '../row.ts'
import type { Process } from '../schema.ts'
import { process } from '../table.ts'

export interface ProcessOwner {
  team: Pick<Team, 'id'>
  procedure: Pick<Procedure, 'id' | 'shortId'>
}

/** A member of a process in a response: read from its row, here or by the database; or shared by all rows of a list. */
type Member<Value> =
  | { of: (row: ProcessRow, isDeleted: boolean) => Value; sql: SQL }
  | { shared: (owner: ProcessOwner) => Value }

const field = <Name extends Exclude<ShownField, 'status'>>(name: Name) => ({
  of: (row: ProcessRow) => row[name],
  sql: sql`${FIELDS[name].column}`,
})

const recordInSql = jsonObject({
  id: record.id,
  data: sql`json(${record.data})`,
  createdAt: record.createdAt,
  updatedAt: record.updatedAt,
})

/** Every member in the order of a response, for one process (`viewProcess`) and for each in a list (`listedProcess`). */
const MEMBERS: { [Name in keyof Process]: Member<Process[Name]> } = {
  id: field('id'),
  createdAt: {
    of: ({ rid }) => readCreatedAt(rid),
    sql: sql`${process.rid} / ${sql.raw(String(RID_TAIL))} + ${sql.raw(String(readCreatedAt(0)))}`,
  },
  updatedAt: field('updatedAt'),
  team: { shared: ({ team }) => team.id },
  procedure: { shared: ({ procedure }) => procedure.id },
  procedureShortId: { shared: ({ procedure }) => procedure.shortId },
  record: {
    of: ({ record }) =>
      record && {
        id: record.id,
        data: toData(record.data),
        createdAt: record.createdAt,
        updatedAt: record.updatedAt,
      },
    sql: sql`(SELECT json(${recordInSql}) FROM ${record} WHERE ${record.rid} = ${process.record})`,
  },
  status: { of: ({ status }) => toStatus(status), sql: STATUS_WORD },
  state: field('state'),
  nextActionAt: field('nextActionAt'),
  assignedTo: field('assignedTo'),
  createdBy: field('createdBy'),
  completedAt: field('completedAt'),
  data: { of: ({ data }) => toData(data), sql: sql`json(${process.data})` },
  isDeleted: { of: (_, isDeleted) => isDeleted, sql: sql`json('false')` },
}
export const PROCESS_MEMBERS = Object.entries<Member<unknown>>(MEMBERS)

const buildListedProcess = (members: Partial<Record<keyof Process, SQL>>): SQL<string> =>
  jsonObject({
    primaryKey: process.primaryKey,
    ...Object.fromEntries(PROCESS_MEMBERS.flatMap(([name, member]) => ('sql' in member ? [[name, member.sql]] : []))),
    ...members,
  })

/** Selects a process of a list as one text: the members that are not shared, after those that only a cursor needs. */
export const listedProcess: SQL<string> = buildListedProcess({})

/** Selects the same text if the data of the process and its customer have at most `bytesMax` bytes, otherwise the number of bytes. */
export function selectListedUpTo(bytesMax: number): SQL<string> {
  const most = sql.raw(String(bytesMax))
  const customer = sql`(SELECT iif(length(${record.data}) <= ${most}, json(${recordInSql}), length(${record.data})) FROM ${record} WHERE ${record.rid} = ${process.record})`
  const all = sql`bytes + ifnull(iif(typeof(customer) = 'integer', customer, length(customer)), 0)`
  const text = buildListedProcess({ record: sql`json(customer)` })
  // A subquery without FROM is computed once, however often its columns are named.
  return sql<string>`(SELECT iif(bytes <= ${most} AND typeof(customer) <> 'integer', ${text}, CAST(${all} AS TEXT)) FROM (SELECT length(${process.data}) AS bytes, ${customer} AS customer))`
}

/** Tells whether only the length of the row was read. */
export const isLongRow = (row: string): boolean => !row.startsWith('{')

export const getRowBytes = (row: string): number => (isLongRow(row) ? Number(row) : row.length)
