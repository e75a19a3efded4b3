import { readdirSync, readFileSync } from 'node:fs'
import type { Reply } from './server.ts'

export interface Round {
  latencies: number[]
  ms: number
  /** CPU time of workerd, user and system. */
  cpuMs: number
}

const NS_PER_MS = 1_000_000

/** The CPU time of the workerd processes that this process has started, summed over their threads. */
export function workerdCpuMs(): number {
  let ns = 0
  for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
    try {
      const [, command, rest = ''] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
      if (command !== 'workerd' || Number(rest.split(' ')[1]) !== process.pid) continue
      for (const thread of readdirSync(`/proc/${pid}/task`))
        ns += Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'), 10)
    } catch {
      // The process has ended in between.
    }
  }
  return ns / NS_PER_MS
}

/** Keeps `connections` requests in flight for a while. A response that is no success ends the bench. */
export async function runRound(act: () => Promise<Reply>, lengthMs: number, connections: number): Promise<Round> {
  const latencies: number[] = []
  const cpuBefore = workerdCpuMs()
  const startedAt = performance.now()
  const oneConnection = async () => {
    while (performance.now() < startedAt + lengthMs) {
      const sentAt = performance.now()
      const { status, text } = await act()
      if (status >= 300) throw new Error(`status ${status}: ${text}`)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: connections }, oneConnection))
  return { latencies, ms: performance.now() - startedAt, cpuMs: workerdCpuMs() - cpuBefore }
}

export const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
export const percentile = (sorted: number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0
export const perSecond = ({ latencies, ms }: Round): number => (latencies.length / ms) * 1000
const sum = (values: number[]): number => values.reduce((total, each) => total + each, 0)
export const cpuPerRequest = (rounds: Round[]): number =>
  sum(rounds.map(each => each.cpuMs)) / sum(rounds.map(each => each.latencies.length))
