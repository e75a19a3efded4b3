/** Longer words are not compared: nobody mistypes them, and comparing them takes long. */
const WORD_LENGTH_MAX = 64
const EDITS_MAX = 5
/** The characters that one suggestion compares, so that it takes less than a millisecond however many words are known. */
const COMPARED_CHARACTERS_MAX = 30_000
const LISTED_WORDS_MAX = 20

/** Removes what is often guessed wrong, and so not compared: case, spaces, underscores and hyphens. */
const normaliseWord = (word: string): string => word.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Returns the known word that was probably meant, if one is near enough; of several, the first. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > WORD_LENGTH_MAX) return undefined
  const meant = normaliseWord(word)
  // One character of the word stays at least.
  let editsMax = Math.min(EDITS_MAX, Math.ceil(meant.length / 3), meant.length - 1)
  let charactersLeft = COMPARED_CHARACTERS_MAX
  let best: string | undefined
  for (const candidate of known) {
    if (candidate.length > WORD_LENGTH_MAX) continue
    const other = normaliseWord(candidate)
    charactersLeft -= other.length
    if (charactersLeft < 0 || editsMax < 0) break
    const edits = countEdits(meant, other, editsMax)
    if (edits > editsMax) continue
    best = candidate
    editsMax = edits - 1
  }
  return best
}

/** Makes the hint of a fault, which is computed only if the fault is reported. */
export const createHint = (word: string, known: Iterable<string>): { hint: () => string | undefined } => ({
  hint: () => {
    const meant = suggest(word, known)
    return meant === undefined ? undefined : `did you mean ${JSON.stringify(meant)}?`
  },
})

/** Something with a name for programs and one for people. */
interface NameWithId {
  shortId: string
  name: string
}

/** Which of some things was probably meant, by either name, or which there are: `there are NEW, DONE (Fertig)`. */
export function describeNamed(word: string, things: readonly NameWithId[]): string {
  const isSame = ({ shortId, name }: NameWithId): boolean => normaliseWord(shortId) === normaliseWord(name)
  const title = (thing: NameWithId): string => (isSame(thing) ? '' : ` (${thing.name})`)
  const meant =
    suggest(
      word,
      things.map(({ shortId }) => shortId),
    ) ??
    suggest(
      word,
      things.map(({ name }) => name),
    )
  const found = things.find(({ shortId }) => shortId === meant) ?? things.find(({ name }) => name === meant)
  return found
    ? `did you mean ${JSON.stringify(found.shortId)}${title(found)}?`
    : `there are ${listWords(things.map(thing => thing.shortId + title(thing)))}`
}

/** Lists words for a message: `a, b, c and 980 more`. */
export function listWords(words: readonly (string | number)[], listedMax = LISTED_WORDS_MAX): string {
  const rest = words.length - listedMax
  return rest > 0 ? `${words.slice(0, listedMax).join(', ')} and ${rest} more` : words.join(', ')
}

let above = new Uint8Array(WORD_LENGTH_MAX + 1)
let current = new Uint8Array(WORD_LENGTH_MAX + 1)

/** Counts the single-character edits between two words, up to one more than `max`. */
function countEdits(one: string, other: string, max: number): number {
  const tooMany = max + 1
  if (Math.abs(one.length - other.length) > max) return tooMany
  for (let column = 0; column <= other.length; column++) above[column] = Math.min(column, tooMany)
  for (let row = 1; row <= one.length; row++) {
    // Cells farther than `max` from the diagonal need more than `max` edits, so only the band between is computed.
    const first = Math.max(1, row - max)
    const last = Math.min(other.length, row + max)
    const code = one.charCodeAt(row - 1)
    let left = first === 1 ? Math.min(row, tooMany) : tooMany
    current[first - 1] = left
    let least = left
    for (let column = first; column <= last; column++) {
      const replaced = (above[column - 1] ?? 0) + (code === other.charCodeAt(column - 1) ? 0 : 1)
      left = Math.min(replaced, (above[column] ?? 0) + 1, left + 1, tooMany)
      current[column] = left
      if (left < least) least = left
    }
    if (last < other.length) current[last + 1] = tooMany
    if (least > max) return tooMany
    const next = above
    above = current
    current = next
  }
  return above[other.length] ?? 0
}
