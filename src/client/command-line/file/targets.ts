import type { Procedure } from '../../client.ts'
import { RECORD_PREFIX } from '../field/fields.ts'
import { type ImportMode, isNote, readOnlyColumns } from './columns.ts'
import { holdStates, plainName } from './state-cells.ts'

/** Where each column of a file goes, in the order of the columns; '' is nowhere. */
export type Targets = readonly string[]

/** The fields of a process, as people call them. */
export const FIELD_NAMES: Readonly<Record<string, string>> = {
  status: 'Status',
  state: 'State',
  nextActionAt: 'Next action',
  assignedTo: 'Assignee',
}
export const ID_NAME = 'Id of the process'
export const DELETION_NAME = 'Delete it, if true'
export const RECORD_NAMES: Readonly<Record<string, string>> = {
  'record.phone_number': 'Customer: phone number',
  'record.email': 'Customer: e-mail address',
  'record.name': 'Customer: name',
  'record.id': 'Customer: id',
}

interface NamedTarget {
  target: string
  /** What a column that goes there may be called. */
  names: readonly string[]
}

const namedTargets = ({ attributes }: Procedure, mode: ImportMode): NamedTarget[] => {
  const named = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([target, name]) => ({ target, names: [target, name] }))
  return [
    ...(mode === 'update' ? named({ id: ID_NAME }) : []),
    ...attributes.map(({ shortId, name }) => ({ target: shortId, names: [shortId, name] })),
    ...named(FIELD_NAMES),
    ...(mode === 'update' ? named({ isDeleted: DELETION_NAME }) : []),
    ...named(RECORD_NAMES),
    { target: 'record.name', names: ['Customer'] },
  ]
}

/**
 * Where each column goes by its name; each place is taken once, by a column that is called exactly so before others.
 * A column "Status" whose cells are states is the state: outside of the API the two words mean the same.
 */
export function proposedTargets(
  procedure: Procedure,
  mode: ImportMode,
  header: readonly string[],
  rows: readonly { cells: readonly string[] }[] = [],
): Targets {
  const readOnly = new Set(readOnlyColumns(procedure, header, mode))
  const taken = new Set<string>()
  const targets = header.map(() => '')
  const known = namedTargets(procedure, mode)
  const isOther = (column: string) => column === '' || readOnly.has(column) || isNote(procedure, column)
  const isCalled: ((column: string, named: NamedTarget) => boolean)[] = [
    (column, { target }) => target === column,
    (column, { names }) => names.map(plainName).includes(plainName(column)),
  ]
  for (const fits of isCalled)
    for (const [at, column] of header.entries()) {
      if (isOther(column) || targets[at] !== '') continue
      const ofRecord = column.startsWith(RECORD_PREFIX) ? column : undefined
      const found = known.find(each => fits(column, each))?.target ?? ofRecord
      if (found === undefined || taken.has(found)) continue
      taken.add(found)
      targets[at] = found
    }
  const status = targets.indexOf('status')
  const cells = rows.map(row => row.cells[status] ?? '')
  if (status >= 0 && !taken.has('state') && holdStates(procedure, cells)) targets[status] = 'state'
  return targets
}
