/** The database use of a request so far. */
export interface Cost {
  trips: number
  /** D1 lets one invocation of a Worker run 1,000; each statement of a batch counts. */
  statements: number
  /** If set, a statement beyond it fails with `StatementBudgetError`. */
  statementsMax?: number
  rowsRead: number
  rowsWritten: number
  ms: number
  /** What D1 says that the statements themselves took, without the way and without waiting for others. */
  ownMs: number
}

export const noCost = (): Cost => ({ trips: 0, statements: 0, rowsRead: 0, rowsWritten: 0, ms: 0, ownMs: 0 })
