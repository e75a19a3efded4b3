/** What is no workbook that can be read, in a sentence for its sender. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError'
}

/** A part of a zip archive, as its directory has it. */
interface ZipEntry {
  method: number
  packedBytes: number
  headerAt: number
}

export type ZipDirectory = ReadonlyMap<string, ZipEntry>

const END_SIGNATURE = 0x0605_4b50
const END_BYTES = 22
const COMMENT_BYTES_MAX = 65_535
const ENTRY_SIGNATURE = 0x0201_4b50
const ENTRY_BYTES = 46
const HEADER_SIGNATURE = 0x0403_4b50
const HEADER_BYTES = 30
const STORED = 0
const DEFLATED = 8
/** A workbook has some dozen parts. */
const ENTRIES_MAX = 10_000

const viewBytes = async (file: Blob, from: number, to: number): Promise<DataView> =>
  new DataView(await file.slice(Math.max(0, from), to).arrayBuffer())

export const damaged = (): WorkbookError =>
  new WorkbookError('it is damaged: open it in a spreadsheet, and save it again')

/** The parts of an archive by their names, from the directory at its end. */
export async function readZipDirectory(file: Blob): Promise<ZipDirectory> {
  const tailAt = Math.max(0, file.size - END_BYTES - COMMENT_BYTES_MAX)
  const tail = await viewBytes(file, tailAt, file.size)
  let end = tail.byteLength - END_BYTES
  while (end >= 0 && tail.getUint32(end, true) !== END_SIGNATURE) end -= 1
  if (end < 0) throw new WorkbookError('it is no .xlsx file: save it as “Excel workbook (.xlsx)”, without a password')
  const [count, bytes, at] = [
    tail.getUint16(end + 10, true),
    tail.getUint32(end + 12, true),
    tail.getUint32(end + 16, true),
  ]
  if (count > ENTRIES_MAX || at + bytes > file.size) throw damaged()
  const directory = await viewBytes(file, at, at + bytes)
  const entries = new Map<string, ZipEntry>()
  let position = 0
  for (let nth = 0; nth < count; nth++) {
    if (position + ENTRY_BYTES > bytes || directory.getUint32(position, true) !== ENTRY_SIGNATURE) throw damaged()
    const nameBytes = directory.getUint16(position + 28, true)
    const rest = directory.getUint16(position + 30, true) + directory.getUint16(position + 32, true)
    if (position + ENTRY_BYTES + nameBytes > bytes) throw damaged()
    const name = new TextDecoder().decode(new Uint8Array(directory.buffer, position + ENTRY_BYTES, nameBytes))
    entries.set(name, {
      method: directory.getUint16(position + 10, true),
      packedBytes: directory.getUint32(position + 20, true),
      headerAt: directory.getUint32(position + 42, true),
    })
    position += ENTRY_BYTES + nameBytes + rest
  }
  return entries
}

/** The text of a part, unpacked as it is read. What it says of its size is not believed: what comes out is counted. */
export async function* readZipText(
  file: Blob,
  entry: ZipEntry,
  bytesMax: number,
): AsyncGenerator<string, void, undefined> {
  const header = await viewBytes(file, entry.headerAt, entry.headerAt + HEADER_BYTES)
  if (header.byteLength < HEADER_BYTES || header.getUint32(0, true) !== HEADER_SIGNATURE) throw damaged()
  const from = entry.headerAt + HEADER_BYTES + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = file.slice(from, from + entry.packedBytes).stream()
  if (entry.method !== STORED && entry.method !== DEFLATED) throw damaged()
  const stream = entry.method === STORED ? packed : packed.pipeThrough(new DecompressionStream('deflate-raw'))
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      bytes += value.byteLength
      if (bytes > bytesMax)
        throw new WorkbookError(`more than ${bytesMax / 1_000_000} MB are packed in it: save the sheet as “CSV UTF-8”`)
      yield decoder.decode(value, { stream: true })
    }
    yield decoder.decode()
  } catch (error) {
    throw error instanceof WorkbookError ? error : damaged()
  } finally {
    await reader.cancel().catch(() => {})
  }
}
