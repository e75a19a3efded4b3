/** How many rows decide about the widths of the columns. Later rows are printed as they come. */
export const TABLE_SAMPLE_ROWS = 100
const GAP = '  '
const CELL_WIDTH_MAX = 40
const [BOLD, PLAIN] = ['\u001b[1m', '\u001b[22m']

const lengthOf = (text: string): number => [...text].length
/** Control characters would break the line, or change the terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
const inOneLine = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')

const fitted = (text: string, width: number): string => {
  const letters = [...inOneLine(text)]
  return letters.length > width ? `${letters.slice(0, width - 1).join('')}…` : letters.join('')
}

export interface Layout {
  line: (cells: readonly string[]) => string
  heading: string
}

/** Lays a table out for its first rows. Columns that do not fit into the width are left out, from the right. */
export function layoutOf(
  columns: readonly string[],
  sample: readonly (readonly string[])[],
  { width, hasColor }: { width: number; hasColor: boolean },
): Layout {
  const widths = columns.map((column, at) =>
    Math.min(CELL_WIDTH_MAX, Math.max(lengthOf(column), ...sample.map(cells => lengthOf(inOneLine(cells[at] ?? ''))))),
  )
  let shown = widths.length
  const total = () => widths.slice(0, shown).reduce((sum, each) => sum + each + GAP.length, -GAP.length)
  while (shown > 1 && total() > width) shown -= 1
  const line = (cells: readonly string[]): string =>
    widths
      .slice(0, shown)
      .map((each, at) => padded(fitted(cells[at] ?? '', each), each))
      .join(GAP)
      .trimEnd()
  const heading = line(columns)
  return { line, heading: hasColor ? `${BOLD}${heading}${PLAIN}` : heading }
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - lengthOf(text)))
