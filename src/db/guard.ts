import { type Bindable, type Statement, statement } from './statement.ts'

/**
 * A statement that fails its whole batch unless a condition holds: SQLite has no assertion outside a trigger, but it
 * refuses a JSON path that does not start with `$`, and says which.
 */
export const guard = (label: string, condition: string, ...params: Bindable[]): Statement =>
  statement(`SELECT json_extract('{}', iif(${condition}, '$', '${label}')) AS held`, ...params)

export const isGuardFailure = (error: unknown, label: string): boolean =>
  error instanceof Error && error.message.includes(`'${label}'`) && error.message.includes('JSON path')

export const isUniqueViolation = (error: unknown, column: string): boolean =>
  error instanceof Error && error.message.includes('UNIQUE constraint failed') && error.message.includes(column)
