import path from 'node:path'
import { defineConfig } from 'vitest/config'

// The rules of the pages of the admin area, in plain Node: no page is drawn, and no API is called.
export default defineConfig({
  resolve: {
    // The alias is that of the pages' own build: one class of errors, however it is imported.
    alias: [
      { find: /^caseworker$/, replacement: path.resolve(import.meta.dirname, '../../src/client/client.ts') },
      { find: /^caseworker\/(.+)$/, replacement: path.resolve(import.meta.dirname, '../../src/client/$1.ts') },
      { find: /^import-file\/(.+)$/, replacement: path.resolve(import.meta.dirname, '../../src/import-file/$1.ts') },
    ],
  },
  test: {
    name: 'admin',
    root: '.',
    sequence: { groupOrder: 6 },
    include: ['test/admin/**/*.test.ts'],
    setupFiles: ['test/admin/seed.ts'],
    // A zone whose clocks change, so that days of 23 and of 25 hours are there.
    env: { TZ: 'America/New_York' },
    testTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
