import type { StoredMessage } from 'caseworker'
import { unturned } from '../text/written-by-others.ts'

/** Who wrote a message that was received: the name that they chose, or their number, which an erased message has no more. */
export const formatSender = ({
  profileName,
  context: { contactIdentifier: number },
}: Pick<StoredMessage, 'profileName' | 'context'>): string =>
  unturned(profileName ?? (number === '' ? 'The customer' : `+${number}`))
