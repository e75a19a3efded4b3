import { computeDigest } from '../../http/digest.ts'
import { DAY_MS } from '../../time-units.ts'

/** What a customer wrote, as a provider's report tells of it. */
export interface ReceivedMessage {
  /** The phone number that it came to, by the provider's id. */
  sender: string
  /** The customer's number. */
  phone: string
  externalId: string
  /** What is left of the provider's id when the message is erased: it still keeps the same one from coming in again. */
  key: string
  /** By which it is found whether the customer was erased meanwhile: see `customer-record/tombstone.ts`. */
  phoneHashes: string[]
  /** The provider's word: `text`, `image`, … */
  dataType: string
  text: string
  /** When the customer wrote it. */
  at: number
  /** The provider's id of the message that it answers or reacts to. */
  context: string | null
  request: ReceivedContent
}

/** The content of a message besides its text. Both are erased together. */
export interface ReceivedContent {
  /** What the provider told under the name of the type. */
  content?: unknown
  profileName?: string
}

/** The column `received`: nothing in it is about the customer. */
export interface ReceivedColumn {
  key: string
  at: number
  /** The id of the message that it answers or reacts to, if it is one that we know. */
  inReplyTo: string | null
  /** The row number of our message that it follows: its process is that of this one. */
  after: number | null
}

/** A customer's message that names no other belongs to the last one that we sent in so many days. */
const REPLY_DAYS = 7
export const REPLY_MS_MAX = REPLY_DAYS * DAY_MS

const KEY_DIGITS = 32

/** A digest: the provider's id holds the customer's number. */
export const toReceivedKey = async (plugin: number, externalId: string): Promise<string> =>
  `erased:${(await computeDigest(`${plugin} ${externalId}`)).slice(0, KEY_DIGITS)}`
