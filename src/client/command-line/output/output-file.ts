import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { print } from './terminal.ts'

export interface Output {
  write: (text: string) => Promise<void>
  close: () => Promise<void>
}

/** Standard output, or a file that is created with the first write: a refused request leaves no empty file. */
export async function openOutput(file: string | undefined): Promise<Output> {
  if (file === undefined) return { write: print, close: async () => {} }
  let stream: ReturnType<typeof createWriteStream> | undefined
  return {
    async write(text) {
      if (stream === undefined) {
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
