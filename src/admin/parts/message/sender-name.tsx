import type { StoredMessage } from 'caseworker'
import { useMessageCustomer } from '../customer/use-customer-name.ts'
import { formatSender } from './sender.ts'

/** Who wrote a message: the customer's name where it is known; the one that they chose at the provider may be anything. */
export const SenderName = ({ message }: { message: StoredMessage }) =>
  useMessageCustomer(message) ?? formatSender(message)
