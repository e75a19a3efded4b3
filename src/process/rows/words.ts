import { indexWords, removeWords, searchableOf } from '../../procedure/search/index-words.ts'
import type { Derivation } from './derived.ts'

/** The words of searchable attributes: one row for each process, which `add` replaces with those that it has now. */
export const words: Derivation = {
  sources: searchableOf,
  add: (procedure, _, which) => indexWords(procedure, which),
  // Words of attributes that are not searchable anymore may be there until the build has removed them.
  remove: (procedure, which) => (procedure.wordsReady === undefined ? undefined : removeWords(which)),
}
