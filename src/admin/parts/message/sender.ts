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
