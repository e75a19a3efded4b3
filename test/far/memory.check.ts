import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { unstable_readConfig } from 'wrangler'
import { isolateModule } from './bundle.ts'
import type { Scenario } from './memory/scenarios.ts'
import { startFar } from './server/start.ts'

// The memory for large bodies: each scenario in an isolate of its own, a process of Node with a small heap. An isolate
// of Cloudflare has 128 MB for all its requests together. `node --import tsx test/far/memory.check.ts [a part of a
// name]`

const MB = 1_000_000
const ISOLATE_MB_MAX = 128
/** V8 gives up when objects and texts need more; buffers come on top, and are measured. */
const HEAP_MB_MAX = 110

const far = await startFar({ options: { databaseMs: 0, readMs: 0, writeMs: 0 } })

async function call(method: string, address: string, body: unknown): Promise<{ id: string }> {
  const headers = { authorization: `Bearer ${far.token}`, 'content-type': 'application/json' }
  const response = await fetch(far.url + address, { method, headers, body: JSON.stringify(body) })
  const { _data, _errors } = (await response.json()) as { _data: { id: string }; _errors: string[] }
  if (!response.ok) throw new Error(_errors.join('; '))
  return _data
}

await call('PUT', '/v1/ext/procedure/lead', {
  name: 'Lead',
  states: [{ shortId: 'NEW' }, { shortId: 'WON' }],
  startState: 'NEW',
  completedState: 'WON',
  attributes: ['lead_id', 'note'].map(shortId => ({ shortId, type: 'string' })),
  primaryKey: 'lead_id',
})
const plugin = await call('POST', '/v1/ext/plugin/whatsapp', {
  name: 'Line',
  businessAccountId: '1',
  accessToken: 'a',
  appSecret: 'b',
  verifyToken: 'c',
  phoneNumbers: [{ id: '2', displayNumber: '15551234567' }],
})

// A hundred events, each of a process and a customer of 500 KB.
const LARGE = 'x'.repeat(500_000)
await call('PUT', '/v1/ext/event-feed', { enabled: true })
for (let nth = 0; nth < 100; nth++)
  await call('POST', '/v1/ext/procedure/lead/process', {
    data: { lead_id: `large-${nth}`, note: LARGE },
    record: { data: { phone: `91944830${1_000 + nth}`, note: LARGE } },
  })

const bulk = { kind: 'create', path: '/v1/ext/procedure/lead/process/bulk-create', knownLength: true } as const
const media = { kind: 'media', path: `/v1/ext/plugin/whatsapp/${plugin.id}/upload-public-media`, entries: 0 } as const
const events = { kind: 'read', path: '/v1/ext/event?after=0', entries: 0, bytes: 0, knownLength: true } as const
const streams = { kind: 'stream', entries: 0, bytes: 3 * MB, knownLength: true, atOnce: 10 } as const
const ALL = '/v1/ext/procedure/lead/process?all=true&format=ndjson'
const SCENARIOS: Scenario[] = [
  { name: '100,000 entries, 30 MB', ...bulk, entries: 100_000, bytes: 250, atOnce: 1 },
  {
    name: '100,000 entries, 30 MB, without a content-length',
    ...bulk,
    entries: 100_000,
    bytes: 250,
    atOnce: 1,
    knownLength: false,
  },
  { name: '100,000 entries, 30 MB, two at once', ...bulk, entries: 100_000, bytes: 250, atOnce: 2 },
  // Entries behind the first hundred thousand go to objects.
  ...(
    [
      ['csv', '72 MB', 60],
      ['ndjson', '97 MB', 54],
    ] as const
  ).map(([format, size, bytes]) => ({
    name: `1,000,000 lines of ${format}, ${size}, without a content-length`,
    ...bulk,
    format,
    entries: 1_000_000,
    bytes,
    atOnce: 1,
    knownLength: false,
  })),
  { name: '300 entries of 100 KB, 30 MB, two at once', ...bulk, entries: 300, bytes: 100_000, atOnce: 2 },
  { name: 'a video of 15 MB', ...media, bytes: 15 * MB, atOnce: 1, knownLength: true },
  { name: 'a video of 15 MB, three at once', ...media, bytes: 15 * MB, atOnce: 3, knownLength: true },
  { name: 'a video of 15 MB, ten at once', ...media, bytes: 15 * MB, atOnce: 10, knownLength: true },
  { name: 'all of large processes as NDJSON, ten slow clients at once', ...streams, path: ALL },
  { name: 'a page of events of large processes', ...events, atOnce: 1 },
  { name: 'a page of events of large processes, three at once', ...events, atOnce: 3 },
]

const folder = mkdtempSync(path.join(tmpdir(), 'caseworker-memory-'))
const failed: string[] = []
try {
  const module = path.join(folder, 'worker.mjs')
  const stub = 'export const env = JSON.parse(process.env.VARS); export class DurableObject {}'
  const runtime = `data:text/javascript,${encodeURIComponent(stub)}`
  writeFileSync(module, (await isolateModule()).replace("'cloudflare:workers'\n", `'${runtime}'\n`))
  const script = path.join(folder, 'isolate.mjs')
  await build({
    entryPoints: ['test/far/memory/isolate.ts'],
    outfile: script,
    bundle: true,
    format: 'esm',
    platform: 'node',
  })
  const vars = {
    ...unstable_readConfig({ config: './wrangler.toml' }).vars,
    SECRETS_KEY: btoa('a key of thirty-two bytes, local'),
    // The share of a team would keep apart what is to be held at once.
    TEAM_DATABASE_MS_PER_SECOND: '1000000',
    TEAM_DATABASE_BURST_MS: '1000000',
  }
  console.log('| one isolate | body MB | Worker alone MB | peak MB | of 128 MB |\n|---|---|---|---|---|')
  for (const scenario of SCENARIOS.filter(({ name }) => name.includes(process.argv[2] ?? ''))) {
    const heap = ['--expose-gc', `--max-old-space-size=${HEAP_MB_MAX}`, '--max-semi-space-size=2']
    const args = [module, `${far.url}/far/query`, far.token, JSON.stringify(scenario)]
    const { status, stdout, stderr } = spawnSync(process.execPath, [...heap, script, ...args], {
      env: { ...process.env, VARS: JSON.stringify(vars) },
      encoding: 'utf8',
    })
    const out = stdout.split('\n').at(-1) ?? ''
    if (status !== 0) {
      failed.push(scenario.name)
      const why = /heap out of memory/.test(stderr) ? `more than ${HEAP_MB_MAX} of heap` : stderr.slice(-600)
      console.log(`| ${scenario.name} | | | ${why} | no |`)
      continue
    }
    const { nodeBytes, workerBytes, peakBytes, bodyBytes } = JSON.parse(out) as Record<string, number>
    const peak = Math.round(((peakBytes ?? 0) - (nodeBytes ?? 0)) / MB)
    const own = Math.round(((workerBytes ?? 0) - (nodeBytes ?? 0)) / MB)
    if (peak > ISOLATE_MB_MAX) failed.push(scenario.name)
    console.log(
      `| ${scenario.name} | ${Math.round((bodyBytes ?? 0) / MB)} | ${own} | ${peak} | ${peak <= ISOLATE_MB_MAX ? 'yes' : 'no'} |`,
    )
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
  await far.stop()
}
if (failed.length > 0) {
  console.error(`more memory than an isolate has: ${failed.join('; ')}`)
  process.exitCode = 1
}
