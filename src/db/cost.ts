/** What a request has asked of the database so far. */
export interface Cost {
  trips: number
  rowsRead: number
  rowsWritten: number
  ms: number
}

export const noCost = (): Cost => ({ trips: 0, rowsRead: 0, rowsWritten: 0, ms: 0 })
