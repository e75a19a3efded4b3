import { indexWords, listIndexedNames, removeWords } from '../../procedure/search/index-words.ts'
import type { Derivation } from './derived.ts'

/** The index of words. It has one row for each process, which `add` replaces with the words that are now in its column. */
export const words: Derivation = {
  sources: listIndexedNames,
  add: (procedure, _, which) => indexWords(procedure, which),
  // Words of attributes that are no longer searchable may be there until the build has removed them.
  remove: (procedure, which) => (procedure.wordsReady === undefined ? undefined : removeWords(which)),
}
