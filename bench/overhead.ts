import { readArguments } from '../scripts/arguments.ts'
import { takeProfile } from './inspector.ts'
import { COLLECTION, customer, leadData, makeLeads } from './leads.ts'
import { median, workerdCpuMs } from './load.ts'
import { startServer } from './server.ts'

const USAGE = `usage: npm run bench -- overhead [--only=<text in a name>] [--repeat=2000] [--rounds=7] [--profile] [--show]
The CPU time of a request without its database, whose results are replayed from a recording. --profile: where V8 spends it.
--show: which statements it sends.`
const { values } = readArguments(USAGE, {
  positionalsMax: 1,
  options: {
    repeat: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string', default: '' },
    profile: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
})
const REPEAT = Number(values.repeat)

const server = await startServer({ entry: 'overhead-worker', inspect: values.profile })
try {
  const { processes } = await makeLeads(server, 1000)
  const id = processes[5]?.id ?? ''
  const list = `${COLLECTION}/list`
  const { _meta } = (await server.call('api', 'POST', list, { limit: 10 })) as { _meta: { next: string } }
  const cases: [name: string, method: string, path: string, body?: unknown][] = [
    ['health', 'GET', '/v1/health'],
    ['fetch by id', 'GET', `${COLLECTION}/${id}`],
    ['create', 'POST', COLLECTION, { data: leadData(1_000_001) }],
    ['create with a customer', 'POST', COLLECTION, { data: leadData(1_000_002), record: customer(1) }],
    ['update', 'PUT', `${COLLECTION}/${id}`, { data: { score: 5 } }],
    ['list by equality', 'POST', list, { where: { city: 'city 5' } }],
    ['list by range', 'POST', list, { where: { score: { '>=': 100, '<': 1000 } } }],
    ['list, deep skip', 'POST', list, { skip: 500 }],
    ['list by cursor', 'POST', list, { cursor: _meta.next }],
  ]
  for (const [name, method, path, body] of cases.filter(each =>
    values.only.split(',').some(part => each[0].includes(part)),
  )) {
    const run = (count: number) => server.send('api', method, path, body, { 'x-repeat': String(count) })
    const { text } = await run(REPEAT)
    if (values.profile)
      console.log(`\n${name}: ${await takeProfile(server.inspectorPort, REPEAT, () => run(REPEAT))}\n`)
    const rounds: number[] = []
    for (let round = 0; round < Number(values.rounds); round++) {
      const before = workerdCpuMs()
      await run(REPEAT)
      rounds.push(((workerdCpuMs() - before) * 1000) / REPEAT)
    }
    console.log(
      `${name.padEnd(24)} ${median(rounds).toFixed(0).padStart(5)} µs  (${Math.min(...rounds).toFixed(0)} at least)  ${values.show ? text : ''}`,
    )
  }
} finally {
  await server.stop()
}
