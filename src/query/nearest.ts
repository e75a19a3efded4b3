/** How many single-character edits lie between two words, each counted in lower case. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    above = current
  }
  return above[other.length] ?? 0
}

/** Longer words than this are no typing mistakes, and comparing them takes time. */
const WORD_LENGTH_MAX = 64

const plain = (word: string): string => word.toLowerCase().replaceAll(/[\s_-]/g, '')

/** The known word that was probably meant, if one is near enough: about one mistake in three characters. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > WORD_LENGTH_MAX) return undefined
  const meant = plain(word)
  let best: { word: string; far: number } | undefined
  for (const candidate of known) {
    if (candidate.length > WORD_LENGTH_MAX) continue
    const far = distance(meant, plain(candidate))
    if (far <= Math.ceil(meant.length / 3) && far < (best?.far ?? Number.POSITIVE_INFINITY))
      best = { word: candidate, far }
  }
  return best?.word
}
