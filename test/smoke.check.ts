import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { startFar } from './far/server/start.ts'

// `npm run smoke` against the server of `npm run far`: it passes there, and fails where the service does not work. Run from .ci/run.

const far = await startFar()
try {
  const healthy = await smoke(far.token, '--emulated')
  assert.equal(healthy.code, 0, 'smoke failed')
  const refused = await smoke('cw_wrong', '--json')
  assert.equal(refused.code, 1, 'smoke passed with a token that nobody has')
} finally {
  await far.stop()
}

function smoke(token: string, ...options: string[]): Promise<{ code: number | null }> {
  const imports = ['--import', 'tsx', '--import', './test/support/fresh-connections.ts']
  const args = [...imports, 'scripts/smoke.ts', far.url, ...options]
  const stdio = options.includes('--json') ? 'ignore' : 'inherit'
  const child = spawn('node', args, { stdio, env: { ...process.env, SMOKE_TOKEN: token } })
  return new Promise(resolve => child.on('exit', code => resolve({ code })))
}
