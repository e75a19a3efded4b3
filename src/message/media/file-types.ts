const MIB = 1024 * 1024

/** The brands of MP4: photos of phones (`heic`), QuickTime and sound begin with `ftyp`, too, and the provider takes none of them. */
const MP4 = /^.{4}ftyp(?:isom|iso\d|mp4\d|avc1|M4V |dash|MSNV)/s

export interface MediaType {
  type: string
  extension: string
  bytesMax: number
}

/** What the provider takes from a public address, recognised by how the file begins, whatever its sender calls it. */
const KINDS: (MediaType & { matches: (head: string) => boolean })[] = [
  { type: 'image/jpeg', extension: 'jpg', bytesMax: 5 * MIB, matches: head => head.startsWith('\xff\xd8\xff') },
  { type: 'image/png', extension: 'png', bytesMax: 5 * MIB, matches: head => head.startsWith('\x89PNG\r\n\x1a\n') },
  { type: 'video/3gpp', extension: '3gp', bytesMax: 16 * MIB, matches: head => /^.{4}ftyp3g/s.test(head) },
  { type: 'video/mp4', extension: 'mp4', bytesMax: 16 * MIB, matches: head => MP4.test(head) },
  { type: 'application/pdf', extension: 'pdf', bytesMax: 20 * MIB, matches: head => head.startsWith('%PDF-') },
]
export const HEAD_BYTES = 16
const FILENAME_LENGTH_MAX = 120

export const MEDIA_BYTES_MAX = Math.max(...KINDS.map(kind => kind.bytesMax))
export const MEDIA_TYPES = KINDS.map(kind => kind.type)

export const detectMediaType = (bytes: Uint8Array): MediaType | undefined => {
  const head = String.fromCharCode(...bytes.slice(0, HEAD_BYTES))
  return KINDS.find(kind => kind.matches(head))
}

/** A name that can stand in a header and in any file system. */
export const safeFilename = (name: string): string =>
  [...name.normalize('NFKC')]
    .slice(0, FILENAME_LENGTH_MAX)
    .join('')
    .replace(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^\.+/, '_')
