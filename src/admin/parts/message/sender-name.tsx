import type { StoredMessage } from 'caseworker'
import { useMessageCustomer } from '../customer/use-customer-name.ts'
import { formatSender } from './message-text.ts'

/**
 * Shows the sender of a message: the customer's name where it is known; a name that they chose at the provider may be
 * anything.
 */
export const SenderName = ({ message }: { message: StoredMessage }) =>
  useMessageCustomer(message) ?? formatSender(message)
