import type { StoredMessage } from 'caseworker'

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
