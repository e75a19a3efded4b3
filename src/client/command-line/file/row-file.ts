import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { UsageError } from '../command/usage-error.ts'

export const FILE_FORMATS = ['csv', 'ndjson'] as const
export type FileFormat = (typeof FILE_FORMATS)[number]

export interface FileForm {
  /** The byte order mark, by which Excel reads UTF-8; or empty. */
  mark: string
  lineEnd: '\n' | '\r\n'
}

/** A file of rows that can be read several times. */
export interface RowFile {
  /** As it was given, for messages. */
  name: string
  format: FileFormat
  /** The text in chunks. */
  text: () => AsyncGenerator<string, void, undefined>
  /** How the file begins and ends its lines, for a file that is to look like it. */
  form: () => Promise<FileForm>
  /** Removes what was stored. */
  close: () => Promise<void>
}

/** `-` is standard input. It is stored in a file, because rows are read again: checked first, and found if they failed. */
export async function openRowFile(name: string, chosen: FileFormat | undefined): Promise<RowFile> {
  const format = chosen ?? formatOf(name)
  if (name !== '-')
    return { name, format, text: () => textOf(name, name), form: () => formOf(name), close: async () => {} }
  const folder = await mkdtemp(path.join(tmpdir(), 'caseworker-'))
  const stored = path.join(folder, 'input')
  await pipeline(process.stdin, createWriteStream(stored, { mode: 0o600 }))
  return {
    name: 'standard input',
    format,
    text: () => textOf(stored, 'standard input'),
    form: () => formOf(stored),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

function formatOf(name: string): FileFormat {
  if (/\.csv$/i.test(name)) return 'csv'
  if (/\.(ndjson|jsonl)$/i.test(name)) return 'ndjson'
  throw new UsageError(`${name} is neither .csv nor .ndjson: use --format csv or --format ndjson`)
}

async function* textOf(file: string, name: string): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  try {
    for await (const chunk of createReadStream(file)) yield decoder.decode(chunk as Buffer, { stream: true })
    yield decoder.decode()
  } catch (error) {
    const reason =
      error instanceof TypeError ? 'it is not text in UTF-8' : String(error instanceof Error ? error.message : error)
    throw new UsageError(`${name} cannot be read: ${reason}`)
  }
}

const FORM_BYTES_READ = 65_536
const BYTE_ORDER_MARK = '\ufeff'

/** Told by the first bytes. `textOf` decodes the mark away. */
async function formOf(file: string): Promise<FileForm> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FORM_BYTES_READ), 0, FORM_BYTES_READ, 0)
    const head = buffer.toString('utf8', 0, bytesRead)
    const lineEnd = /^[^\n]*\r\n/.test(head) ? '\r\n' : '\n'
    return { mark: head.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '', lineEnd }
  } finally {
    await handle.close()
  }
}
