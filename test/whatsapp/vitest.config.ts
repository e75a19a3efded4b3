import { cloudflareTest } from '@cloudflare/vitest-pool-workers'
import { defineConfig } from 'vitest/config'
import { hushExpectedExceptions } from './quiet.ts'
import { receive } from './receiver.ts'

hushExpectedExceptions()

// The emulator's own tests: it is the Worker under test, and its webhooks go to a receiver that keeps what it gets.
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: './wrangler.toml' },
      miniflare: { serviceBindings: { API: receive } },
    }),
  ],
  test: {
    name: 'whatsapp',
    root: 'test/whatsapp',
    include: ['*.test.ts'],
    testTimeout: 120_000,
    isolate: false,
    sequence: { groupOrder: 5 },
  },
})
