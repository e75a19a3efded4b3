export const FILE_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type FileEncoding = (typeof FILE_ENCODINGS)[number]

export const HEAD_BYTES = 4_096

/** Only its byte order mark tells UTF-16. */
export const detectMark = ([first, second]: Uint8Array): FileEncoding | undefined =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined

/**
 * How a file is written: by its byte order mark, else UTF-8 if all of it is that, else what spreadsheets of Windows write.
 * Anything can be read as the last one, so what holds a zero byte, such as a workbook, is refused before.
 */
export async function detectEncoding(name: string, chunks: AsyncIterable<Uint8Array>): Promise<FileEncoding> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  let isFirst = true
  try {
    for await (const chunk of chunks) {
      const mark = isFirst ? detectMark(chunk) : undefined
      if (mark !== undefined) return mark
      if (isFirst && chunk.subarray(0, HEAD_BYTES).includes(0))
        throw new Error(`${name} is not a text file: save it as “CSV UTF-8”`)
      isFirst = false
      decoder.decode(chunk, { stream: true })
    }
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  }
}

/** Windows-1252 from 0x80 to 0x9f; below and above it is Latin-1. Some versions of Node take all of it for Latin-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const FIRST_OF_WINDOWS = 0x80

export const decodeWindows1252 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += WINDOWS_1252[byte - FIRST_OF_WINDOWS] ?? String.fromCharCode(byte)
  return text
}

/** The text of a file, in the pieces in which it is read. A byte order mark is left out. What is no text throws a `TypeError`. */
export async function* decodeText(
  chunks: AsyncIterable<Uint8Array>,
  encoding: FileEncoding,
): AsyncGenerator<string, void, undefined> {
  if (encoding === 'windows-1252') {
    for await (const chunk of chunks) yield decodeWindows1252(chunk)
    return
  }
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false })
  for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
  yield decoder.decode()
}

const NAMES: Record<FileEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

export const formatEncoding = (encoding: FileEncoding): string => NAMES[encoding]
