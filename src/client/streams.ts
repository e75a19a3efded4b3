/** The lines of a text stream without line breaks. The text after the last line break is a line, too. */
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

/** The data of server-sent events; empty for a keep-alive comment. */
export async function* eventsOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  let data: string[] = []
  for await (const line of linesOf(stream)) {
    if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
    if (line !== '') continue
    yield data.join('\n')
    data = []
  }
}
