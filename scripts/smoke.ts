import { isWebAddress } from '../src/http/web-address.ts'
import { readArguments, refuseArguments } from './arguments.ts'
import { visit } from './smoke/run.ts'
import type { Outcome } from './smoke/visit.ts'

const USAGE = `usage: npm run smoke -- <url> [<token>] [--json] [--slow] [--emulated]
Every feature of an installation that runs, through HTTP. The token is one of an admin. Other users of the machine see an
argument: without it the token is that in SMOKE_TOKEN.
  --json      print the outcomes as JSON
  --slow      also the checks that take long
  --emulated  the provider is the emulated WhatsApp`

const QUICK_UPLOAD_MS = 8_000
const SLOW_UPLOAD_MS = 25_000

const {
  positionals: [url = '', token = process.env.SMOKE_TOKEN ?? ''],
  values: { json = false, slow = false, emulated = false },
} = readArguments(USAGE, {
  options: { json: { type: 'boolean' }, slow: { type: 'boolean' }, emulated: { type: 'boolean' } },
  positionalsMax: 2,
})
if (!isWebAddress(url) || token === '') refuseArguments('the address of the installation and a token are needed', USAGE)

const MARKS = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped' }
function print({ check, result, reason, ms, calls, trips }: Outcome): void {
  const why = reason === undefined ? '' : `\n          ${reason}`
  console.log(
    `${MARKS[result]} ${String(ms).padStart(6)} ms ${String(calls).padStart(3)} calls ${String(trips).padStart(4)} trips  ${check}${why}`,
  )
}

const startedAt = Date.now()
const place = { url, token, slowMs: slow ? SLOW_UPLOAD_MS : QUICK_UPLOAD_MS, emulated }
const outcomes = await visit(place, json ? () => {} : print)
const count = (result: Outcome['result']) => outcomes.filter(outcome => outcome.result === result).length
const summary = { passed: count('ok'), failed: count('failed'), skipped: count('skipped'), ms: Date.now() - startedAt }
if (json) console.log(JSON.stringify({ ...summary, outcomes }))
else
  console.log(
    `${summary.passed} passed, ${summary.failed} failed, ${summary.skipped} skipped, in ${Math.round(summary.ms / 1000)} s`,
  )
process.exitCode = summary.failed > 0 ? 1 : 0
