const SEPARATORS = [',', ';', '\t']
const QUOTED = /"[^"]*"/g
/** The first line that is not blank. A quoted cell may have line ends in it. */
const HEADER = /(?:"[^"]*"|[^"\r\n])+/

/** The one that the header has most of, outside of its quotes. Spreadsheets of some countries write semicolons. */
export function separatorIn(head: string): string {
  const header = HEADER.exec(head)?.[0].replaceAll(QUOTED, '') ?? ''
  const counts = SEPARATORS.map(separator => header.split(separator).length)
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ','
}

/** Spreadsheets write rows of separators alone below what they hold. */
export const isEmptyRow = ({ cells }: { cells: readonly string[] }): boolean => cells.every(cell => cell.trim() === '')
