// The CPU profiler of workerd, over the inspector's WebSocket.
const SAMPLE_US = 100
const SAMPLE_US_MAX = 3 * SAMPLE_US
const LINES = 45

interface Node {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
  children?: number[]
}
interface Profile {
  nodes: Node[]
  samples: number[]
  timeDeltas: number[]
}

/** A connection to the inspector of the Worker's isolate. */
async function openInspector(port: number) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.includes('api'))
  if (target === undefined) throw new Error('the inspector shows no Worker')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const pending = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) pending.get(id)?.(result)
  })
  await new Promise(resolve => socket.addEventListener('open', resolve))
  let last = 0
  const ask = (method: string, params: object = {}): Promise<unknown> =>
    new Promise(resolve => {
      last += 1
      pending.set(last, resolve)
      socket.send(JSON.stringify({ id: last, method, params }))
    })
  return { ask, close: () => socket.close() }
}

const top = (times: Map<string, number>): string =>
  [...times]
    .sort((a, b) => b[1] - a[1])
    .slice(0, LINES)
    .map(([name, us]) => `${us.toFixed(1).padStart(8)}  ${name}`)
    .join('\n')

/** Profiles the Worker during `act`, which makes that many requests. */
export async function takeProfile(port: number, requests: number, act: () => Promise<unknown>): Promise<string> {
  const { ask, close } = await openInspector(port)
  await ask('Profiler.enable')
  await ask('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await ask('Profiler.start')
  await act()
  const { profile } = (await ask('Profiler.stop')) as { profile: Profile }
  close()
  const { self, total } = summarise(profile, requests)
  return `self, µs per request\n${top(self)}\n\ntotal, µs per request\n${top(total)}`
}

/** Self and total time of each function, in microseconds per request. */
function summarise({ nodes, samples, timeDeltas }: Profile, requests: number) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parentById = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id] as const)))
  const label = ({ callFrame }: Node) =>
    `${callFrame.functionName || '(anonymous)'} ${callFrame.url.split('/').at(-1)}:${callFrame.lineNumber + 1}`
  const self = new Map<string, number>()
  const total = new Map<string, number>()
  for (const [index, sample] of samples.entries()) {
    // A longer time is one in which others had the processor.
    const us = Math.min(timeDeltas[index] ?? 0, SAMPLE_US_MAX) / requests
    const seen = new Set<string>()
    for (let node = byId.get(sample); node !== undefined; node = byId.get(parentById.get(node.id) ?? -1)) {
      const name = label(node)
      if (node.id === sample) self.set(name, (self.get(name) ?? 0) + us)
      if (!seen.has(name)) total.set(name, (total.get(name) ?? 0) + us)
      seen.add(name)
    }
  }
  return { self, total }
}
