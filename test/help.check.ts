import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { announceStart, operatorTokenFile } from '../scripts/local/running.ts'

// Each command of package.json that is a program of this repository prints its usage, and does nothing else; and `npm
// run team` describes mistakes in a sentence. Nothing is started but a server that answers as the API would.

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const file = /^node .*--import tsx (\S+)$/.exec(command)?.[1]
  return file === undefined || name === 'caseworker' ? [] : [{ name, file }]
})
let failed = 0
function expect(holds: boolean, what: string, output: string): void {
  if (holds) return
  failed += 1
  console.error(`FAILED ${what}\n${output}`)
}
const hasTrace = (output: string): boolean => /^ {4}at /m.test(output)
const toCommand = (name: string): string => (name === 'start' ? 'npm start' : `npm run ${name}`)
/** Behind a usage of thirty lines nobody finds the sentence. */
const namesHelp = (name: string, output: string): boolean =>
  output.endsWith(`\n\nHow it is used:  ${toCommand(name)} -- --help\n`)

for (const { name, file } of programs) {
  const { status, stdout, stderr } = spawnSync('node', ['--import', 'tsx', file, '--help'], { encoding: 'utf8' })
  const isUsage = stdout.includes(toCommand(name))
  expect(status === 0 && isUsage && !hasTrace(stderr), `npm run ${name} -- --help`, stdout + stderr)
  refuses(name, file, ['--nope'], "Unknown option '--nope'")
}
// Whoever forgets the quotes would get a team with another name, an address that is none, and so on.
for (const [name, file, args] of [
  ['team', 'scripts/team.ts', ['create', 'Your', 'team']],
  ['setup', 'scripts/setup.ts', ['acme']],
  ['start', 'scripts/start.ts', ['8790']],
  ['smoke', 'scripts/smoke.ts', ['http://localhost:9', 'cw_x', 'slow']],
  ['team', 'scripts/team.ts', ['export', 'demo', 'folder']],
  ['admin', 'scripts/admin.ts', ['pause', 'acme']],
] as const)
  refuses(name, file, args, `unexpected argument "${args.at(-1)}"`)

refuses('far', 'scripts/far.ts', ['--port=abc'], '--port must be a whole number')
refuses(
  'smoke',
  'scripts/smoke.ts',
  ['api.example.com', 'cw_x'],
  'the address of the installation and a token are needed',
)
refuses('mutants', 'scripts/mutants.ts', ['--sample=x'], '--sample must be a whole number')
refuses('scale', 'scripts/scale.ts', ['--mix=80,20'], '--mix must be 3 whole numbers')

function refuses(name: string, file: string, args: readonly string[], sentence: string): void {
  const { status, stdout, stderr } = spawnSync('node', ['--import', 'tsx', file, ...args], { encoding: 'utf8' })
  const isSaid = status === 2 && stderr.startsWith(sentence) && namesHelp(name, stderr) && !hasTrace(stderr)
  expect(isSaid, `npm run ${name} -- ${args.join(' ')}`, stdout + stderr)
}

const state = mkdtempSync(path.join(tmpdir(), 'caseworker-help-'))
const server = createServer((request, response) => {
  const isOperator = request.headers.authorization === 'Bearer the-token-of-this-start'
  const [status, error] = isOperator ? [404, 'team demo not found'] : [401, 'this is not the token of the operator']
  response.writeHead(Number(status), { 'content-type': 'application/json' })
  response.end(JSON.stringify({ _data: {}, _meta: { errors: [] }, _errors: [error] }))
})
await new Promise<void>(resolve => server.listen(0, resolve))
const { port } = server.address() as AddressInfo
mkdirSync(state, { recursive: true })
writeFileSync(operatorTokenFile(state), 'the-token-of-this-start')
announceStart({ pid: process.pid, port, state })

/** This is not `spawnSync`, since the server answers in this process. */
async function runTeam(args: readonly string[], env: NodeJS.ProcessEnv) {
  const { spawn } = await import('node:child_process')
  const child = spawn('node', ['--import', 'tsx', 'scripts/team.ts', ...args], { env: { ...process.env, ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', data => (output += String(data)))
  const status = await new Promise<number | null>(resolve => child.on('close', resolve))
  return { status, output }
}
const url = ['--url', `http://localhost:${port}`]
for (const [args, env, status, sentence] of [
  [['sign-in', 'demo', ...url], {}, 1, 'team demo not found\n'],
  [['sign-in', 'demo', ...url], { OPERATOR_TOKEN: 'x' }, 1, 'this is not the token of the operator\n'],
  [['sign-in', 'demo', '--url', 'http://localhost:9'], {}, 2, 'OPERATOR_TOKEN is not set'],
  [
    ['sign-in', 'demo', '--url', 'http://localhost:9'],
    { OPERATOR_TOKEN: 'x' },
    1,
    'http://localhost:9 cannot be reached\n',
  ],
  [['import', 'demo', '--folder', '/nowhere', ...url], {}, 1, 'there is no /nowhere/rows.ndjson'],
  [
    ['rename', 'demo'],
    {},
    2,
    'there is no command rename: create, suspend, resume, limit, export, import, erase, sign-in, backup, backups, restore',
  ],
  [['backups', 'demo', '--backups', '/nowhere'], {}, 1, 'there is no backup of demo in /nowhere'],
  [['backups', 'demo', '--within', 'a day'], {}, 2, '--within must be a whole number of hours above 0'],
  [['backups', 'demo', '--within', '99999', '--backups', '/nowhere'], {}, 1, 'there is no backup of demo in /nowhere'],
  [['create', '   '], {}, 2, 'the name of the team is missing'],
  [['restore', 'demo', '--backups', '/nowhere', ...url], {}, 1, 'there is no backup of demo'],
  [['backup', 'demo', '--folder', 'demo'], {}, 2, 'backup has no option --folder'],
  [['Acme'], {}, 2, 'there is no command Acme: create, '],
  [['suspend', 'demo', '--folder', 'demo'], {}, 2, 'suspend has no option --folder'],
  [['limit', 'demo'], {}, 2, 'limit needs one of --rows-per-day and --none'],
  [['limit', 'demo', '--none', '--rows-per-day', '5'], {}, 2, 'limit needs one of --rows-per-day and --none'],
  [['limit', 'demo', '--rows-per-day', '1e6'], {}, 2, '--rows-per-day must be a whole number above 0'],
  [['limit', 'demo', '--none', '--revoke-keys'], {}, 2, 'limit has no option --revoke-keys'],
  [['export', 'demo', '--nope'], {}, 2, "Unknown option '--nope'"],
] as const) {
  const said = await runTeam(args, env)
  const isSaid = said.status === status && said.output.startsWith(sentence) && !hasTrace(said.output)
  const isRefused = status !== 2 || namesHelp('team', said.output)
  expect(isSaid && isRefused, `npm run team -- ${args.join(' ')}`, said.output)
}
server.close()
rmSync(state, { recursive: true })
if (failed > 0) process.exit(1)
console.log(
  `${programs.length} commands say how they are used and refuse what they do not know, and npm run team says what is wrong`,
)
