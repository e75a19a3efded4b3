import { renameSync, writeFileSync } from 'node:fs'
import { TEAMS } from './support/check-server.ts'
import { startCheckServer } from './support/check-teams.ts'

// node --import tsx test/serve-checks.ts <file> [<names of checks>]: one server, with a team for each check that needs nothing
// special of it, until it is ended. With CHECK_SERVER=<file> the checks use it, as .ci/run has them do.
const [file, ...names] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node --import tsx test/serve-checks.ts <file> [<names of checks>]')
  process.exit(2)
}
// Before it is ready the exit alone ends what was started.
let stop = async () => {}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().then(() => process.exit(0)))
const server = await startCheckServer(TEAMS.filter(name => names.length === 0 || names.includes(name)))
stop = server.stop
const { url, operator, tokens } = server
// Whoever waits for the file reads all of it.
writeFileSync(`${file}.new`, JSON.stringify({ url, operator, tokens }), { mode: 0o600 })
renameSync(`${file}.new`, file)
console.log(`at ${url}, with teams for ${Object.keys(tokens).join(', ')}`)
