/** The runtime's own account of connections that close, or that the emulator breaks because a test asked for it. */
const EXPECTED =
  /^(uncaught )?exception[; ].*(WebSocket peer disconnected|on demand|thrown away)|SQLite alarm overdue|^ +at disturbed |^stack:( \S*workerd@[0-9a-f]+)+$/

interface Stream {
  write: (chunk: unknown, ...rest: unknown[]) => boolean
}
// Configuration runs in Node, whose types the project does not carry.
const { process } = globalThis as unknown as { process: { stdout: Stream; stderr: Stream } }

/** Keeps those lines out of a test run's output. */
export function hushExpectedExceptions(): void {
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream)
    stream.write = (chunk, ...rest) => {
      const lines = String(chunk).split('\n')
      const kept = lines.filter(line => !EXPECTED.test(line))
      if (kept.length === lines.length) return write(chunk, ...rest)
      return kept.every(line => line === '') || write(kept.join('\n'), ...rest)
    }
  }
}
