import type { StoredMessage } from 'caseworker'
import { stripBidi } from '../text/strip-bidi.ts'

/**
 * Returns the sender of a received message: the name that they chose, or their number, which an erased message has no
 * more.
 */
export const formatSender = ({
  profileName,
  context: { contactIdentifier: number },
}: Pick<StoredMessage, 'profileName' | 'context'>): string =>
  stripBidi(profileName ?? (number === '' ? 'The customer' : `+${number}`))

/** Returns a message in a line: its text, or its kind. */
export function formatMessage({
  text,
  dataType,
  context,
}: Pick<StoredMessage, 'text' | 'dataType' | 'context'>): string {
  if (text !== '') return text
  if (context.contactIdentifier === '') return 'Erased with its customer'
  return dataType.charAt(0).toUpperCase() + dataType.slice(1)
}

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
