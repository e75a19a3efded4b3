import { getDeclaredAttributes } from '../../../procedure/declared.ts'
import type { Procedure } from '../../../procedure/model.ts'
import { suggest } from '../../../suggest.ts'
import type { Condition, QueryField, QueryRoot, TextOperator } from './condition.ts'
import { lowerAscii, MATCH_ALL } from './condition.ts'
import { appendPointer, type ComparedField, type FilterContext } from './filter-context.ts'
import { shortenName } from './shortened.ts'

/** The length of a pattern. At worst, a search takes its length times that of the value. */
export const PATTERN_CHARACTERS_MAX = 100
/** The length of all texts of `contains` in a filter: each is compared at each character of the values. */
export const CONTAINED_CHARACTERS_MAX = 1_000
/** As many patterns as a filter may have conditions. */
export const PATTERNS_PER_LIST_MAX = 64

/** Matches NUL, which ends a text in C, and lone surrogates: SQLite reads them in more than one way. */
const UNSEARCHABLE = /[\0\ud800-\udfff]/u

const VERBS: Record<TextOperator, string> = { startsWith: 'starts with', contains: 'contains' }

/** Reads `startsWith` and `contains`: one text, or a list of which any may match. Each text counts as a condition. */
export function readTextMatch(
  { field, key, path }: ComparedField,
  operator: TextOperator,
  side: unknown,
  context: FilterContext,
): Condition {
  const items: unknown[] = Array.isArray(side) ? side : [side]
  const refusal = findRefusal(field, key, operator)
  if (items.length > PATTERNS_PER_LIST_MAX) {
    context.fail(
      path,
      `"${operator}" takes at most ${PATTERNS_PER_LIST_MAX} texts, each of which counts as a condition`,
    )
    return MATCH_ALL
  }
  if (refusal !== null) {
    context.count()
    context.fail(path, refusal)
    return MATCH_ALL
  }
  if (items.length === 0) context.count()
  const isPhone = isPhoneNumber(field, context.procedure)
  const patterns = items.flatMap((item, index) => {
    context.count()
    const fault = findFault(item, operator)
    if (fault !== null) context.fail(Array.isArray(side) ? appendPointer(path, index) : path, ...fault)
    const pattern = lowerAscii(String(item))
    return isPhone ? listPhoneForms(pattern, operator) : [pattern]
  })
  if (operator === 'contains' && field.root === undefined && !patterns.every(each => context.mayContain(each)))
    context.fail(path, TOO_MUCH_CONTAINED)
  if (field.root === 'state') return matchStates(operator, patterns, path, context)
  return { kind: 'text', field, operator, patterns: removeImplied(patterns, operator) }
}

const isPhoneNumber = (field: QueryField, procedure: Procedure): boolean =>
  field.root === undefined && getDeclaredAttributes(procedure).get(field.attribute)?.type === 'phone'

/** Returns both forms of a part of a number: as it was sent, for values that are older than the type, and as `data` stores it. */
function listPhoneForms(part: string, operator: TextOperator): string[] {
  const digits = /^[\d\s+()./-]+$/.test(part) ? part.replace(/\D/g, '') : ''
  const stored = operator === 'startsWith' ? digits.replace(/^00/, '') : digits
  return stored === '' ? [part] : [part, stored]
}

const TOO_MUCH_CONTAINED = `the texts of all "contains" of a filter may have at most ${CONTAINED_CHARACTERS_MAX} characters together`

/** Returns the message for a field that has no text to search. */
function findRefusal(field: QueryField, key: string, operator: TextOperator): string | null {
  if (field.root === undefined) {
    const kind = field.elementKind ?? field.valueKind
    if (kind === 'number') return `"${key}" is a number: ${operator} compares text`
    return kind === 'boolean' ? `"${key}" is true or false: ${operator} compares text` : null
  }
  return takesText(field.root) ? null : `"${key}" does not take ${operator}: it applies to attributes and to "state"`
}

const takesText = (root: QueryRoot): boolean => root === 'state'

function findFault(item: unknown, operator: TextOperator): [message: string, hint?: string] | null {
  if (typeof item === 'number')
    return [`"${operator}" compares with text, ${item} is a number`, JSON.stringify(`${item}`)]
  if (typeof item !== 'string') return [`"${operator}" compares with one text, or a list of texts`]
  if (item === '') return [`"${operator}" needs at least one character: every text ${VERBS[operator]} an empty one`]
  if ([...item].length > PATTERN_CHARACTERS_MAX)
    return [`"${operator}" compares with at most ${PATTERN_CHARACTERS_MAX} characters`]
  return UNSEARCHABLE.test(item) ? [`"${operator}" cannot compare with half a character or U+0000`] : null
}

/** Finds the states that match: their names are known, so no process is read for them. */
function matchStates(operator: TextOperator, patterns: string[], path: string, context: FilterContext): Condition {
  const states = listMatchingStates(operator, patterns, context.procedure)
  if (states.length === 0 && patterns.length > 0) {
    const [first = ''] = patterns
    const { shortId, states: known } = context.procedure
    const names = known.map(state => state.shortId)
    const message = `no state of ${shortId} ${VERBS[operator]} ${JSON.stringify(shortenName(first))}`
    context.fail(path, message, () => suggest(first, names))
  }
  return { kind: 'equal', field: { root: 'state' }, values: states, unset: false, negated: false }
}

const listMatchingStates = (operator: TextOperator, patterns: string[], { states }: Procedure): string[] =>
  states
    .map(({ shortId }) => shortId)
    .filter(state => patterns.some(pattern => isHeld(operator, lowerAscii(state), pattern)))

const HOLDS: Record<TextOperator, (text: string, pattern: string) => boolean> = {
  startsWith: (text, pattern) => text.startsWith(pattern),
  contains: (text, pattern) => text.includes(pattern),
}
const isHeld = (operator: TextOperator, text: string, pattern: string): boolean => HOLDS[operator](text, pattern)

/** Removes patterns whose matches another pattern finds as well. No text begins with two of the prefixes that remain. */
const removeImplied = (patterns: string[], operator: TextOperator): string[] =>
  [...new Set(patterns)].filter(
    (pattern, _, all) => !all.some(other => other !== pattern && isHeld(operator, pattern, other)),
  )
