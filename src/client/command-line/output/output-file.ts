import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { print } from './terminal.ts'

export interface Output {
  write: (text: string) => Promise<void>
  close: () => Promise<void>
}

/** Standard output, or a file that is created with the first write: a refused request leaves no empty file. Its folder is made. */
export async function openOutput(file: string | undefined): Promise<Output> {
  if (file === undefined) return { write: print, close: async () => {} }
  let stream: ReturnType<typeof createWriteStream> | undefined
  return {
    async write(text) {
      if (stream === undefined) {
        await mkdir(path.dirname(file), { recursive: true })
        stream = createWriteStream(file)
        await once(stream, 'open')
      }
      if (!stream.write(text)) await once(stream, 'drain')
    },
    async close() {
      if (stream === undefined) return
      stream.end()
      await once(stream, 'finish')
    },
  }
}
