// What the search finds. The page `/docs/search` and the dialog of `search.js` ask it.

const KIND_WEIGHTS = { operation: 4, guide: 3, error: 2, field: 0 }
const [BEFORE, AFTER] = [50, 110]

const escapedWord = word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** Of a plural the singular is looked for, too. */
const stemOf = word => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word)

/** How well a text has a word: at its beginning, at that of a word, anywhere. */
function rank(text, word, [whole, begins, anywhere]) {
  const at = text.indexOf(word)
  if (at < 0) return 0
  if (at === 0) return whole
  return new RegExp(`[^a-z0-9]${escapedWord(word)}`).test(text) ? begins : anywhere
}

function scoreOf(entry, words, phrase) {
  const [title, where, text] = [entry.title, entry.where, entry.text].map(each => each.toLowerCase())
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
function excerptOf({ text }, words) {
  const lower = text.toLowerCase()
  const at = Math.max(
    0,
    ...words
      .map(word => lower.indexOf(word))
      .filter(each => each >= 0)
      .slice(0, 1),
  )
  const begin = at <= BEFORE ? 0 : text.lastIndexOf(' ', at - BEFORE) + 1
  const end = begin + BEFORE + AFTER
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, end).trim()}${end < text.length ? ' …' : ''}`
}

/** The entries that have all words of the query, the best first. */
export function find(entries, query, limit) {
  const phrase = query.toLowerCase().trim()
  const words = phrase.split(/\s+/).filter(Boolean).map(stemOf)
  if (words.length === 0) return []
  return entries
    .map(entry => ({ entry, score: scoreOf(entry, words, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry, words) }))
}
