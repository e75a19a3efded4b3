import { type CaseworkerError, noResponse } from './error.ts'
import { getWaitMs } from './retry-rules.ts'
import { sleep } from './sleep.ts'

/** The lines of a text stream without line breaks. The text after the last line break is a line, too. */
export async function* readLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { value, done } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield line.replace(/\r$/, '')
      if (done) break
    }
    if (rest !== '') yield rest
  } finally {
    await reader.cancel().catch(() => {})
  }
}

/** Converts pieces into a stream of bytes, which are read as fast as they are sent. */
export function toByteStream(pieces: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** The data of server-sent events; empty for a keep-alive comment. */
export async function* readServerEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let data: string[] = []
  for await (const line of readLines(stream)) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
    if (line !== '') continue
    yield data.join('\n')
    data = []
  }
}

/** The stream of a response, which fails like a call without a response where it breaks off. */
export function withStreamErrors(operation: string, stream: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = stream.getReader()
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await reader.read().catch((cause: unknown) => {
          throw toBrokenOff(operation, cause)
        })
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    },
    // Nothing is read before the consumer asks for it.
    { highWaterMark: 0 },
  )
}

const toBrokenOff = (operation: string, cause: unknown): CaseworkerError =>
  noResponse(operation, `the response broke off: ${cause instanceof Error ? cause.message : String(cause)}`, cause)

const RESUMES_MAX = 5
const PAUSE_MS = 500

/** Pauses before a stream that broke off continues. Throws the cause after too many breaks without progress. */
export async function waitToResume(breaks: number, broken: unknown, signal: AbortSignal | undefined): Promise<void> {
  if (breaks > RESUMES_MAX) throw broken
  await sleep(getWaitMs(breaks, PAUSE_MS, undefined, Math.random()), signal)
}
