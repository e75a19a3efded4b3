export const FILE_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const
export type FileEncoding = (typeof FILE_ENCODINGS)[number]

export const HEAD_BYTES = 4_096

/** Only its byte order mark tells UTF-16. */
export const detectMark = ([first, second]: Uint8Array): FileEncoding | undefined =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined

/** Windows-1252 from 0x80 to 0x9f; below and above it is Latin-1. Some versions of Node take all of it for Latin-1. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'
const FIRST_OF_WINDOWS = 0x80

export const decodeWindows1252 = (bytes: Uint8Array): string => {
  let text = ''
  for (const byte of bytes) text += WINDOWS_1252[byte - FIRST_OF_WINDOWS] ?? String.fromCharCode(byte)
  return text
}

const NAMES: Record<FileEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

export const formatEncoding = (encoding: FileEncoding): string => NAMES[encoding]
