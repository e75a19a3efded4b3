import { readdirSync } from 'node:fs'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import type { ViteUserConfig } from 'vitest/config'
import { unstable_readConfig as readConfig } from 'wrangler'
import { sourceBundle } from './support/source-bundle.ts'
import { EMULATOR, whatsappWorker } from './whatsapp/bundle.ts'
import { hushExpectedExceptions } from './whatsapp/quiet.ts'

hushExpectedExceptions()

const FILES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(file => file.endsWith('.test.ts') && !/node_modules|^(whatsapp|far|admin|admin-browser)\//.test(file))
  .map(file => `test/${file}`)
/**
 * Returns whether a file has the name of those that look at a Worker that has just started, or leave one behind that no
 * other file can use.
 */
const needsOwnRuntime = (file: string) => file.endsWith('.alone.test.ts')

const SOURCE = sourceBundle('src/index.ts')

/** Packages of which Vite makes one module each: otherwise every one of their files is loaded by itself. */
const BUNDLED = [
  'zod',
  ...['hono', 'hono/router', 'hono/route', '@hono/zod-validator'],
  ...['drizzle-orm', 'drizzle-orm/sqlite-core', 'drizzle-orm/d1', 'drizzle-orm/casing'],
  'fast-check',
]

/**
 * Tests of the Worker, in its runtime. Everything that it fetches is answered by the emulated provider, which calls it back.
 * The files of `api` run one after the other in a few runtimes, each on an empty storage; those of `alone` in one each.
 */
export async function workerProject(name: 'api' | 'alone', groupOrder: number): Promise<ViteUserConfig> {
  const isShared = name === 'api'
  return {
    // The cache is not in `node_modules`, which copies of the project share.
    cacheDir: '.wrangler/vite',
    plugins: [
      await SOURCE,
      cloudflareTest({
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: {
            TEST_MIGRATIONS: await readD1Migrations('./drizzle'),
            QUERIES: process.env.QUERIES ?? '',
            FUZZ: process.env.FUZZ ?? '',
            SEED: process.env.SEED ?? '',
            SECRETS_KEY: btoa('a key of thirty-two bytes, tests'),
            PROVIDER_TUNING: { timeoutMs: 2_000 },
            LOG_SUCCESS_PERCENT: '100',
            LOG_SUCCESS_PERCENT_SHIPPED: readConfig({ config: './wrangler.toml' }).vars.LOG_SUCCESS_PERCENT as string,
            // A test may work its team as hard as it likes.
            TEAM_DATABASE_MS_PER_SECOND: '1000000',
            TEAM_DATABASE_BURST_MS: '1000000',
            // Rows that are written after a response would disturb the counts of tests; tests of the log set it.
            REQUEST_RETENTION_DAYS: '0',
            REQUEST_LOG_TUNING: { batchMs: 0 },
            REQUEST_READS_PERCENT: '100',
            RUNS: process.env.RUNS ?? '',
            COSTS: process.env.COSTS ?? '',
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
      include: FILES.filter(file => needsOwnRuntime(file) !== isShared),
      isolate: !isShared,
      sequence: { groupOrder },
      setupFiles: [
        'test/support/quiet-logs.ts',
        'test/support/worker-module.ts',
        'test/support/quick-pool.ts',
        'test/support/empty-storage.ts',
        'test/support/seed.ts',
        'test/support/report-queue.ts',
      ],
      // The limit is above what anything takes: it ends a test that hangs, also on a machine that is busy with much
      // else.
      testTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      hookTimeout: 600_000,
      deps: { optimizer: { ssr: { enabled: true, include: BUNDLED } } },
    },
  }
}
