import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { EMULATOR, whatsappWorker } from './whatsapp/bundle.ts'
import { hushExpectedExceptions } from './whatsapp/quiet.ts'

hushExpectedExceptions()

/** What the pool calls the Worker under test: the provider's stand-in sends its webhooks there. */
const PROJECT = 'workers'
const UNDER_TEST = `vitest-pool-workers-runner-${PROJECT}`

export default defineConfig(async () => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations('./drizzle'),
          SECRETS_KEY: btoa('a key of thirty-two bytes, tests'),
          WHATSAPP_TIMEOUT_MS: '2000',
        },
        serviceBindings: { WHATSAPP: EMULATOR },
        workers: [await whatsappWorker({ api: UNDER_TEST })],
      },
    }),
  ],
  test: {
    name: PROJECT,
    include: ['test/**/*.test.ts'],
    exclude: ['test/whatsapp/**'],
    setupFiles: ['test/support/apply-migrations.ts'],
    root: '.',
    // Machines with few cores run several files at once.
    testTimeout: 20_000,
    onConsoleLog: log => !log.startsWith('{"requestId"'),
  },
}))
