import type { Procedure } from 'caseworker'
import { headerFault, type ImportMode, isNote, readOnlyColumns } from 'caseworker/file'
import { typeWords } from '../../parts/form/attribute-words.ts'
import { holdStates, plainName } from './state-cells.ts'

/** Where each column of a file goes, in the order of the columns; '' is nowhere. */
export type Targets = readonly string[]

export interface TargetOption {
  value: string
  label: string
}

const ROOT = { status: 'Status', state: 'State', nextActionAt: 'Next action', assignedTo: 'Assignee' }
const RECORD_PREFIX = 'record.'
const RECORD = {
  'record.phone_number': 'Customer: phone number',
  'record.email': 'Customer: e-mail address',
  'record.name': 'Customer: name',
}

/** Everything that a column can be. */
export function targetOptions(procedure: Procedure, mode: ImportMode, column: string): TargetOption[] {
  const { attributes, primaryKey, strict } = procedure
  const plain = (names: Record<string, string>) => Object.entries(names).map(([value, label]) => ({ value, label }))
  const declared = attributes.map(({ shortId, name, type }) => ({
    value: shortId,
    label: `${name} · ${shortId === primaryKey ? 'Primary key' : typeWords(type)}`,
  }))
  const known = [
    { value: '', label: 'Ignore' },
    ...(mode === 'update' ? [{ value: 'id', label: 'Id of the process' }] : []),
    ...declared,
    ...plain(ROOT),
    ...(mode === 'update' ? [{ value: 'isDeleted', label: 'Delete it, if true' }] : plain(RECORD)),
  ]
  if (known.some(({ value }) => value === column) || isNote(procedure, column)) return known
  if (column.startsWith(RECORD_PREFIX))
    return mode === 'update'
      ? known
      : [...known, { value: column, label: `Customer: ${column.slice(RECORD_PREFIX.length)}` }]
  const isStored = !strict && readOnlyColumns(procedure, [column], mode).length === 0
  return isStored ? [...known, { value: column, label: `New attribute “${column}”, not declared` }] : known
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
  const offered = header.map(column =>
    column === '' || readOnly.has(column) || isNote(procedure, column)
      ? []
      : targetOptions(procedure, mode, column).filter(({ value, label }) => value !== '' && !label.startsWith('New ')),
  )
  const names = ({ value, label }: TargetOption) =>
    [value, label.split(' · ')[0] ?? label, ...(value === 'record.name' ? ['Customer'] : [])].map(plainName)
  const isCalled: ((column: string, option: TargetOption) => boolean)[] = [
    (column, { value }) => value === column,
    (column, option) => names(option).includes(plainName(column)),
  ]
  for (const fits of isCalled)
    for (const [at, column] of header.entries()) {
      const found = offered[at]?.find(option => fits(column, option))
      if (found === undefined || targets[at] !== '' || taken.has(found.value)) continue
      taken.add(found.value)
      targets[at] = found.value
    }
  const status = targets.indexOf('status')
  const cells = rows.map(row => row.cells[status] ?? '')
  if (status >= 0 && !taken.has('state') && holdStates(procedure, cells)) targets[status] = 'state'
  return targets
}

/** Why rows can't be read with these targets; undefined if they can. */
export function targetsFault(procedure: Procedure, mode: ImportMode, targets: Targets): string | undefined {
  const used = targets.filter(target => target !== '')
  if (used.length === 0) return 'No column goes anywhere yet.'
  const missing = procedure.attributes.filter(({ required, shortId }) => required && !used.includes(shortId))
  if (mode !== 'update' && missing.length > 0)
    return `No column is ${missing.map(({ name }) => name).join(' or ')}, which a new process needs.`
  const fault = headerFault(procedure, used, mode)
  return fault && `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
}
