/** Values that D1 can bind. A number is bound as REAL: where that matters, send it inside a JSON parameter. */
export type Bindable = string | number | null

export interface Statement {
  sql: string
  params: Bindable[]
}

export const statement = (sql: string, ...params: Bindable[]): Statement => ({ sql, params })

/** A statement made with drizzle's builder. */
export interface Built {
  toSQL: () => { sql: string; params: unknown[] }
}

export interface Result {
  rows: Record<string, unknown>[]
  changes: number
}
