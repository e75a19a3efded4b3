import type { Procedure } from 'caseworker'
import {
  DELETION_NAME,
  FIELD_NAMES,
  findHeaderFault,
  findRepeatedColumn,
  getReadOnlyColumns,
  ID_NAME,
  type ImportMode,
  isNoteColumn,
  RECORD_NAMES,
  type Targets,
} from 'import-file/columns'
import { getTypeRules } from '../../parts/attribute/types.ts'

interface TargetOption {
  value: string
  label: string
}

const RECORD_PREFIX = 'record.'

/** Everything that a column can be. */
export function targetOptions(procedure: Procedure, mode: ImportMode, column: string): TargetOption[] {
  const { attributes, primaryKey, strict } = procedure
  const plain = (names: Readonly<Record<string, string>>) =>
    Object.entries(names).map(([value, label]) => ({ value, label }))
  const declared = attributes.map(({ shortId, name, type }) => ({
    value: shortId,
    label: `${name} · ${shortId === primaryKey ? 'Primary key' : getTypeRules(type).words}`,
  }))
  const known = [
    { value: '', label: 'Ignore' },
    ...(mode === 'update' ? [{ value: 'id', label: ID_NAME }] : []),
    ...declared,
    ...plain(FIELD_NAMES),
    ...(mode === 'update' ? [{ value: 'isDeleted', label: DELETION_NAME }] : []),
    ...plain(RECORD_NAMES),
  ]
  if (known.some(({ value }) => value === column) || isNoteColumn(procedure, column)) return known
  if (column.startsWith(RECORD_PREFIX))
    return [...known, { value: column, label: `Customer: ${column.slice(RECORD_PREFIX.length)}` }]
  const isStored = !strict && getReadOnlyColumns(procedure, [column], mode).length === 0
  return isStored ? [...known, { value: column, label: `New attribute “${column}”, not declared` }] : known
}

/** Explains why rows cannot be read with these targets; undefined if they can. */
export function targetsFault(
  procedure: Procedure,
  mode: ImportMode,
  targets: Targets,
  header: readonly string[] = [],
): string | undefined {
  const repeated = findRepeatedColumn(procedure, { header, targets }, mode)
  if (repeated !== undefined) return `The header: ${repeated}.`
  const used = targets.filter(target => target !== '')
  if (used.length === 0) return 'No column goes anywhere yet.'
  const missing = procedure.attributes.filter(({ required, shortId }) => required && !used.includes(shortId))
  if (mode !== 'update' && missing.length > 0)
    return `No column is ${missing.map(({ name }) => name).join(' or ')}, which a new process needs.`
  const fault = findHeaderFault(procedure, used, mode)
  return fault && `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
}
