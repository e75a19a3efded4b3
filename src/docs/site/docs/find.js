// What the search finds among the entries of `search.json`.

const KIND_WEIGHTS = { operation: 4, guide: 3, error: 2, field: 0 }
const [BEFORE, AFTER] = [50, 110]

const escapedWord = word => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** A plural is looked for by its singular, too. */
const stem = word => (word.length > 4 && word.endsWith('s') ? word.slice(0, -1) : word)

/** The different words of a query, each with what finds it at the beginning of a word. */
const splitWords = phrase =>
  [...new Set(phrase.split(/\s+/).filter(Boolean).map(stem))].map(word => ({
    ...{ word, beginning: new RegExp(`[^a-z0-9]${escapedWord(word)}`) },
  }))

/** The texts of each entry in small letters, made when it is first searched. */
const lowerCase = new WeakMap()
function getLowerCase(entry) {
  const known = lowerCase.get(entry)
  if (known) return known
  const texts = [entry.title, entry.where, entry.text].map(each => each.toLowerCase())
  lowerCase.set(entry, texts)
  return texts
}

/** How well a text has a word: at its beginning, at that of a word, anywhere. */
function rank(text, { word, beginning }, [whole, begins, anywhere]) {
  const at = text.indexOf(word)
  if (at < 0) return 0
  if (at === 0) return whole
  return beginning.test(text) ? begins : anywhere
}

function rateEntry(entry, words, phrase) {
  const [title, where, text] = getLowerCase(entry)
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
function cutExcerpt(entry, [first]) {
  const { text } = entry
  const at = Math.max(0, getLowerCase(entry)[2].indexOf(first.word))
  const begin = at <= BEFORE ? 0 : text.lastIndexOf(' ', at - BEFORE) + 1
  const end = begin + BEFORE + AFTER
  return `${begin > 0 ? '… ' : ''}${text.slice(begin, end).trim()}${end < text.length ? ' …' : ''}`
}

/** The entries that have all words of the query, the best first. */
export function find(entries, query, limit) {
  const phrase = query.toLowerCase().trim()
  const words = splitWords(phrase)
  if (words.length === 0) return []
  return entries
    .map(entry => ({ entry, score: rateEntry(entry, words, phrase) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ entry }) => ({ ...entry, excerpt: cutExcerpt(entry, words) }))
}
