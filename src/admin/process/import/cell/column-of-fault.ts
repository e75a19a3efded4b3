import type { Plan } from '../reading.ts'

/** Which column a fault is about, by the first place that it names; undefined: the row as a whole. */
export function findFaultColumn({ targets }: Pick<Plan, 'targets'>, fault: string): number | undefined {
  const named = targets
    .map((target, at) => ({ at, found: target === '' ? -1 : wordAt(fault, target) }))
    .filter(({ found }) => found >= 0)
  return named.sort((one, other) => one.found - other.found)[0]?.at
}

/** Where a text has a word; -1: nowhere. */
function wordAt(text: string, word: string): number {
  const isPart = (character: string | undefined) => character !== undefined && /\w/.test(character)
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + word.length])) return at
  return -1
}
