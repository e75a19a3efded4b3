import * as z from 'zod'
import type { MessageRow } from '../ledger/statements.ts'
import type { ReceivedContent } from './message.ts'

/** The types of messages that have a file. */
const TYPES_WITH_FILE = ['image', 'video', 'audio', 'voice', 'document', 'sticker']

const text = z.string().nullable().default(null).catch(null)
const File = z.object({ id: z.string().regex(/^[\w-]{1,100}$/), mime_type: text, filename: text, sha256: text })

/** The file of a message that a customer wrote; null without one. The provider has it, by its id. */
export function getMedia({ received, dataType, request }: Pick<MessageRow, 'received' | 'dataType' | 'request'>) {
  if (received === null || !TYPES_WITH_FILE.includes(dataType)) return null
  const { data } = File.safeParse((request as ReceivedContent).content)
  return data ? { id: data.id, mimeType: data.mime_type, filename: data.filename, sha256: data.sha256 } : null
}
