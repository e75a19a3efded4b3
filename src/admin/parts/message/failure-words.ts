interface Failure {
  code?: unknown
  title?: unknown
  advice?: unknown
}

const toSentence = (words: unknown): string =>
  typeof words === 'string' && words !== ''
    ? `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`
    : ''

/** Explains why a message failed and what to do: the provider's title and the advice, as sentences. */
export const formatFailure = ({ code, title, advice }: Failure): string =>
  [toSentence(title), toSentence(advice)].filter(Boolean).join(' ') || `Code ${code}`
