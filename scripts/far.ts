import { spawnSync } from 'node:child_process'
import { FAR, type FarOptions } from '../test/far/platform/options.ts'
import { startFar } from '../test/far/server/start.ts'
import { readArguments, refuseArguments } from './arguments.ts'
import { PORT_MAX } from './local/ports.ts'

const kebab = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
const names = Object.keys(FAR) as (keyof FarOptions)[]
const USAGE = `usage: npm run far -- [--port=8799] [--<option>=<number>]…
The Worker as far away as Cloudflare is, with its limits: ${names.map(name => `--${kebab(name)}`).join(' ')}
       npm run far -- --table
How long a caller waits, by how far away the database is.`
const { values } = readArguments(USAGE, {
  options: {
    port: { type: 'string', default: '8799' },
    table: { type: 'boolean', default: false },
    ...Object.fromEntries(names.map(name => [kebab(name), { type: 'string' as const }])),
  },
})
if (values.table) {
  const vitest = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--root', '.', '--project', 'far']
  const env = { ...process.env, FAR: 'print' }
  const { status } = spawnSync('npx', [...vitest, 'test/far/trips.test.ts'], { env, stdio: 'inherit' })
  process.exit(status ?? 1)
}
const given = values as Record<string, string | boolean | undefined>
const options = Object.fromEntries(
  names.flatMap(name => {
    const value = given[kebab(name)]
    return value === undefined ? [] : [[name, Number(value)]]
  }),
)
const wrong = Object.entries(options).filter(([, value]) => !(Number(value) >= 0))
if (wrong.length > 0) refuseArguments(`not a number: ${wrong.map(([name]) => `--${kebab(name)}`).join(', ')}`, USAGE)
if (!/^[1-9]\d{0,4}$/.test(String(values.port)) || Number(values.port) >= PORT_MAX)
  refuseArguments(`--port must be a whole number from 1 to ${PORT_MAX - 1}`, USAGE)
const server = await startFar({ port: Number(values.port), options })
const chosen = Object.entries({ ...FAR, ...options }).map(([name, value]) => `  --${kebab(name)}=${value}`)
console.log(`
Caseworker, far away, is at  ${server.url}
The emulated WhatsApp:  ${server.whatsappUrl}
Token of its team:  ${server.token}

${chosen.join('\n')}

curl -s ${server.url}/v1/ext/users -H 'authorization: Bearer ${server.token}'
A cold isolate:  curl -X POST ${server.url}/far/vanish        More:  test/far/README.md
`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => void server.stop().then(() => process.exit(0)))
