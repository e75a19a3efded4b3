/** A body may have hundreds of words to be compared with hundreds: comparing longer ones would take seconds. */
const WORD_LENGTH_MAX = 64

/** What still counts as a typing mistake. */
interface Leniency {
  /** What of a word is compared. */
  plain: (word: string) => string
  /** How many single-character edits are forgiven in a word of this length. */
  editsMax: (length: number) => number
}

/** For the members and values of a body: a wrong hint is worse than none. */
export const STRICT: Leniency = {
  plain: word => word.toLowerCase(),
  editsMax: length => Math.max(1, Math.floor(length / 3)),
}

/** For queries, which are also written by hand: spaces, underscores and hyphens are often guessed. */
export const LENIENT: Leniency = {
  plain: word => word.toLowerCase().replaceAll(/[\s_-]/g, ''),
  editsMax: length => Math.ceil(length / 3),
}

/** The known word that was probably meant, if one is near enough; of several, the first. */
export function nearest(word: string, known: readonly string[], leniency: Leniency): string | undefined {
  const { plain } = leniency
  if (word.length > WORD_LENGTH_MAX) return undefined
  const meant = plain(word)
  let best: string | undefined
  let farMax = leniency.editsMax(meant.length)
  for (const candidate of known) {
    const other = plain(candidate)
    // Words are at least as far apart as their lengths, so most need no comparing.
    if (candidate.length > WORD_LENGTH_MAX || Math.abs(other.length - meant.length) > farMax) continue
    const far = distance(meant, other, farMax)
    if (far > farMax) continue
    best = candidate
    farMax = far - 1
  }
  return best
}

/** How many single-character edits lie between two words; said to be infinitely many as soon as they are too many. */
function distance(one: string, other: string, max: number): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    if (Math.min(...current) > max) return Number.POSITIVE_INFINITY
    above = current
  }
  return above[other.length] ?? 0
}
