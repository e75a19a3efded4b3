import { utf8Bytes } from '../../bytes.ts'
import { AppError } from '../../errors.ts'
import { tooDeep } from '../../http/request/levels.ts'
import { encodeEntry } from '../chunk.ts'
import { ENTRY_BYTES_MAX, type Entry, failureOf } from '../entry.ts'

interface EncodedEntry {
  text: string
  bytes: number
  isInvalid: boolean
}

/** An entry as it is stored; one that can't be stored is INVALID. */
export function encodeForChunk(entry: Entry): EncodedEntry {
  try {
    const text = encodeEntry(entry)
    const bytes = utf8Bytes(text)
    if (bytes <= ENTRY_BYTES_MAX) return { text, bytes, isInvalid: entry.invalid !== undefined }
    return encodeRefused(entry, tooLong(bytes))
  } catch (error) {
    // The stack of the runtime ends some thousand levels down.
    if (error instanceof RangeError) return encodeRefused(entry, 'the entry is nested too deeply')
    throw error
  }
}

const tooLong = (bytes: number) => `an entry holds at most ${ENTRY_BYTES_MAX} bytes, this one has ${bytes}`

const refusedEntry = (apiType: string, message: string): Entry => ({
  apiType,
  apiData: {},
  invalid: failureOf(new AppError('request_too_large', [{ message, path: '/body' }])),
})

/** An item that is so large that it was not held in memory. */
export const tooLargeEntry = (apiType: string, bytes: number): Entry => refusedEntry(apiType, tooLong(bytes))

/** An item that is nested so deeply that neither the database nor a response has room for it: its data is not kept. */
export const tooDeepEntry = (apiType: string): Entry => ({
  ...{ apiType, apiData: {} },
  invalid: failureOf(tooDeep('/body')),
})

function encodeRefused({ apiType }: Entry, message: string): EncodedEntry {
  const text = encodeEntry(refusedEntry(apiType, message))
  return { text, bytes: utf8Bytes(text), isInvalid: true }
}
