export type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252'

const HEAD_BYTES = 4_096

const marked = ([first, second]: Uint8Array): FileEncoding | undefined =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : undefined

/**
 * How a file is written: by its byte order mark, else UTF-8 if all of it is that, else what spreadsheets of Windows write.
 * Anything can be read as the last one, so what holds a zero byte, such as a workbook, is refused before.
 */
export async function encodingOf(file: File): Promise<FileEncoding> {
  const head = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const mark = marked(head)
  if (mark !== undefined) return mark
  if (head.includes(0)) throw new Error(`${file.name} is not a text file: save it as “CSV UTF-8”`)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const reader = file.stream().getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      decoder.decode(value, { stream: true })
    }
    decoder.decode()
    return 'utf-8'
  } catch (error) {
    if (error instanceof TypeError) return 'windows-1252'
    throw error
  } finally {
    reader.releaseLock()
  }
}

const WORDS: Record<FileEncoding, string> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
}

export const encodingWords = (encoding: FileEncoding): string => WORDS[encoding]
