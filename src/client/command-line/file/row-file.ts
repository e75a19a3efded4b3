import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { detectSeparator } from '../../import-file/csv.ts'
import { decodeText, detectEncoding, type FileEncoding, formatEncoding } from '../../import-file/encoding.ts'
import { UsageError } from '../command/usage-error.ts'

export const FILE_FORMATS = ['csv', 'ndjson'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export interface FileForm {
  /** The byte order mark, by which Excel reads UTF-8; or empty. */
  mark: string
  lineEnd: '\n' | '\r\n'
}

/** How a file is written; what is undefined is found out. */
export interface ChosenForm {
  format: FileFormat | undefined
  encoding: FileEncoding | undefined
  separator: string | undefined
}

/** A file of rows that can be read several times. */
export interface RowFile {
  /** As it was given, for messages. */
  name: string
  format: FileFormat
  encoding: FileEncoding
  /** What stands between the cells of a CSV file. */
  separator: string
  /** The text in chunks. */
  text: () => AsyncGenerator<string, void, undefined>
  /** How the file begins and ends its lines, for a file that is to look like it. */
  form: () => Promise<FileForm>
  /** Removes what was stored. */
  close: () => Promise<void>
}

/** `-` is standard input. It is stored in a file, because rows are read again: checked first, and found if they failed. */
export async function openRowFile(name: string, chosen: ChosenForm): Promise<RowFile> {
  const format = chosen.format ?? formatOf(name)
  if (name !== '-') return rowFile(name, name, { ...chosen, format })
  const folder = await mkdtemp(path.join(tmpdir(), 'caseworker-'))
  const close = () => rm(folder, { recursive: true, force: true })
  const stored = path.join(folder, 'input')
  try {
    await pipeline(process.stdin, createWriteStream(stored, { mode: 0o600 }))
    return { ...(await rowFile(stored, 'standard input', { ...chosen, format })), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function rowFile(file: string, name: string, chosen: ChosenForm & { format: FileFormat }): Promise<RowFile> {
  const { format } = chosen
  const encoding = chosen.encoding ?? (format === 'csv' ? await encodingIn(file, name) : 'utf-8')
  const text = () => textOf(file, name, encoding)
  const separator = chosen.separator ?? (format === 'csv' ? await separatorOf(text()) : ',')
  return { name, format, encoding, separator, text, form: () => formOf(file, encoding), close: async () => {} }
}

async function encodingIn(file: string, name: string): Promise<FileEncoding> {
  try {
    return await detectEncoding(name, createReadStream(file))
  } catch (error) {
    throw new UsageError(`${name} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
}

/** The header is in the first piece of a file. */
async function separatorOf(text: AsyncGenerator<string, void, undefined>): Promise<string> {
  for await (const piece of text) return detectSeparator(piece)
  return ','
}

function formatOf(name: string): FileFormat {
  if (/\.csv$/i.test(name)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  throw new UsageError(`${name} is neither .csv nor .ndjson: use --format csv or --format ndjson`)
}

async function* textOf(file: string, name: string, encoding: FileEncoding): AsyncGenerator<string, void, undefined> {
  try {
    yield* decodeText(createReadStream(file), encoding)
  } catch (error) {
    const reason =
      error instanceof TypeError
        ? `it is not text in ${formatEncoding(encoding)}`
        : String(error instanceof Error ? error.message : error)
    throw new UsageError(`${name} cannot be read: ${reason}`)
  }
}

const FORM_BYTES_READ = 65_536
const BYTE_ORDER_MARK = '\ufeff'

/** Told by the first bytes. `textOf` decodes the mark away. What is not UTF-8 gets a copy that is, and that Excel reads as such. */
async function formOf(file: string, encoding: FileEncoding): Promise<FileForm> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FORM_BYTES_READ), 0, FORM_BYTES_READ, 0)
    const head = buffer.toString('utf8', 0, bytesRead).replaceAll('\0', '')
    const lineEnd = /^[^\n]*\r\n/.test(head) ? '\r\n' : '\n'
    const isMarked = encoding !== 'utf-8' || head.startsWith(BYTE_ORDER_MARK)
    return { mark: isMarked ? BYTE_ORDER_MARK : '', lineEnd }
  } finally {
    await handle.close()
  }
}
