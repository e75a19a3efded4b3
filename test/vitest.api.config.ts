import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { unstable_readConfig as readConfig } from 'wrangler'
import { EMULATOR, whatsappWorker } from './whatsapp/bundle.ts'
import { hushExpectedExceptions } from './whatsapp/quiet.ts'

hushExpectedExceptions()

const NAME = 'api'

// The API is the Worker under test; everything it fetches is answered by the emulated provider, which calls it back.
export default defineConfig(async () => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations('./drizzle'),
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
          RUNS: process.env.RUNS ?? '',
          LEDGER: process.env.LEDGER ?? '',
          YEARS: process.env.YEARS ?? '',
          CHAOS: process.env.CHAOS ?? '',
          QUEUE_CONSUMERS: readConfig({ config: './wrangler.toml' }).queues.consumers ?? [],
        },
        serviceBindings: { WHATSAPP: EMULATOR },
        outboundService: EMULATOR,
        workers: [await whatsappWorker({ api: `vitest-pool-workers-runner-${NAME}` })],
      },
    }),
  ],
  test: {
    name: NAME,
    root: '.',
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'test/whatsapp/**', 'test/far/**'],
    setupFiles: ['test/support/apply-migrations.ts', 'test/support/seed.ts', 'test/support/webhook-queue.ts'],
    testTimeout: 15_000,
    // The log lines of the Worker itself; what tests have to say still comes through.
    onConsoleLog: (log: string) => !/^\{"(requestId|job|metrics)":/.test(log),
  },
}))
