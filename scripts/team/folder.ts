import { createReadStream, createWriteStream, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { makePrivateFolder } from '../local/private-folder.ts'
import { writeWhole } from '../local/whole-file.ts'
import type { Folder } from './copy.ts'

/** A folder of this machine. What is in it are data of customers: it is for its owner alone. */
export function openFolder(root: string): Folder {
  const at = (file: string) => path.join(root, file)
  return {
    readText: file => (existsSync(at(file)) ? readFileSync(at(file), 'utf8') : undefined),
    async writeText(file, text) {
      await makeRoomFor(at(file))
      writeWhole(at(file), text)
    },
    readLines: file => readLines(at(file)),
    async writeLines(file, parts) {
      await makeRoomFor(at(file))
      const stream = createWriteStream(at(file), { flush: true })
      const ended = new Promise<void>((resolve, reject) => stream.on('finish', resolve).on('error', reject))
      for await (const part of parts) {
        if (stream.write(part)) continue
        const drained = new Promise<void>(resolve => stream.once('drain', () => resolve()))
        await Promise.race([drained, ended])
      }
      stream.end()
      await ended
    },
    readBytes: async file => new Uint8Array(await readFile(at(file))),
    async writeBytes(file, bytes) {
      await makeRoomFor(at(file))
      await writeFile(at(file), bytes, { flush: true })
    },
    async getSize(file) {
      return existsSync(at(file)) ? (await stat(at(file))).size : undefined
    },
    list: folder => listFolders(at(folder)),
    remove: file => rmSync(at(file), { recursive: true, force: true }),
  }

  async function makeRoomFor(file: string): Promise<void> {
    makePrivateFolder(root)
    await mkdir(path.dirname(file), { recursive: true })
  }
}

/** Lists the folders only: other files, such as the log of a scheduler, may lie beside them. */
function listFolders(folder: string): string[] {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.flatMap(each => (each.isDirectory() ? [each.name] : [])).sort()
}

/** Lines end with a line feed and nothing else: texts of customers may have the other ends of lines that Node splits at. */
async function* readLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, { encoding: 'utf8' }) as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') yield rest
}
