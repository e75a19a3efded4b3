const CHARACTERS_MAX = 60
/** What changes how a terminal or a page shows what follows: controls, and marks of the direction. */
const INVISIBLE = /[\p{Cc}\p{Cf}]/gu

const escapeInvisible = (character: string): string =>
  `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`

/** What stood somewhere, for a message: in quotes as in JSON, shortened, and safe to print. */
export function quoteValue(value: unknown): string {
  if (typeof value !== 'string')
    return shorten(JSON.stringify(value) ?? 'nothing').replaceAll(INVISIBLE, escapeInvisible)
  return JSON.stringify(shorten(value)).replaceAll(INVISIBLE, escapeInvisible)
}

/** `"score" must be a number, not "many"`: what a sentence says that something must be, and what it was. */
export const addRefused = (sentence: string, value: unknown): string => `${sentence}${REFUSED}${quoteValue(value)}`

const REFUSED = ', not '

const PLACE = /(?: in JSON)? at position (\d+)(?: \(line \d+ column \d+\))?/

/** Why a line is no JSON, and at which of its characters: the runtime's words, without a line of their own. */
export function describeJsonError(error: unknown): string {
  const message = error instanceof Error ? error.message : 'it cannot be parsed'
  return `it is not JSON: ${message.replace(PLACE, (_, position) => ` at character ${Number(position) + 1}`)}`
}

/** Parts a message of `addRefused` into the sentence and what was refused, with what follows it; undefined for another message. */
export function splitRefused(message: string): { sentence: string; refused: string } | undefined {
  const at = message.indexOf(REFUSED)
  return at < 0 ? undefined : { sentence: message.slice(0, at), refused: message.slice(at + REFUSED.length) }
}

/** It never ends in half of a character. */
function shorten(text: string): string {
  if (text.length <= CHARACTERS_MAX) return text
  return `${text.slice(0, CHARACTERS_MAX).replace(/[\ud800-\udbff]$/, '')}…`
}

/** What a sentence begins with. Within a value that is quoted, a quotation mark has a backslash before it. */
const BEGINNING = /(^|; )("(?:[^"\\]|\\.)*")(?= )/g

/** Sentences that begin with what a column is, and are joined by semicolons, with what the sender calls it. */
export const nameAsHeading = (sentences: string, columns: readonly { name: string; target: string }[]): string =>
  sentences.replaceAll(BEGINNING, (all, before: string, quoted: string) => {
    const column = columns.find(({ target }) => JSON.stringify(target) === quoted)
    return column === undefined ? all : before + JSON.stringify(column.name)
  })
