// What the search finds. The page `/docs/search` and the dialog of `search.js` ask it.

const KIND_WEIGHTS = { operation: 4, guide: 3, error: 2, field: 0 }
const [BEFORE, AFTER] = [50, 110]

/** Whoever asks, a query costs no more than this many characters and different words. */
export const QUERY_CHARACTERS_MAX = 200
const QUERY_WORDS_MAX = 10

const escapedWord = word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Of a plural the singular is looked for, too. */
const stemOf = word => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word)

/** The different words of a query, each with what finds it at the beginning of a word. */
const wordsOf = phrase =>
  [...new Set(phrase.split(/\s+/).filter(Boolean).map(stemOf))]
    .slice(0, QUERY_WORDS_MAX)
    .map(word => ({ word, beginning: new RegExp(`[^a-z0-9]${escapedWord(word)}`) }))

/** The texts of each entry in small letters, made when it is first searched. */
const lowered = new WeakMap()
function loweredOf(entry) {
  const known = lowered.get(entry)
  if (known) return known
  const texts = [entry.title, entry.where, entry.text].map(each => each.toLowerCase())
  lowered.set(entry, texts)
  return texts
}

/** How well a text has a word: at its beginning, at that of a word, anywhere. */
function rank(text, { word, beginning }, [whole, begins, anywhere]) {
  const at = text.indexOf(word)
  if (at < 0) return 0
  if (at === 0) return whole
  return beginning.test(text) ? begins : anywhere
}

function scoreOf(entry, words, phrase) {
  const [title, where, text] = loweredOf(entry)
  let score = KIND_WEIGHTS[entry.kind] ?? 0
  for (const word of words) {
    const best = rank(title, word, [14, 12, 7]) || rank(where, word, [5, 5, 3]) || rank(text, word, [3, 3, 1])
    if (best === 0) return 0
    score += best
  }
  if (title === phrase) score += 40
  else if (words.length > 1 && title.includes(phrase)) score += 12
  else if (words.length > 1 && text.includes(phrase)) score += 6
  return score
}

/** The part of the text around the first word, for the list of results. */
function excerptOf(entry, [first]) {
  const { text } = entry
  const at = Math.max(0, loweredOf(entry)[2].indexOf(first.word))
  const begin = at <= BEFORE ? 0 : text.lastIndexOf(' ', at - BEFORE) + 1
  const end = begin + BEFORE + AFTER
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, end).trim()}${end < text.length ? ' …' : ''}`
}

/** The entries that have all words of the query, the best first. What is beyond its bounds is not looked for. */
export function find(entries, query, limit) {
  const phrase = query.slice(0, QUERY_CHARACTERS_MAX).toLowerCase().trim()
  const words = wordsOf(phrase)
  if (words.length === 0) return []
  return entries
    .map(entry => ({ entry, score: scoreOf(entry, words, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry, words) }))
}
