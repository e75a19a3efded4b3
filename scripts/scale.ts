import { readFileSync } from 'node:fs'
import { TEAMS, type TypicalTeam, type Unit } from '../test/costs/teams.ts'
import { readArguments, refuseArguments } from './arguments.ts'

// npm run scale: what many teams take, by the measured figures of the guide about costs, which a test compares.
const GUIDE = 'src/docs/guides/costs.md'
const USAGE = `usage: npm run scale -- [--teams=1000] [--mix=80,18,2]
What so many teams take after a year: calls, databases, gigabytes, dollars a month. --mix is how many percent of them are
like ${TEAMS.map(({ name }) => name).join(', ')}.`

const DATABASE_GB = 10
/** `BULK_SHARE_MAX`, which scripts cannot import: from here on bulk requests are refused, and no database should be planned to be fuller. */
const USABLE_SHARE = 0.85
const SECONDS_A_MONTH = 30 * 86_400
/** The busiest minutes of a day beside its mean, where the teams work in the same hours. */
const PEAK = 5
/** Entries and deliveries are no requests of anybody. */
const NO_CALL: Unit[] = ['createdEntry', 'updatedEntry', 'sentEntry', 'delivery', 'deliveryOfMany']

interface ScaleFigures {
  teams: number
  calls: number
  databaseGB: number
  filesGB: number
  dollars: number
}

const { values } = readArguments(USAGE, {
  options: { teams: { type: 'string', default: '1000' }, mix: { type: 'string', default: '80,18,2' } },
})
if (!/^[1-9]\d{0,6}$/.test(values.teams)) refuseArguments('--teams must be a whole number from 1 to 9999999', USAGE)
const shares = values.mix.split(',')
const mix = shares.map(Number)
if (mix.length !== TEAMS.length || !shares.every(share => /^\d{1,3}$/.test(share)) || sum(mix) !== 100)
  refuseArguments(`--mix must be ${TEAMS.length} whole numbers, such as 80,18,2, that are 100 together`, USAGE)

const guide = readFileSync(GUIDE, 'utf8')
const kinds = TEAMS.map((team, nth) => multiply(measuredMonth(team), (Number(values.teams) * (mix[nth] ?? 0)) / 100))
const all = kinds.reduce((one, other) => ({
  teams: one.teams + other.teams,
  calls: one.calls + other.calls,
  databaseGB: one.databaseGB + other.databaseGB,
  filesGB: one.filesGB + other.filesGB,
  dollars: one.dollars + other.dollars,
}))
const perSecond = all.calls / SECONDS_A_MONTH
const databases = Math.ceil(all.databaseGB / (DATABASE_GB * USABLE_SHARE))

printRow(['like', 'teams', 'calls a month', 'GB in D1', 'GB in R2', 'dollars a month'])
for (const [nth, kind] of kinds.entries()) printTaken(TEAMS[nth]?.name ?? '', kind)
printTaken('all', all)
console.log(`
${round(databases)} ${databases === 1 ? 'installation' : 'installations'}: a database holds ${DATABASE_GB} GB, and from ${USABLE_SHARE * 100} % on bulk requests are refused.
${round(perSecond)} calls a second on average, some ${round(perSecond * PEAK)} at the busiest: ${round((perSecond * PEAK) / databases)} for each database.`)

/** Returns the usage of one team in a month, as the guide has it. */
function measuredMonth({ name, units }: TypicalTeam): ScaleFigures {
  const line = guide.split('\n').find(row => row.startsWith(`| ${name}: `)) ?? ''
  const numbers = /\| [\d.]+ \| ([\d.]+) GB: [\d.]+ \| ([\d.]+) GB: [\d.]+ \| ([\d.]+) \|$/.exec(line)?.slice(1)
  if (numbers === undefined) throw new Error(`${GUIDE} has no month of ${name}`)
  const [databaseGB = 0, filesGB = 0, dollars = 0] = numbers.map(Number)
  const calls = Object.entries(units).map(([unit, count]) => (NO_CALL.includes(unit as Unit) ? 0 : count))
  return { teams: 1, calls: sum(calls), databaseGB, filesGB, dollars }
}

function multiply(taken: ScaleFigures, factor: number): ScaleFigures {
  const entries = Object.entries(taken).map(([what, count]: [string, number]) => [what, count * factor])
  return Object.fromEntries(entries) as ScaleFigures
}

function printTaken(name: string, { teams, calls, databaseGB, filesGB, dollars }: ScaleFigures): void {
  printRow([name, ...[teams, calls, databaseGB, filesGB, dollars].map(round)])
}

function printRow([first = '', ...rest]: string[]): void {
  console.log(first.padEnd(14) + rest.map(cell => cell.padStart(16)).join(''))
}

function round(number: number): string {
  return number.toLocaleString('en', { maximumFractionDigits: number < 10 ? 1 : 0 })
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((one, other) => one + other, 0)
}
