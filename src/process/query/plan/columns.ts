import type { Procedure } from '../../../procedure/model.ts'
import type { QueryField } from '../read/condition.ts'
import { isPrimaryKey } from '../read/condition.ts'
import type { Scalar } from '../sql/parameters.ts'

/** A column that holds exactly what a field does, absent values as NULL. */
export interface ProcessColumn {
  name: string
  index?: string
  /** Whether no two processes of a procedure share a value. */
  unique?: boolean
  /** Whether every process has a value there. */
  always?: boolean
  /** Whether the index leaves out absent values, so that a statement must promise not to look for them. */
  partial?: boolean
  /** Whether numbers and text can stand side by side in it. */
  mixed?: boolean
}

const ROOT_COLUMNS: Record<'status' | 'state' | 'assignedTo' | 'nextActionAt' | 'updatedAt' | 'id', ProcessColumn> = {
  status: { name: 'process.status', index: 'process_status', always: true },
  state: { name: 'process.state', index: 'process_state', always: true },
  assignedTo: { name: 'process.assigned_to', index: 'process_assigned_to', partial: true },
  nextActionAt: { name: 'process.next_action_at', index: 'process_next_action_at', partial: true },
  updatedAt: { name: 'process.updated_at', always: true },
  id: { name: 'process.id', always: true },
}

export const PRIMARY_KEY: ProcessColumn = { name: 'process.primary_key', index: 'process_primary_key', unique: true }

/** Kinds of which every value is one number or one text, true and false being 1 and 0: what a slot can hold. */
const SLOT_KINDS = ['text', 'number', 'boolean', 'moment']

/**
 * The column of a field other than `createdAt`, or null where only the document has it. A slot is used once it is ready:
 * from then on it has no list in it, and numbers for true and false only where the attribute is declared boolean.
 */
export function columnOf(field: QueryField, procedure: Procedure): ProcessColumn | null {
  if (field.root !== undefined) return field.root === 'createdAt' ? null : ROOT_COLUMNS[field.root]
  if (isPrimaryKey(field, procedure) || !SLOT_KINDS.includes(field.valueKind)) return null
  const slot = Object.hasOwn(procedure.slots, field.attribute) ? procedure.slots[field.attribute] : undefined
  if (slot === undefined || !slot.ready) return null
  return { name: `process.s${slot.column}`, index: `process_s${slot.column}`, partial: true, mixed: true }
}

export const columnValue = (value: Scalar): string | number => (typeof value === 'boolean' ? Number(value) : value)
