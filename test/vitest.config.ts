import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'

// The runtime prints a harmless line for each test file that is closed, and for each object that a test throws away.
const HARMLESS = /disconnected: WebSocket peer disconnected|jsg\.Error: thrown away/
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    HARMLESS.test(String(chunk)) || write(chunk, ...rest)) as typeof stream.write
}

export default defineConfig(async () => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: {
        bindings: {
          TEST_MIGRATIONS: await readD1Migrations('./drizzle'),
          CHAOS: process.env.CHAOS ?? '',
          CHAOS_SEED: process.env.CHAOS_SEED ?? '',
        },
      },
    }),
  ],
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/apply-migrations.ts'],
    root: '.',
    onConsoleLog: (log: string) => process.env.LOGS !== undefined || !/^\{"(requestId|job|chore)"/.test(log),
  },
}))
