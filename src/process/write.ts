import { fits } from '../db/document-size.ts'
import { changedDocument, documentChange, storedData } from '../db/json.ts'
import { type TextStatement, textStatement } from '../db/text-statement.ts'
import type { Procedure } from '../procedure/model.ts'
import { PROCESS_ROW } from './row.ts'
import { allowedFrom, type Change } from './rules.ts'

/** Which process: by its number and id, or by its primary key. */
export type Target = { rid: number; id: string } | { primaryKey: string }

export interface UpdateItem {
  target: Target
  change: Change
  /** The version and the record's version that the caller has seen (`If-Match`). */
  ifVersion?: { version: number; record: number }
}

const slotEntries = ({ slots }: Procedure) => Object.entries(slots)

/**
 * Attributes are set by key inside the statement, so that updates of different attributes at the same time all survive.
 * It changes the process only if the rules allow to, and returns it if it did.
 */
export function updateStatement(procedure: Procedure, item: UpdateItem, now: number): TextStatement {
  const { target, change, ifVersion } = item
  const from = allowedFrom(procedure, change)
  const conditions = [
    ...('rid' in target
      ? [`rid = ?1 ->> '$.rid'`, `id = ?1 ->> '$.id'`, '+proc = ?2']
      : ['proc = ?2', `primary_key = ?1 ->> '$.primaryKey'`]),
    ...(from ? [`state IN (SELECT value FROM json_each(?1, '$.from'))`] : []),
    ...(ifVersion
      ? [
          `version = ?1 ->> '$.version'`,
          `coalesce((SELECT version FROM record WHERE rid = process.record), 0) = ?1 ->> '$.recordVersion'`,
        ]
      : []),
  ]
  const values = {
    ...target,
    ...changeValues(change),
    from,
    ...(ifVersion ? { version: ifVersion.version, recordVersion: ifVersion.record } : {}),
  }
  return textStatement(
    `UPDATE process SET ${changeSets(procedure, '?1', change)} WHERE ${conditions.join(' AND ')}
      RETURNING ${PROCESS_ROW} AS row, ${fits('process.data', 'process')}`,
    JSON.stringify(values),
    procedure.no,
    now,
  )
}

/** The parameters of `changeSets`, to be members of its item. */
export function changeValues(change: Change): Record<string, unknown> {
  // The key that a process is found by and the key that it gets are two.
  const { set, unset, primaryKey, ...fields } = change
  return { ...fields, key: primaryKey, ...documentChange(set, unset) }
}

/** What an update sets, with the values in `item` and the time in `?3`. */
export function changeSets(procedure: Procedure, item: string, change: Change): string {
  const names = Object.keys(change.set)
  return [
    `data = ${changedDocument('process.data', item, names.length, change.unset.length)}`,
    ...slotSets(procedure, item, names, change.unset),
    ...fieldSets(item, change),
    'version = process.version + 1',
    'updated_at = ?3',
  ].join(', ')
}

/** Only columns of attributes that were sent: setting one to what it was costs a row written all the same. */
const slotSets = (procedure: Procedure, item: string, names: string[], unset: string[]): string[] =>
  slotEntries(procedure).flatMap(([shortId, { column }]) => {
    const index = names.indexOf(shortId)
    if (index >= 0) return [`s${column} = ${item} ->> '$.values[${index}]'`]
    return unset.includes(shortId) ? [`s${column} = NULL`] : []
  })

function fieldSets(item: string, change: Change): string[] {
  const field = (member: keyof Change, column: string, path: string = member) =>
    change[member] === undefined ? [] : [`${column} = ${item} ->> '$.${path}'`]
  return [
    ...field('status', 'status'),
    ...field('state', 'state'),
    ...field('nextActionAt', 'next_action_at'),
    ...field('assignedTo', 'assigned_to'),
    ...field('primaryKey', 'primary_key', 'key'),
    ...field('record', 'record'),
    ...(change.status === undefined
      ? []
      : [`completed_at = iif(${item} ->> '$.status' <> 2, 0, iif(process.status = 2, process.completed_at, ?3))`]),
  ]
}

export interface InsertItem {
  rid: number
  id: string
  change: Change & { status: number; state: string }
  createdBy: string | null
  /** The record's row, which the same batch sees to. */
  record: number | null
  completedAt: number
  /** Of a restored process; a new one starts at 1. */
  version: number
}

const ALL_SLOTS = Array.from({ length: 16 }, (_, index) => `s${index + 1}`)

/** One statement for any number of new processes. A primary key that is taken fails the whole batch. */
export function insertStatement(procedure: Procedure, items: readonly InsertItem[], now: number): TextStatement {
  const one = items.length === 1
  const item = one ? '?1' : 'item.value'
  const get = (path: string) => `${item} ->> '$.${path}'`
  const values = items.map(({ change, ...rest }) => {
    const { set, unset: _, ...fields } = change
    const slots = ALL_SLOTS.map(() => null as unknown)
    for (const [shortId, { column }] of slotEntries(procedure))
      if (Object.hasOwn(set, shortId)) slots[column - 1] = set[shortId]
    return { ...rest, ...fields, data: storedData(set), slots }
  })
  return textStatement(
    `INSERT INTO process (rid, id, proc, status, state, assigned_to, next_action_at, created_by, completed_at, updated_at,
        version, record, primary_key, ${ALL_SLOTS.join(', ')}, data)
      SELECT ${get('rid')}, ${get('id')}, ?2, ${get('status')}, ${get('state')}, ${get('assignedTo')}, ${get('nextActionAt')},
        ${get('createdBy')}, ${get('completedAt')}, ?3, ${get('version')}, ${get('record')}, ${get('primaryKey')},
        ${ALL_SLOTS.map((_, index) => get(`slots[${index}]`)).join(', ')}, jsonb(${item} -> '$.data')
      ${one ? '' : 'FROM json_each(?1) item'} WHERE true ${one ? `RETURNING ${PROCESS_ROW} AS row` : ''}`,
    JSON.stringify(one ? values[0] : values),
    procedure.no,
    now,
  )
}
