import { type SQL, sql } from 'drizzle-orm'
import { NO_VALUES, selectNamedValues, selectValuesNamedByRow } from '../../db/document/values-at.ts'
import type { Statement } from '../../db/statement.ts'
import { appendReplaced, toRowMembers } from '../../event/append.ts'
import type { Procedure } from '../../procedure/model.ts'
import type { Scope } from '../../scope.ts'
import type { Change } from '../rules.ts'
import { process } from '../table.ts'
import {
  type ChangedField,
  listChangedFields,
  type ProcessAfter,
  selectProcessBefore,
  toProcessAfter,
} from './append-events.ts'

interface RowOfEntry {
  rid: number
  id: string
  /** The position of the entry in the job. */
  entry: number
  undid?: number
}

interface ChangedRow extends RowOfEntry {
  change: Change
  /** The names that the change sets and removes. Updates that change the same attributes share one object. */
  form: { set: readonly string[]; unset: readonly string[]; isOneCall: boolean }
}

/** Appends the events of updates that share a statement, just before it. `which` is its condition. */
export function insertUpdateEvents(
  scope: Scope,
  procedure: Procedure,
  updates: readonly ChangedRow[],
  which: SQL,
): Statement {
  const [first] = updates
  const members = updates.map(row => [row.rid, { ...getNames(row), ...toProcessAfter(row.change) }] as const)
  const fields = listChangedFields(first?.change ?? {})
  const isOneForm = first?.form.isOneCall && updates.every(({ form }) => form === first.form)
  const values = isOneForm
    ? selectNamedValues(process.data, listNames(first))
    : selectValuesNamedByRow(
        { rid: process.rid, document: process.data },
        updates.map(row => ({ rid: row.rid, names: listNames(row) })),
      )
  return insertMany(scope, procedure, { type: 'process.updated', members, fields, values }, which)
}

const listNames = ({ form }: ChangedRow): string[] => [...form.set, ...form.unset]

/** Appends the events of processes that are about to be deleted. */
export const insertDeletionEvents = (
  scope: Scope,
  procedure: Procedure,
  deletes: readonly RowOfEntry[],
  which: SQL,
): Statement => {
  const members = deletes.map(row => [row.rid, getNames(row)] as const)
  return insertMany(scope, procedure, { type: 'process.deleted', members, fields: [], values: NO_VALUES }, which)
}

/** What each event of a job has. */
const getNames = ({ id, entry, undid }: Omit<RowOfEntry, 'rid'>) =>
  undid === undefined ? { id, entry } : { id, entry, undid }

interface ManyEvents {
  type: 'process.updated' | 'process.deleted'
  members: readonly (readonly [rid: number, after: ProcessAfter])[]
  fields: readonly ChangedField[]
  values: SQL
}

/** Appends one row with all the events, made of the processes as they are before the change. */
function insertMany(scope: Scope, { no }: Procedure, { type, members, fields, values }: ManyEvents, which: SQL) {
  return appendReplaced(
    scope,
    { type, proc: no },
    {
      ...toRowMembers(members),
      before: sql`jsonb_group_object(CAST(${process.rid} AS TEXT), ${selectProcessBefore(fields, values)})`,
    },
    sql`FROM ${process} WHERE ${which} HAVING count(*) > 0`,
  )
}
