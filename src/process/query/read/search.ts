import { AppError, type Fault } from '../../../errors.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { searchableOf } from '../../../procedure/search/index-words.ts'
import { SEARCH_CHARACTERS_MAX, SEARCH_WORDS_MAX, searchedWords, wordMatch } from '../../../procedure/search/words.ts'
import type { SortRequest } from './sort.ts'

/** The field to sort by that puts first what fits a search best. */
export const RELEVANCE = 'relevance'

/** What a search looks for, as FTS5 takes it; null without a search. */
export function readSearch(
  search: string | undefined,
  procedure: Procedure,
  path: string,
  faults: Fault[],
): string | null {
  if (search === undefined) return null
  const words = search.length > SEARCH_CHARACTERS_MAX ? [] : searchedWords(search)
  const message =
    searchableOf(procedure).length === 0
      ? `no attribute of ${procedure.shortId} is searchable: mark those to be searched in its definition`
      : search.length > SEARCH_CHARACTERS_MAX
        ? `a search has at most ${SEARCH_CHARACTERS_MAX} characters`
        : words.length === 0
          ? 'a search needs at least one letter or digit'
          : words.length > SEARCH_WORDS_MAX
            ? `a search has at most ${SEARCH_WORDS_MAX} words`
            : null
  if (message !== null) faults.push({ message, path })
  return wordMatch(procedure.no, words)
}

/** An index of words with gaps would answer wrongly, and scanning would compare in another way. */
export function requireWords(procedure: Procedure): void {
  if (procedure.wordsReady === true) return
  const message = `the words of ${procedure.shortId} are still being indexed: search when \`searchReady\` is true`
  throw new AppError('conflict', message)
}

/** Whether a sort asks for relevance; with another field beside it, or without a search, that is a fault. */
export function readRelevance(sort: readonly SortRequest[], isSearch: boolean, path: string, faults: Fault[]): boolean {
  const at = sort.findIndex(({ field }) => field === RELEVANCE)
  if (at < 0 || (!isSearch && at >= 0)) return false
  if (sort.length > 1) faults.push({ message: `"${RELEVANCE}" is sorted by alone`, path: `${path}/${at}/field` })
  return true
}
