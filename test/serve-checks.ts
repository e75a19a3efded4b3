import { writeFileSync } from 'node:fs'
import { startCheckServer, TEAMS } from './support/check-server.ts'

// node --import tsx test/serve-checks.ts <file>: one server for all checks that need nothing special of it, until it is ended.
// With CHECK_SERVER=<file> they use it, as .ci/run has them do.
const [file] = process.argv.slice(2)
if (file === undefined) {
  console.error('usage: node --import tsx test/serve-checks.ts <file>')
  process.exit(2)
}
const { running, url, tokens } = await startCheckServer(TEAMS)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    await running.stop()
    console.log(running.complaints())
    process.exit(0)
  })
writeFileSync(file, JSON.stringify({ url, tokens }), { mode: 0o600 })
console.log(`${TEAMS.length} teams at ${url}`)
