import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    projects: ['test/vitest.api.config.ts', 'test/far/vitest.config.ts', 'test/whatsapp/vitest.config.ts'],
    // The Worker's own log lines: one for each request of a test would hide what the test says.
    onConsoleLog: (log: string) => !/^\{"(requestId|job|chore|metrics|paused)"/.test(log),
  },
})
