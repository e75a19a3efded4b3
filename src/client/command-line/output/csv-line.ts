/** What some reader takes for the end of a cell, whichever separator the file has: it may have to find out which. */
const QUOTED = /[",;\t\r\n]|^\s|\s$/

/** One row of CSV (RFC 4180) with its line end. */
export const csvLine = (cells: readonly string[], separator = ','): string =>
  `${cells.map(cell => (QUOTED.test(cell) || cell.includes(separator) || (cell === '' && cells.length === 1) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(separator)}\n`
