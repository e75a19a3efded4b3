import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments } from '../scripts/arguments.ts'
import { COLLECTION, makeLeads } from './leads.ts'
import { median, percentile, workerdCpuMs } from './load.ts'
import { startServer } from './server.ts'

const USAGE = `usage: npm run bench -- webhooks [--events=2000] [--rounds=9] [--dead=1] [--how=hang|fail] [--delay=<ms>] [--timeout=15000] [--order=any|strict] [--singles=15]
How long an endpoint takes for a replay, alone and beside dead ones, in rounds by turns. --delay: what the good receiver takes
for a response.`
const { values } = readArguments(USAGE, {
  positionalsMax: 1,
  options: {
    events: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '9' },
    /** The number of dead endpoints, which hang, or answer 500 at once. */
    dead: { type: 'string', default: '1' },
    how: { type: 'string', default: 'hang' },
    /** The time that the good receiver takes for a response. */
    delay: { type: 'string', default: '0' },
    timeout: { type: 'string', default: '15000' },
    order: { type: 'string', default: 'any' },
    singles: { type: 'string', default: '15' },
  },
})
const [EVENTS, ROUNDS, DEAD, DELAY_MS, SINGLES] = [
  values.events,
  values.rounds,
  values.dead,
  values.delay,
  values.singles,
].map(Number) as [number, number, number, number, number]
const WITHIN_MS = 120_000

/** Sequences that arrived at the good receiver, and who waits until there are so many different ones. */
let [arrived, wanted, isThere] = [new Set<number>(), Number.POSITIVE_INFINITY, () => {}]
let deadArrivals = 0

const receivers = createServer((request, response) => {
  request.resume()
  if (request.url === '/dead') {
    deadArrivals += 1
    if (values.how === 'fail') response.writeHead(500).end()
    return
  }
  arrived.add(Number(request.headers['webhook-sequence']))
  if (DELAY_MS > 0) setTimeout(() => response.end(), DELAY_MS)
  else response.end()
  if (arrived.size >= wanted) isThere()
})
await new Promise<void>(resolve => receivers.listen(0, '127.0.0.1', resolve))
const origin = `http://127.0.0.1:${(receivers.address() as AddressInfo).port}`

async function untilArrived(count: number, act: () => Promise<unknown>): Promise<number> {
  arrived = new Set()
  wanted = count
  const areThere = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${arrived.size} of ${count} events arrived`)), WITHIN_MS)
    isThere = () => {
      clearTimeout(timer)
      resolve()
    }
  })
  const startedAt = performance.now()
  await act()
  await areThere
  return performance.now() - startedAt
}

const secretsKey = Buffer.alloc(32, 7).toString('base64')
const server = await startServer({
  vars: { WEBHOOK_LOCAL_ADDRESSES: 'true', WEBHOOK_TIMEOUT_MS: values.timeout, SECRETS_KEY: secretsKey },
})
const path = '/v1/ext/webhook'
const newWebhook = async (name: string, order: string): Promise<string> => {
  const made = (await server.call('api', 'POST', path, { url: `${origin}/${name}`, order })) as {
    _data: { id: string }
  }
  return made._data.id
}
/**
 * Runs `act` beside dead endpoints. They have the same events as the good one, so each has requests in flight all the
 * time.
 */
async function withDead<T>(count: number, act: () => Promise<T>): Promise<T> {
  const ids = await Promise.all(Array.from({ length: count }, () => newWebhook('dead', 'any')))
  const before = deadArrivals
  await Promise.all(ids.map(id => server.call('api', 'POST', `${path}/${id}/replay`, { from: 1, to: EVENTS })))
  while (count > 0 && deadArrivals === before) await sleep(5)
  const result = await act()
  await Promise.all(ids.map(id => server.call('api', 'DELETE', `${path}/${id}`)))
  return result
}

try {
  const { processes } = await makeLeads(server, EVENTS)
  const good = await newWebhook('good', values.order)
  const replay = () =>
    untilArrived(EVENTS, () => server.call('api', 'POST', `${path}/${good}/replay`, { from: 1, to: EVENTS }))
  let counter = 0
  const single = () =>
    untilArrived(1, () =>
      server.call('api', 'PUT', `${COLLECTION}/${processes[++counter % EVENTS]?.id}`, { data: { score: counter } }),
    )
  const round = async () => {
    const cpuBefore = workerdCpuMs()
    const ms = await replay()
    const cpuMs = workerdCpuMs() - cpuBefore
    const latencies: number[] = []
    for (let nth = 0; nth < SINGLES; nth++) latencies.push(await single())
    return { ms, cpuMs, latencies }
  }
  await round()
  type Figures = Awaited<ReturnType<typeof round>>
  const [alone, beside]: [Figures[], Figures[]] = [[], []]
  for (let nth = 0; nth < ROUNDS; nth++) {
    const turns = [
      async () => alone.push(await withDead(0, round)),
      async () => beside.push(await withDead(DEAD, round)),
    ]
    // Whoever goes first changes with every round, so that a drift of the machine favours neither.
    for (const turn of nth % 2 === 0 ? turns : turns.toReversed()) await turn()
  }
  const ratios = (of: (each: Figures) => number) => alone.map((each, nth) => of(beside[nth] ?? each) / of(each))
  const row = (name: string, of: (each: Figures) => number) => {
    const sorted = ratios(of).toSorted((a, b) => a - b)
    const spread = `${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}`
    return `| ${name} | ${median(alone.map(of)).toFixed(0)} | ${median(beside.map(of)).toFixed(0)} | **${median(sorted).toFixed(3)}** | ${spread} |`
  }
  console.log(`${ROUNDS} rounds by turns; ${DEAD} dead, which ${values.how}; aim: a ratio below 1.10\n`)
  console.log(`| order ${values.order} | alone, ms | beside, ms | ratio | from … to |\n|---|---:|---:|---:|---:|`)
  console.log(row(`${EVENTS} events of jobs`, each => each.ms))
  console.log(row('CPU time of workerd for these', each => each.cpuMs))
  // The fastest quarter of single events counts: what else runs on the machine makes them slower, never faster.
  const fastest = (some: Figures[]) =>
    percentile(
      some.flatMap(each => each.latencies).toSorted((a, b) => a - b),
      0.25,
    )
  const [one, other] = [fastest(alone), fastest(beside)]
  const name = 'an event by itself, from the call to its arrival, first quartile'
  console.log(`| ${name} | ${one.toFixed(0)} | ${other.toFixed(0)} | **${(other / one).toFixed(3)}** | |`)
  console.log(`\n${deadArrivals} requests reached the dead ones`)
} finally {
  receivers.closeAllConnections()
  receivers.close()
  await server.stop()
}
