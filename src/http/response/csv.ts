/** What a reader would take for something else, or lose, if it stood bare. */
const QUOTED = /[",\r\n]|^\s|\s$/

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A cell of CSV (RFC 4180). */
export const csvCell = (text: string): string => (QUOTED.test(text) ? quoted(text) : text)

/** The cells of one record with its end. A single empty cell is quoted: readers pass over blank lines. */
export const csvRecord = (cells: readonly string[]): string =>
  `${cells.length === 1 && cells[0] === '' ? '""' : cells.join(',')}\r\n`
