/** The lines of a stream of text, without their ends. What is after the last end is a line, too. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
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

/** The data of server-sent events; an empty text for a sign of life. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let data: string[] = []
  for await (const line of linesOf(stream)) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
    if (line !== '') continue
    yield data.join('\n')
    data = []
  }
}
