import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Readable } from 'node:stream'
import { verifyWebhook, type WebhookEvent } from '../../src/client/client.ts'
import { expectMatch, expectSame } from '../support/expectations.ts'
import { sleep } from '../support/sleep.ts'
import { freePort } from '../support/started.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const WITHIN_MS = 60_000

/** `caseworker listen` beside a receiver that accepts, refuses and drops what it gets. */
export async function listens(env: NodeJS.ProcessEnv): Promise<void> {
  const received: WebhookEvent[] = []
  const connections = new Set<unknown>()
  const receiver = createServer(async (request, response) => {
    connections.add(request.socket)
    received.push(await verifyWebhook({ headers: request.headers, body: await toBody(request) }, SECRET))
    if (received.length === 2) response.writeHead(500).end('not now\nand a page')
    else if (received.length === 3) response.destroy()
    else if (received.length === 4) response.writeHead(307, { location: '/elsewhere' }).end()
    else response.writeHead(204).end()
  }).listen(0)
  const address = `localhost:${(receiver.address() as AddressInfo).port}/hooks`
  const listening = start(env, '--types', 'process.created', '--forward-to', address, '--secret', SECRET)
  try {
    const after = Number(/^Listening after event (\d+)\./.exec(await listening.until(/signed with .*\n/))?.[1])
    for (let nth = 1; nth <= 5; nth++) await create(env, `LISTEN-${nth}`)
    await listening.until(/204 \(\d+ ms\)\n(.*\n)*.*204 \(\d+ ms\)\n/)
    const { code, stdout, stderr } = await listening.interrupt()
    const printed = lines(stdout).map(line => JSON.parse(line) as WebhookEvent)
    expectSame(printed, received, 'what is printed, and what is received')
    // The demo team's messages and jobs cause events between these.
    expectSame(
      received.map(({ type }) => type),
      Array(5).fill('process.created'),
      'the events',
    )
    const numbers = received.map(({ sequence }) => Number(sequence))
    expectSame(
      numbers.every((number, nth) => number > (numbers[nth - 1] ?? after)),
      true,
      `${numbers} grow from ${after}`,
    )
    expectSame(
      lines(stderr).flatMap(line => /^ {2}(. )evt_\w+ (\D*\d+.*) \(\d+ ms\)$/.exec(line)?.slice(1).join('') ?? []),
      ['→ 204', '✗ 500 not now', '✗ 307', '→ 204'],
      'what came of those that were answered',
    )
    expectMatch(stderr, / {2}✗ evt_\w+ (other side closed|socket hang up|read ECONNRESET) /, 'the one that was dropped')
    expectSame(connections.size, received.length, 'an event takes a connection of its own')
    expectSame(code, 0, `after Ctrl-C: ${stderr}`)
    const end = Number(/Ended after event (\d+); 3 not accepted\. To go on: .* --after \1\n$/.exec(stderr)?.[1])
    expectSame(end >= (numbers.at(-1) ?? 0), true, `the end: ${stderr}`)
    await goesOn(env, (numbers[0] ?? 0) - 1)
    await endsByItself(env, after)
  } finally {
    receiver.close()
    await listening.interrupt()
  }
}

/** Ends after so many events, without Ctrl-C and without a further event. */
async function endsByItself(env: NodeJS.ProcessEnv, after: number): Promise<void> {
  const { code, stdout, stderr } = await start(
    env,
    '--after',
    String(after),
    '--types',
    'process.created',
    '--limit',
    '2',
  ).ended()
  expectSame([code, lines(stdout).length], [0, 2], `with --limit 2: ${stderr}`)
  expectMatch(stderr, /Ended after event \d+\. To go on: /, 'where it ended')
}

/**
 * Starts at a number, prints text for people, and forwards to an address where nobody listens; and with a fixed secret.
 */
async function goesOn(env: NodeJS.ProcessEnv, after: number): Promise<void> {
  const secrets: (string | undefined)[] = []
  const nobody = String(await freePort())
  for (const nth of [1, 2]) {
    const listening = start(env, '--after', String(after), '--format', 'text', '--forward-to', nobody)
    await listening.until(/ECONNREFUSED.*\n/)
    const { code, stdout, stderr } = await listening.interrupt()
    expectSame(code, 0, `from a number, time ${nth}`)
    expectMatch(
      stdout,
      new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\S+Z {2}${after + 1} {2}process\\.created {2}lead [\\w-]{36}`),
      'as text',
    )
    secrets.push(/signed with (whsec_\S+)/.exec(stderr)?.[1])
  }
  expectSame([secrets[0], secrets[0] === undefined], [secrets[1], false], 'the secret of the same token')
}

function start(env: NodeJS.ProcessEnv, ...words: string[]) {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn('caseworker', ['listen', ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString()))
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  return {
    /** Returns the standard error, once it has such a text. */
    async until(pattern: RegExp): Promise<string> {
      for (const startedAt = Date.now(); !pattern.test(said.stderr); ) {
        if (Date.now() - startedAt > WITHIN_MS || child.exitCode !== null)
          throw new Error(`listen has not said ${pattern}: ${said.stderr}`)
        await sleep(50)
      }
      return said.stderr
    },
    async ended() {
      const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS)
      const code = await ended
      clearTimeout(timer)
      return { code, ...said }
    },
    async interrupt() {
      if (child.exitCode === null) child.kill('SIGINT')
      return { code: await ended, ...said }
    },
  }
}

async function create({ CASEWORKER_URL, CASEWORKER_TOKEN }: NodeJS.ProcessEnv, lead: string): Promise<void> {
  const { status } = await fetch(`${CASEWORKER_URL}/v1/ext/procedure/lead/process`, {
    method: 'POST',
    headers: { authorization: `Bearer ${CASEWORKER_TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify({ data: { lead_id: lead } }),
  })
  expectSame(status, 201, lead)
}

async function toBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const lines = (text: string): string[] => text.split('\n').filter(line => line !== '')
