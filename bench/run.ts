import { refuseArguments } from '../scripts/arguments.ts'

const BENCHES = ['processes', 'jobs', 'overhead', 'webhooks', 'large-job']
const USAGE = `usage: npm run bench -- [${BENCHES.join(' | ')}] [--<option>=<value>]…
What the Worker costs beside a bare one; without a name, processes. Each tells its options: npm run bench -- jobs --help`

const [first = ''] = process.argv.slice(2)
if (first === '--help' || first === '-h') {
  console.log(USAGE)
  process.exit(0)
}
const name = first === '' || first.startsWith('-') ? 'processes' : first
if (!BENCHES.includes(name)) refuseArguments(`no bench ${name}`, USAGE)
await import(`./${name}.ts`)
