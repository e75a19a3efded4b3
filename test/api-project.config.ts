import { readdirSync, readFileSync } from 'node:fs'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import type { ViteUserConfig } from 'vitest/config'
import { unstable_readConfig as readConfig } from 'wrangler'
import { EMULATOR, whatsappWorker } from './whatsapp/bundle.ts'
import { hushExpectedExceptions } from './whatsapp/quiet.ts'

hushExpectedExceptions()

/** What moves the clock, works on the data of all teams, or changes the runtime for everybody: its file runs by itself. */
const NEEDS_ITS_OWN =
  /Harness|FakeTimers|advanceTo|[sS]weep|spyOn|stubGlobal|assign\(env|imiter|DELETE FROM|DROP |DatabaseWaits|clock|Migrations|Snapshot/

const FILES = readdirSync('test', { recursive: true, encoding: 'utf8' }).filter(
  file => file.endsWith('.test.ts') && !/node_modules|^(whatsapp|far|pages|together)\//.test(file),
)
const canShare = (file: string) => file.includes('/') && !NEEDS_ITS_OWN.test(readFileSync(`test/${file}`, 'utf8'))
const sharing = FILES.filter(canShare)
const groups = readdirSync('test/together').filter(file => file.endsWith('.test.ts'))
const TOGETHER = groups.map((_, group) => sharing.filter((_, nth) => nth % groups.length === group))

/** For single runs each file is by itself (`api`). `npm test` runs what can share a runtime in groups. */
const INCLUDED = {
  api: FILES,
  'api-grouped': [...FILES.filter(file => !canShare(file)), ...groups.map(file => `together/${file}`)],
}

/** Packages of which Vite makes one module each: every test file loads all modules of the Worker one by one. */
const BUNDLED = [
  'zod',
  ...['hono', 'hono/router', 'hono/route', 'hono/body-limit', '@hono/zod-validator'],
  ...['drizzle-orm', 'drizzle-orm/sqlite-core', 'drizzle-orm/d1', 'drizzle-orm/casing'],
  'fast-check',
]

// The API is the Worker under test; everything it fetches is answered by the emulated provider, which calls it back.
export const apiProject = async (name: keyof typeof INCLUDED): Promise<ViteUserConfig> => ({
  // Not in `node_modules`, which copies of the project share.
  cacheDir: '.wrangler/vite',
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations('./drizzle'),
          TOGETHER,
          QUERIES: process.env.QUERIES ?? '',
          FUZZ: process.env.FUZZ ?? '',
          SEED: process.env.SEED ?? '',
          SECRETS_KEY: btoa('a key of thirty-two bytes, tests'),
          WHATSAPP_TIMEOUT_MS: '2000',
          LOG_SUCCESS_PERCENT: '100',
          LOG_SUCCESS_PERCENT_SHIPPED: readConfig({ config: './wrangler.toml' }).vars.LOG_SUCCESS_PERCENT as string,
          // A test may work its team as hard as it likes.
          TEAM_DATABASE_MS_PER_SECOND: '1000000',
          TEAM_DATABASE_BURST_MS: '1000000',
          // What is written behind a response would come between what tests count; those about it set it.
          REQUEST_RETENTION_DAYS: '0',
          REQUEST_BATCH_SECONDS: '0',
          REQUEST_READS_PERCENT: '100',
          RUNS: process.env.RUNS ?? '',
          LEDGER: process.env.LEDGER ?? '',
          YEARS: process.env.YEARS ?? '',
          CHAOS: process.env.CHAOS ?? '',
          QUEUE_CONSUMERS: readConfig({ config: './wrangler.toml' }).queues.consumers ?? [],
        },
        serviceBindings: { WHATSAPP: EMULATOR },
        outboundService: EMULATOR,
        workers: [await whatsappWorker({ api: `vitest-pool-workers-runner-${name}` })],
      },
    }),
  ],
  test: {
    name,
    root: '.',
    include: INCLUDED[name].map(file => `test/${file}`),
    setupFiles: ['test/support/apply-migrations.ts', 'test/support/seed.ts', 'test/support/webhook-queue.ts'],
    testTimeout: 15_000,
    // What is made before the tests of a group is not what they are about.
    hookTimeout: 30_000,
    deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    // The log lines of the Worker itself; what tests have to say still comes through.
    onConsoleLog: (log: string) => !/^\{"(requestId|job|metrics|webhook)":/.test(log),
  },
})
