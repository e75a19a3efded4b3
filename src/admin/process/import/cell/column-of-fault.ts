import type { Plan } from '../reading.ts'

/** Finds the column of a fault by the first target or heading that it names; undefined for a fault of the whole row. */
export function findFaultColumn(
  { targets, header }: Pick<Plan, 'targets' | 'header'>,
  fault: string,
): number | undefined {
  const named = targets
    .flatMap((target, at) => [target, header[at] ?? ''].map(name => ({ at, found: findWord(fault, name) })))
    .filter(({ found }) => found >= 0)
  return named.sort((one, other) => one.found - other.found)[0]?.at
}

/** Finds the position of a whole word in a text, or -1. */
function findWord(text: string, word: string): number {
  if (word === '') return -1
  const isPart = (character: string | undefined) => character !== undefined && /\w/.test(character)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return at
  return -1
}
