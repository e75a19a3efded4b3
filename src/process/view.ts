import { type SQL, sql } from 'drizzle-orm'
import { dataOfStored, mayHaveStoredNames } from '../db/document/json.ts'
import { jsonObject } from '../db/statement.ts'
import { createdAtOf, RID_TAIL } from '../ids.ts'
import type { Procedure } from '../procedure/model.ts'
import { record } from '../record/table.ts'
import type { Team } from '../scope.ts'
import { FIELDS, type ShownField, STATUS_WORD, statusOf } from './fields.ts'
import type { ProcessRow } from './row.ts'
import type { Process } from './schema.ts'
import { process } from './table.ts'

export interface ProcessOwner {
  team: Pick<Team, 'id'>
  procedure: Pick<Procedure, 'id' | 'shortId'>
}

/** A member of a process in a response: made of its row, here or by the database; or shared by all rows of a list. */
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

/** Every member, in the order of a response: of one process (`viewProcess`), and of each in a list (`listedProcess`). */
const MEMBERS: { [Name in keyof Process]: Member<Process[Name]> } = {
  id: field('id'),
  createdAt: {
    of: ({ rid }) => createdAtOf(rid),
    sql: sql`${process.rid} / ${sql.raw(String(RID_TAIL))} + ${sql.raw(String(createdAtOf(0)))}`,
  },
  updatedAt: field('updatedAt'),
  team: { shared: ({ team }) => team.id },
  procedure: { shared: ({ procedure }) => procedure.id },
  procedureShortId: { shared: ({ procedure }) => procedure.shortId },
  record: {
    of: ({ record }) =>
      record && {
        id: record.id,
        data: dataOfStored(record.data),
        createdAt: record.createdAt,
        updatedAt: record.updatedAt,
      },
    sql: sql`(SELECT json(${recordInSql}) FROM ${record} WHERE ${record.rid} = ${process.record})`,
  },
  status: { of: ({ status }) => statusOf(status), sql: STATUS_WORD },
  state: field('state'),
  nextActionAt: field('nextActionAt'),
  assignedTo: field('assignedTo'),
  createdBy: field('createdBy'),
  completedAt: field('completedAt'),
  data: { of: ({ data }) => dataOfStored(data), sql: sql`json(${process.data})` },
  isDeleted: { of: (_, isDeleted) => isDeleted, sql: sql`json('false')` },
}
const ALL = Object.entries<Member<unknown>>(MEMBERS)

export function viewProcess(owner: ProcessOwner, row: ProcessRow, isDeleted = false): Process {
  const view: Record<string, unknown> = {}
  for (const [name, member] of ALL) view[name] = 'of' in member ? member.of(row, isDeleted) : member.shared(owner)
  return view as Process
}

/** Counts with every change of the process, and of the record that is shown inside it. */
export const etagOf = ({ version, record }: ProcessRow): string => `"${version}-${record?.version ?? 0}"`

/** A process of a list as one text: its members in a response but for the shared ones, after what only a cursor needs. */
export const listedProcess: SQL<string> = jsonObject({
  primaryKey: process.primaryKey,
  ...Object.fromEntries(ALL.flatMap(([name, member]) => ('sql' in member ? [[name, member.sql]] : []))),
})

/** What that text says. The names in its data are as they are stored. */
export type ListedProcess = Omit<Process, 'team' | 'procedure' | 'procedureShortId'> & { primaryKey: string | null }
export const readListed = (text: string): ListedProcess => JSON.parse(text) as ListedProcess

/** Where the members of a response begin, and what follows the shared ones. A quote inside a value has a backslash. */
const [FIRST, AFTER_SHARED] = ['"id":', ',"record":']

/** Makes the text of `listedProcess` into that of a response, without parsing it. */
export function viewListed(owner: ProcessOwner): (text: string) => string {
  const shared = ALL.flatMap(([name, member]) => ('shared' in member ? [[name, member.shared(owner)]] : []))
  const members = JSON.stringify(Object.fromEntries(shared)).slice(1, -1)
  return stored => {
    const text = mayHaveStoredNames(stored) ? withNames(readListed(stored)) : stored
    const at = text.indexOf(AFTER_SHARED)
    return `{${text.slice(text.indexOf(FIRST), at)},${members}${text.slice(at)}`
  }
}

function withNames(listed: ListedProcess): string {
  const record = listed.record && { ...listed.record, data: dataOfStored(listed.record.data) }
  return JSON.stringify({ ...listed, data: dataOfStored(listed.data), record })
}
