import type { Procedure } from 'caseworker'
import {
  DELETION_NAME,
  FIELD_NAMES,
  getReadOnlyColumns,
  ID_NAME,
  type ImportMode,
  isNoteColumn,
  RECORD_NAMES,
  type Targets,
} from 'import-file/columns'
import { findHeaderFault, findRepeatedColumn, findUnknownColumns, listUnknownColumns } from 'import-file/header'
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

interface FileColumns {
  header: readonly string[]
  targets: Targets
  /** Those that somebody has chosen to ignore. */
  leftOut?: readonly number[] | undefined
}

/** Lists the columns that need a choice of their target: nothing is called as they are, or they have no heading. */
export function listUndecided(procedure: Procedure, mode: ImportMode, columns: FileColumns): number[] {
  const { header, targets, leftOut = [] } = columns
  const nameless = [...header.keys()].filter(at => header[at] === '' && targets[at] === '' && !leftOut.includes(at))
  return [...listUnknownColumns(procedure, mode, columns), ...nameless]
}

/** Explains why rows cannot be read with these targets; undefined if they can. */
export function targetsFault(
  procedure: Procedure,
  mode: ImportMode,
  targets: Targets,
  { header = [], leftOut = [] }: Partial<FileColumns> = {},
): string | undefined {
  const repeated = findRepeatedColumn(procedure, { header, targets }, mode)
  if (repeated !== undefined) return `The header: ${repeated}.`
  const used = targets.filter(target => target !== '')
  if (used.length === 0) return 'No column goes anywhere yet.'
  const missing = procedure.attributes.filter(({ required, shortId }) => required && !used.includes(shortId))
  if (mode !== 'update' && missing.length > 0)
    return `No column is ${missing.map(({ name }) => name).join(' or ')}, which a new process needs.`
  const fault = findHeaderFault(procedure, used, mode)
  if (fault !== undefined) return toSentence(fault)
  const [unknown] = findUnknownColumns(procedure, mode, { header, targets, leftOut })
  return unknown && `${toSentence(unknown.message)} Choose where it goes, or “Ignore”.`
}

const toSentence = (fault: string): string => `${fault.charAt(0).toUpperCase()}${fault.slice(1)}.`
