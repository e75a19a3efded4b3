import type { Folder } from '../../scripts/team/copy.ts'

/** A folder of copies in memory: `before` and `after` are called around each change of it, and may throw. */
export function openMemoryFolder(around: (what: string, act: () => void) => void = (_, act) => act()) {
  const files = new Map<string, string | Uint8Array<ArrayBuffer>>()
  const readWritten = (file: string) => {
    const found = files.get(file)
    if (found === undefined) throw new Error(`there is no ${file}`)
    return found
  }
  const folder: Folder = {
    readText(file) {
      const found = files.get(file)
      return found === undefined ? undefined : String(found)
    },
    async writeText(file, text) {
      around(`write ${file}`, () => files.set(file, text))
    },
    async *readLines(file) {
      const lines = String(readWritten(file)).split('\n')
      yield* lines.at(-1) === '' ? lines.slice(0, -1) : lines
    },
    async writeLines(file, parts) {
      files.set(file, '')
      let text = ''
      for await (const part of parts) text += part
      around(`write ${file}`, () => files.set(file, text))
    },
    async readBytes(file) {
      return readWritten(file) as Uint8Array<ArrayBuffer>
    },
    async writeBytes(file, bytes) {
      files.set(file, bytes)
    },
    async getSize(file) {
      const found = files.get(file)
      return typeof found === 'string' ? new TextEncoder().encode(found).length : found?.length
    },
    list(at) {
      const prefix = at === '' ? '' : `${at}/`
      const below = [...files.keys()].flatMap(file => (file.startsWith(prefix) ? [file.slice(prefix.length)] : []))
      return [...new Set(below.flatMap(file => (file.includes('/') ? (file.split('/')[0] ?? '') : [])))].sort()
    },
    remove(at) {
      around(`remove ${at}`, () => {
        for (const file of [...files.keys()]) if (file === at || file.startsWith(`${at}/`)) files.delete(file)
      })
    },
  }
  return { folder, files }
}
