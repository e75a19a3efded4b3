import { type SQL, sql } from 'drizzle-orm'
import type { Statement } from './statement.ts'

// TRANSITION: statements as text, until each folder is converted to `statement.ts`. Then this file goes.

export type Bindable = string | number | null

export interface PlainText {
  sql: string
  params: Bindable[]
}
/** Either kind, so that both can stand in one list. */
export type TextStatement = PlainText | Statement

export const textStatement = (text: string, ...params: Bindable[]): PlainText => ({ sql: text, params })

export const textGuard = (label: string, condition: string, ...params: Bindable[]): PlainText =>
  textStatement(`SELECT json_extract('{}', iif(${condition}, '$', '${label}')) AS held`, ...params)

/** A statement made with drizzle's builder. */
export interface Built {
  toSQL: () => { sql: string; params: unknown[] }
}

export interface Result {
  rows: Record<string, unknown>[]
  changes: number
}

/** Text with `?n` as a piece of drizzle's SQL, so that old statements can stand among new ones. */
export function sqlOfText({ sql: text, params }: PlainText): SQL<string> {
  const parts = text.split(/(\?\d+)/g).map(part => {
    const number = /^\?(\d+)$/.exec(part)?.[1]
    return number === undefined ? sql.raw(part) : sql`${params[Number(number) - 1] ?? null}`
  })
  return sql.join(parts) as SQL<string>
}
