import { joinBytes } from '../../bytes.ts'
import { invalid } from '../../errors.ts'
import type { StreamedBody } from './streamed-body.ts'

/** A part of a form. Its content is read, or passed over, before the next part is requested. */
export interface FormPart {
  name: string
  /** Null if the part is a text, not a file. */
  filename: string | null
  /** Reads the next bytes of the content; undefined at its end. */
  read: () => Promise<Uint8Array | undefined>
}

/** The size of the headers of one part. */
const PART_HEAD_BYTES_MAX = 16 * 1024
const CR = 0x0d
const [LINE_END, HEAD_END] = ['\r\n', '\r\n\r\n'].map(text => new TextEncoder().encode(text)) as [
  Uint8Array,
  Uint8Array,
]
const CLOSING = new TextEncoder().encode('--')

const malformedFormError = () =>
  invalid([{ message: 'the body is not well-formed multipart/form-data', path: '/body' }])

/** Reads the parts of a form (RFC 7578) one after the other while the body comes in. Returns undefined after the last one. */
export function readForm(body: StreamedBody, contentType: string): () => Promise<FormPart | undefined> {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? bare
  if (boundary === undefined) throw malformedFormError()
  const delimiter = new TextEncoder().encode(`\r\n--${boundary}`)
  // The first delimiter may stand at the very beginning.
  let buffer: Uint8Array = LINE_END
  let inPart = true
  let isOver = false

  async function readMore(): Promise<void> {
    const piece = await body.next()
    if (piece === undefined) throw malformedFormError()
    buffer = buffer.length === 0 ? piece : joinBytes([buffer, piece])
  }

  function take(bytes: number): Uint8Array {
    const taken = buffer.subarray(0, bytes)
    buffer = buffer.subarray(bytes)
    return taken
  }

  /** Reads bytes before the next delimiter; undefined after the delimiter. */
  async function readContent(): Promise<Uint8Array | undefined> {
    while (inPart) {
      const at = findIndex(buffer, delimiter)
      if (at > 0) return take(at)
      if (at === 0) {
        take(delimiter.length)
        inPart = false
      } else if (buffer.length >= delimiter.length) return take(buffer.length - delimiter.length + 1)
      else await readMore()
    }
    return undefined
  }

  async function readHead(): Promise<string> {
    for (;;) {
      const end = findIndex(buffer, HEAD_END)
      if (end >= 0) return new TextDecoder().decode(take(end + HEAD_END.length))
      if (buffer.length > PART_HEAD_BYTES_MAX) throw malformedFormError()
      await readMore()
    }
  }

  return async () => {
    while ((await readContent()) !== undefined);
    if (isOver) return undefined
    while (buffer.length < CLOSING.length) await readMore()
    if (findIndex(buffer.subarray(0, CLOSING.length), CLOSING) === 0) {
      isOver = true
      return undefined
    }
    const head = await readHead()
    const disposition = /^content-disposition:\s*form-data\s*(;.*)$/im.exec(head)?.[1] ?? ''
    const name = findParameter(disposition, 'name')
    if (name === null) throw malformedFormError()
    inPart = true
    return { name, filename: findParameter(disposition, 'filename'), read: readContent }
  }
}

/** Finds a parameter as browsers write it: quotes in a name are escaped, with a percent sign or a backslash. */
function findParameter(disposition: string, name: string): string | null {
  const [, quoted, bare] =
    new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(disposition) ?? []
  if (quoted === undefined) return bare ?? null
  return quoted.replace(/\\(.)/g, '$1').replace(/%22/g, '"').replace(/%0D/gi, '\r').replace(/%0A/gi, '\n')
}

/** Finds the index of a sequence that begins with CR, or is short, in some bytes; -1 if it is not there. */
function findIndex(bytes: Uint8Array, wanted: Uint8Array): number {
  const first = wanted[0] ?? CR
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (at + wanted.length > bytes.length) return -1
    let same = 1
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++
    if (same === wanted.length) return at
  }
  return -1
}
