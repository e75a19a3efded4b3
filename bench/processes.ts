import { readArguments } from '../scripts/arguments.ts'
import { buildCases, type Case } from './cases.ts'
import { makeLeads } from './leads.ts'
import { cpuPerRequest, median, percentile, perSecond, type Round, runRound } from './load.ts'
import { startServer } from './server.ts'

const USAGE = `usage: npm run bench -- [processes] [--rows=100000] [--rounds=12] [--ms=700] [--connections=16] [--only=<text in a name>]
The built Worker beside a bare one on the same database, in short rounds by turns, and their ratio.`
const { values } = readArguments(USAGE, {
  positionalsMax: 1,
  options: {
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '12' },
    ms: { type: 'string', default: '700' },
    connections: { type: 'string', default: '16' },
    only: { type: 'string', default: '' },
  },
})
const [ROWS, ROUNDS, ROUND_MS, CONNECTIONS] = [values.rows, values.rounds, values.ms, values.connections].map(
  Number,
) as [number, number, number, number]
const AIM = 0.75

async function measure({ name, api, bare }: Case): Promise<string> {
  await runRound(api, ROUND_MS, CONNECTIONS)
  await runRound(bare, ROUND_MS, CONNECTIONS)
  const [ours, theirs]: [Round[], Round[]] = [[], []]
  for (let round = 0; round < ROUNDS; round++) {
    // Whoever goes first changes with every round, so that a drift of the machine favours neither.
    const turns = [() => runRound(api, ROUND_MS, CONNECTIONS), () => runRound(bare, ROUND_MS, CONNECTIONS)] as const
    if (round % 2 === 0) {
      ours.push(await turns[0]())
      theirs.push(await turns[1]())
    } else {
      theirs.push(await turns[1]())
      ours.push(await turns[0]())
    }
  }
  const ratio = median(ours.map((each, round) => perSecond(each) / perSecond(theirs[round] ?? each)))
  const cpuRatio = cpuPerRequest(theirs) / cpuPerRequest(ours)
  const rate = (rounds: Round[]) => median(rounds.map(perSecond)).toFixed(0)
  const cpu = (rounds: Round[]) => cpuPerRequest(rounds).toFixed(3)
  const spread = (rounds: Round[]) => {
    const sorted = rounds.flatMap(each => each.latencies).sort((a, b) => a - b)
    return [0.5, 0.95, 0.99].map(share => percentile(sorted, share).toFixed(1)).join(' / ')
  }
  return `| ${name} | ${rate(ours)} | ${rate(theirs)} | **${ratio.toFixed(2)}** | ${cpu(ours)} | ${cpu(theirs)} | ${cpuRatio.toFixed(2)} | ${spread(ours)} | ${spread(theirs)} |`
}

const server = await startServer({ connections: CONNECTIONS })
try {
  const leads = await makeLeads(server, ROWS)
  console.log(
    `${leads.processes.length} processes of 12 attributes, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${ROUND_MS} ms each, by turns; aim: ${AIM} of the bare Worker\n`,
  )
  console.log(
    '| case | ours, req/s | bare, req/s | ratio | ours, CPU ms | bare, CPU ms | CPU ratio | ours p50 / p95 / p99, ms | bare p50 / p95 / p99, ms |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|',
  )
  const wanted = values.only.split(',')
  for (const each of await buildCases(server, leads))
    if (wanted.some(part => each.name.includes(part))) console.log(await measure(each))
} finally {
  await server.stop()
}
