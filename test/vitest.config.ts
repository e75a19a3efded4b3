import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'

// The pool prints one harmless line of the runtime for each test file that it closes.
for (const stream of [process.stdout, process.stderr]) {
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean
  stream.write = ((chunk: unknown, ...rest: unknown[]) =>
    String(chunk).includes('disconnected: WebSocket peer disconnected') || write(chunk, ...rest)) as typeof stream.write
}

export default defineConfig(async () => ({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations('./drizzle') } },
    }),
  ],
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/apply-migrations.ts'],
    root: '.',
    onConsoleLog: (log: string) => !/^\{"(requestId|job|chore)"/.test(log),
  },
}))
