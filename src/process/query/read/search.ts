import { AppError, type Fault } from '../../../errors.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { listIndexedNames } from '../../../procedure/search/index-words.ts'
import { SEARCH_CHARACTERS_MAX, SEARCH_WORDS_MAX, splitSearch } from '../../../procedure/search/words.ts'
import { type Condition, lowerAscii, type QueryField } from './condition.ts'
import type { SortRequest } from './sort.ts'
import { PATTERN_CHARACTERS_MAX } from './text-match.ts'

/** The name by which a list is sorted with the best matches of a search first. */
export const RELEVANCE = 'relevance'

/**
 * A parsed search: words, which the index of words finds; or, if no attribute is searchable, the beginning of the primary
 * key, which its own index finds.
 */
export type Search = { words: readonly string[]; key?: never } | { key: Condition; words?: never }

/** Parses a search. Returns null without one. */
export function readSearch(
  search: string | undefined,
  procedure: Procedure,
  path: string,
  faults: Fault[],
): Search | null {
  if (search === undefined) return null
  const words = search.length > SEARCH_CHARACTERS_MAX ? [] : splitSearch(search)
  const { primaryKey } = procedure
  const isByKey = listIndexedNames(procedure).length === 0
  const message =
    isByKey && primaryKey === null
      ? `no attribute of ${procedure.shortId} is searchable, and it has no primary key: mark those to be searched in its definition`
      : search.length > SEARCH_CHARACTERS_MAX
        ? `a search has at most ${SEARCH_CHARACTERS_MAX} characters`
        : words.length === 0
          ? 'a search needs at least one letter or digit'
          : words.length > SEARCH_WORDS_MAX
            ? `a search has at most ${SEARCH_WORDS_MAX} words`
            : null
  if (message !== null) faults.push({ message, path })
  return isByKey && primaryKey !== null ? { key: matchKeyPrefix(primaryKey, search) } : { words }
}

/** Matches keys that begin with the text in lower or upper case. */
function matchKeyPrefix(primaryKey: string, search: string): Condition {
  const field: QueryField = { attribute: primaryKey, valueKind: 'text', elementKind: null }
  const text = [...search.trim()].slice(0, PATTERN_CHARACTERS_MAX).join('')
  const patterns = [...new Set([text, text.toUpperCase(), text.toLowerCase()].map(lowerAscii))]
  return { kind: 'text', field, operator: 'startsWith', patterns }
}

/** Refuses a search while words are being indexed: an incomplete index would miss matches, and a scan would compare differently. */
export function requireWords(procedure: Procedure): void {
  if (procedure.wordsReady === true) return
  const message = `the words of ${procedure.shortId} are still being indexed: search when \`searchReady\` is true`
  throw new AppError('conflict', message)
}

/** Tells whether a sort asks for relevance, which takes no other field beside it. */
export function readRelevance(sort: readonly SortRequest[], isSearch: boolean, path: string, faults: Fault[]): boolean {
  const at = sort.findIndex(({ field }) => field === RELEVANCE)
  if (at < 0 || !isSearch) return false
  if (sort.length > 1) faults.push({ message: `"${RELEVANCE}" is sorted by alone`, path: `${path}/${at}/field` })
  return true
}
