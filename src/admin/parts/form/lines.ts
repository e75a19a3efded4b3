/** A text that its line would not say: it is written as JSON, between quotes. */
const isHidden = (text: string): boolean => text.trim() !== text || /^$|^"|[\r\n]/.test(text)

/** Values as lines of a text that is edited. `valuesIn` is its inverse. */
export const linesOf = (values: readonly unknown[]): string =>
  values
    .map(value => (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')))
    .map(text => (isHidden(text) ? JSON.stringify(text) : text))
    .join('\n')

/** The texts of the lines that are not blank. */
export const valuesIn = (lines: string): string[] =>
  lines.split('\n').flatMap(line => (line.trim() === '' ? [] : [unquoted(line.trim())]))

function unquoted(line: string): string {
  if (!line.startsWith('"')) return line
  try {
    return String(JSON.parse(line))
  } catch {
    return line
  }
}
