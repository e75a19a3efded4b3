import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { expectSame } from './expectations.ts'
import { sleep } from './sleep.ts'
import { freePort, type StartedTeam } from './started.ts'

const WAIT_MS_MAX = 90_000

interface Answer {
  // biome-ignore lint/suspicious/noExplicitAny: the check says what it expects
  _data: any
}

async function called({ url, token }: StartedTeam, method: string, path: string, body?: unknown): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url + path, { method, headers, ...init })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

async function until(holds: () => boolean, what: () => string): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`in vain waited for: ${what()}`)
    await sleep(100)
  }
}

/**
 * Runs a receiver of `examples/` against deliveries of the Worker: only updates are sent to it, so what else happens is a
 * gap that it fills from the feed; a replay sends what it has seen.
 */
export async function checkReceiver(
  running: StartedTeam,
  name: string,
  start: (port: number) => { command: string; args: string[]; cwd?: string; state: string },
): Promise<void> {
  const port = await freePort()
  const body = { url: `http://localhost:${port}/hooks`, types: ['process.updated'] }
  const { _data: webhook } = await called(running, 'POST', '/v1/ext/webhook', body)
  const { command, args, cwd, state } = start(port)
  const env = { ...process.env, API: running.url, TOKEN: running.token, SECRET: `whsec_AAAA ${webhook.secret}` }
  let [printed, said] = ['', '']
  const begin = async (): Promise<ChildProcess> => {
    said = ''
    const begun = spawn(command, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    begun.stdout.on('data', chunk => (printed += chunk))
    begun.stderr.on('data', chunk => (said += chunk))
    await until(
      () => said.includes('listening'),
      () => `${name} listening: ${said}`,
    )
    return begun
  }
  const lines = () => printed.split('\n').slice(0, -1)
  // Status reports of messages of other programs may come between them.
  const handled = () => lines().flatMap(line => (/^\d+ process\./.test(line) ? [line.split(' ')] : []))
  let child = await begin()
  try {
    // Events that happen while it is down are not lost, although it had handled nothing yet.
    child.kill()
    await once(child, 'exit')
    const leads = '/v1/ext/procedure/lead/process'
    const { _data: lead } = await called(running, 'POST', leads, { data: { lead_id: `EVENT-${name}-1` } })
    child = await begin()
    const path = `/v1/ext/webhook/${webhook.id}`
    const tested = await called(running, 'POST', `${path}/test`)
    expectSame(tested._data.status, 204, `${name}: a test event`)
    const forged = await fetch(body.url, { method: 'POST', body: '{}' })
    expectSame(forged.status, 400, `${name}: a forged request`)

    await called(running, 'POST', leads, { data: { lead_id: `EVENT-${name}-2` } })
    await called(running, 'PUT', `${leads}/${lead.id}`, { data: { score: 70 } })
    await until(
      () => handled().length >= 3,
      () => `${name}: three events, not ${printed} ${said}`,
    )
    expectSame(
      handled().map(([, type]) => type),
      ['process.created', 'process.created', 'process.updated'],
      `${name}: the gap was filled`,
    )
    const [first = 0, second = 0, third = 0] = handled().map(([sequence]) => Number(sequence))
    expectSame(first < second && second < third, true, `${name}: in order`)
    await called(running, 'POST', `${path}/replay`, { from: third, to: third })
    const seenBefore = () => lines().some(line => /^seen before: evt_\w+$/.test(line))
    await until(seenBefore, () => `${name}: a duplicate, not ${printed} ${said}`)
    expectSame(handled().length, 3, `${name}: a duplicate is not handled again`)

    // A restore has taken two events back that it had handled: the next one has the number of the first of them.
    const restart = async (change: object) => {
      child.kill()
      await once(child, 'exit')
      writeFileSync(state, JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), ...change }))
      child = await begin()
    }
    await restart({ sequence: third + 2, id: 'evt_before_the_restore' })
    await called(running, 'PUT', `${leads}/${lead.id}`, { data: { score: 80 } })
    await until(
      () => handled().length >= 4,
      () => `${name}: an event with a number that was given again, not ${printed} ${said}`,
    )
    // The log has reached its number again meanwhile.
    await restart({ id: 'evt_before_the_restore' })
    await called(running, 'POST', `${path}/replay`, { from: third + 1, to: third + 1 })
    await until(
      () => handled().length >= 5,
      () => `${name}: another event under the number, not ${printed} ${said}`,
    )
    expectSame(
      handled().map(([sequence]) => Number(sequence)),
      [first, second, third, third + 1, third + 1],
      `${name}: what was handled`,
    )
    await called(running, 'DELETE', path)
  } finally {
    child.kill()
  }
}
