/** The database use of a request so far. */
export interface Cost {
  trips: number
  /** D1 allows an invocation of a Worker 1,000. Each statement of a batch counts. */
  statements: number
  /** If set, a statement beyond it fails with `StatementBudgetError`. */
  statementsMax?: number
  rowsRead: number
  rowsWritten: number
  ms: number
  /** The time of the statements themselves, by D1, without the way there and back and without waiting for others. */
  ownMs: number
}

export const createCost = (): Cost => ({ trips: 0, statements: 0, rowsRead: 0, rowsWritten: 0, ms: 0, ownMs: 0 })
