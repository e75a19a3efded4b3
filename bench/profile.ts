import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { casesOf } from './cases.ts'
import { makeLeads } from './leads.ts'
import { runRound } from './load.ts'
import { type Host, startServer } from './server.ts'

// npm run bench -- profile --only=fetch [--host=api|bare] [--rows=…] [--out=x.cpuprofile]: where a request spends its time in V8.
const { values } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '5000' },
    ms: { type: 'string', default: '4000' },
    only: { type: 'string', default: 'fetch' },
    host: { type: 'string', default: 'api' },
    out: { type: 'string' },
    lines: { type: 'string', default: '45' },
  },
})
const CONNECTIONS = 16
const SAMPLE_US = 100

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

/** A connection to the inspector of one Worker's isolate. */
async function openInspector(port: number, worker: Host) {
  const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
    id: string
    webSocketDebuggerUrl: string
  }[]
  const target = targets.find(({ id }) => id.includes(worker)) ?? targets[0]
  if (target === undefined) throw new Error('the inspector shows no Worker')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const pending = new Map<number, (result: unknown) => void>()
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown }
    if (id !== undefined) pending.get(id)?.(result)
  })
  await new Promise(resolve => socket.addEventListener('open', resolve))
  let last = 0
  return (method: string, params: object = {}): Promise<unknown> =>
    new Promise(resolve => {
      last += 1
      pending.set(last, resolve)
      socket.send(JSON.stringify({ id: last, method, params }))
    })
}

/** Self and total time of each function, in microseconds per request. */
function summarise({ nodes, samples, timeDeltas }: Profile, requests: number) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parentOf = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id] as const)))
  const label = ({ callFrame }: Node) =>
    `${callFrame.functionName || '(anonymous)'} ${callFrame.url.split('/').at(-1)}:${callFrame.lineNumber + 1}`
  const self = new Map<string, number>()
  const total = new Map<string, number>()
  for (const [index, sample] of samples.entries()) {
    const us = (timeDeltas[index] ?? 0) / requests
    const seen = new Set<string>()
    for (let node = byId.get(sample); node !== undefined; node = byId.get(parentOf.get(node.id) ?? -1)) {
      const name = label(node)
      if (node.id === sample) self.set(name, (self.get(name) ?? 0) + us)
      if (!seen.has(name)) total.set(name, (total.get(name) ?? 0) + us)
      seen.add(name)
    }
  }
  return { self, total }
}

const server = await startServer({ connections: CONNECTIONS, inspect: true })
try {
  const leads = await makeLeads(server, Number(values.rows))
  const host = values.host as Host
  const one = (await casesOf(server, leads)).find(({ name }) => name.includes(values.only))
  if (one === undefined) throw new Error(`no case is called ${values.only}`)
  await runRound(one[host], 2000, CONNECTIONS)
  const ask = await openInspector(server.inspectorPort, host)
  await ask('Profiler.enable')
  await ask('Profiler.setSamplingInterval', { interval: SAMPLE_US })
  await ask('Profiler.start')
  const { latencies, ms, cpuMs } = await runRound(one[host], Number(values.ms), CONNECTIONS)
  const { profile } = (await ask('Profiler.stop')) as { profile: Profile }
  if (values.out) writeFileSync(values.out, JSON.stringify(profile))
  const { self, total } = summarise(profile, latencies.length)
  console.log(
    `${one.name}, ${host}: ${latencies.length} requests in ${ms.toFixed(0)} ms, ${(cpuMs / latencies.length).toFixed(3)} ms of CPU each`,
  )
  const top = (times: Map<string, number>) =>
    [...times]
      .sort((a, b) => b[1] - a[1])
      .slice(0, Number(values.lines))
      .map(([name, us]) => `${us.toFixed(1).padStart(8)}  ${name}`)
      .join('\n')
  console.log(`\nself, µs per request\n${top(self)}\n\ntotal, µs per request\n${top(total)}`)
} finally {
  await server.stop()
}
