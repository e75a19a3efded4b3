/** Matches text that a reader would misread or trim without quotes. */
const QUOTED = /[",\r\n]|^\s|\s$/

const quote = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** Formats a cell of CSV (RFC 4180). */
export const formatCsvCell = (text: string): string => (QUOTED.test(text) ? quote(text) : text)

/** Formats one record with its end. A single empty cell is quoted, because readers pass over blank lines. */
export const formatCsvRecord = (cells: readonly string[]): string =>
  `${cells.length === 1 && cells[0] === '' ? '""' : cells.join(',')}\r\n`
