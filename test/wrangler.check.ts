import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { listQueues } from '../scripts/installation/config.ts'
import { account, counted, expect, expectMatch, home, npmRun, setUpWell, toHomePath } from './support/installations.ts'

// Sets an installation up with the real wrangler, which calls an emulated API of Cloudflare: what it understands, and what it
// prints. The emulated wrangler of `test/setup.check.ts` must make the same.
try {
  await setUpTwice()
  console.log(`an installation set up twice by the real wrangler: ${counted.checks} checks`)
} finally {
  rmSync(home, { recursive: true, force: true })
}

/** The same with the real wrangler: what it sends to Cloudflare is what the account then has. */
async function setUpTwice(): Promise<void> {
  const file = toHomePath('cloudflare.json')
  const api = spawn(process.execPath, [path.resolve('test/support/fake-cloudflare.js'), file])
  try {
    const [port] = (await once(api.stdout, 'data')) as [Buffer]
    const env = {
      RUNS_WRANGLER: process.execPath,
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${String(port).trim()}`,
      CLOUDFLARE_API_TOKEN: 'none',
      CLOUDFLARE_ACCOUNT_ID: '0123456789abcdef0123456789abcdef',
    }
    setUpWell(['--name', 'real', '--location', 'apac', '--domain', 'api.example.com'], env)
    const first = readReal(file)
    setUpWell(['--name', 'late', '--location', 'apac'])
    const emulated = account()
    const ofLate = (names: string[]) =>
      names.filter(name => /^caseworker-late/.test(name)).map(name => name.replace('-late', '-real'))
    expect([...first.queues].sort(), ofLate(emulated.queues).sort(), 'queues')
    expect(
      first.buckets.map(({ name }) => name).sort(),
      ofLate(emulated.buckets.map(({ name }) => name)).sort(),
      'buckets',
    )
    expect(
      [...new Set([...first.databases, ...first.buckets].map(each => each.primary_location_hint ?? each.locationHint))],
      ['apac'],
      'locations',
    )
    expect(
      first.unknown.filter(asked => !/^PUT .*\/schedules$/.test(asked)),
      [],
      'calls that are not emulated',
    )
    const worker = first.workers['caseworker-real']
    expect(worker?.domains, ['api.example.com'], 'domains')
    expect(getSecrets(first), ['SECRETS_KEY'], 'secrets')
    expect(worker?.metadata.placement, { mode: 'targeted', region: 'aws:ap-southeast-1' }, 'placement')
    expect(worker?.subdomain, { enabled: true, previews_enabled: false }, 'addresses at workers.dev')
    expect(
      Object.values(first.consumers).every(({ script_name }) => script_name === 'caseworker-real'),
      true,
      'consumers',
    )
    pauses(file, env)
    const again = setUpWell(['--name', 'real'], env)
    expectMatch(again.output, /bookmark {2}0000-1, kept/, 'a bookmark')
    const second = readReal(file)
    const things = ({ databases, queues, buckets }: RealAccount) => ({ databases, queues, buckets })
    expect(things(second), things(first), 'the account after another run')
    expect(getSecrets(second), ['SECRETS_KEY', 'PAUSED'], 'secrets after another run')
    const sent = second.workers['caseworker-real']?.metadata.bindings.filter(({ type }) => type === 'secret_text')
    expect(sent, [], 'secrets that another run sends')
    keepFewQueues()
    goesBack(file, env)
    await updatesInSteps(file, env)
  } finally {
    api.kill()
  }
}

/** Wrangler takes two seconds for each queue, and all have been made, paused and found by it: the steps that follow do with two. */
function keepFewQueues(): void {
  for (const config of ['wrangler.toml', 'installations/real.toml']) {
    const text = readFileSync(toHomePath(config), 'utf8')
    const kept = text.replaceAll(/^\[\[queues\.\w+\]\]\n(?:(?!\[).*\n)*/gm, table =>
      /^queue = ".*\bsends"$/m.test(table) ? table : '',
    )
    writeFileSync(toHomePath(config), kept)
    expect(listQueues(kept).length, 2, 'the queue of sends, and that of its dead letters')
  }
}

function pauses(file: string, env: Record<string, string>): void {
  const { status, output } = npmRun('admin', ['pause', '--installation', 'real'], env)
  expect(status, 0, output)
  const { secrets, queueSettings } = readReal(file)
  expect(secrets['caseworker-real']?.PAUSED, 'true', 'the secret that pauses')
  expect(
    [...new Set(Object.values(queueSettings).map(each => JSON.stringify(each)))],
    [JSON.stringify({ message_retention_period: 14 * 24 * 60 * 60, delivery_paused: true })],
    'the queues in a pause',
  )
}

/** The output of wrangler about versions is understood, and the chosen one is deployed. */
function goesBack(file: string, env: Record<string, string>): void {
  const settled = { ...env, ROLLBACK_SETTLE_SECONDS: '0' }
  const ids = readReal(file).workers['caseworker-real']?.versions.map(({ id }) => id) ?? []
  const nowhere = ['--url', 'http://127.0.0.1:9']
  const { status, output } = npmRun('admin', ['rollback', '--installation', 'real', '--yes', ...nowhere], settled)
  expect(status, 1, output)
  expectMatch(output, /deployed [\s\S]*\/v1\/health: no answer/, 'a version that is deployed, and does not answer')
  const { deployments } = readReal(file).workers['caseworker-real'] ?? {}
  expect([deployments?.[0]?.versions[0]?.version_id], ids.slice(2, 3), 'the version before that was not paused')
  pausesBehind(file, env)
}

/** A pause after a rollback, and its end. */
function pausesBehind(file: string, env: Record<string, string>): void {
  const before = readReal(file).workers['caseworker-real']?.deployments[0]?.versions[0]?.version_id
  for (const [verb, value] of [
    ['pause', 'true'],
    ['resume', undefined],
  ] as const) {
    const { status, output } = npmRun('admin', [verb, '--installation', 'real'], env)
    expect([status, readReal(file).secrets['caseworker-real']?.PAUSED], [0, value], output)
  }
  const { deployments, versions } = readReal(file).workers['caseworker-real'] ?? {}
  expect(deployments?.[0]?.versions[0]?.version_id, before, 'what runs after it')
  expect(Object.keys(versions?.[0]?.secrets ?? {}), ['SECRETS_KEY'], 'secrets of what is deployed next')
}

/** An update in steps to its end: the real wrangler uploads, deploys 0 % as well, and sets what is of no version. */
async function updatesInSteps(file: string, env: Record<string, string>): Promise<void> {
  const edge = spawn(process.execPath, [path.resolve('test/support/fake-edge.js'), file, 'caseworker-real'])
  try {
    const [port] = (await once(edge.stdout, 'data')) as [Buffer]
    const asked = { ...env, OPERATOR_TOKEN: 'the-token-of-the-operator', GRADUAL_ASK_SECONDS: '0' }
    const steps = ['--gradual', '--wait-minutes', '0', '--url', `http://127.0.0.1:${String(port).trim()}`]
    setUpWell(['--name', 'real', ...steps], asked)
    const { deployments = [], versions = [] } = readReal(file).workers['caseworker-real'] ?? {}
    const shares = deployments.slice(0, 4).map(each => each.versions.map(({ percentage }) => percentage))
    expect(shares, [[100], [50, 50], [90, 10], [100, 0]], 'the shares, from newer to older')
    expect(deployments[0]?.versions[0]?.version_id, versions[0]?.id, 'what runs')
  } finally {
    edge.kill()
  }
}

interface RealAccount {
  databases: { name: string; primary_location_hint?: string; locationHint?: string }[]
  queues: string[]
  queueSettings: Record<string, object>
  buckets: { name: string; primary_location_hint?: string; locationHint?: string }[]
  consumers: Record<string, { script_name: string }>
  unknown: string[]
  secrets: Record<string, Record<string, string>>
  workers: Record<
    string,
    {
      versions: { id: string; secrets: object }[]
      deployments: { versions: { version_id: string; percentage: number }[] }[]
      domains: string[]
      subdomain: unknown
      metadata: { placement: unknown; bindings: { type: string }[] }
    }
  >
}

function getSecrets({ secrets }: RealAccount): string[] {
  return Object.keys(secrets['caseworker-real'] ?? {})
}

function readReal(file: string): RealAccount {
  return JSON.parse(readFileSync(file, 'utf8')) as RealAccount
}
