const QUOTED = /[",\r\n]|^\s|\s$/

/** One row of CSV (RFC 4180) with its line end. */
export const csvLine = (cells: readonly string[]): string =>
  `${cells.map(cell => (QUOTED.test(cell) || (cell === '' && cells.length === 1) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`
