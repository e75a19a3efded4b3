import type { StoredMessage } from 'caseworker'

/** What is read of a message in a line: its text, or what kind it is. */
export function formatMessage({
  text,
  dataType,
  context,
}: Pick<StoredMessage, 'text' | 'dataType' | 'context'>): string {
  if (text !== '') return text
  if (context.contactIdentifier === '') return 'Erased with its customer'
  return dataType.charAt(0).toUpperCase() + dataType.slice(1)
}
