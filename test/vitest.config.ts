import os from 'node:os'
import { defineConfig } from 'vitest/config'
import { keepConnectionsOpen } from '../scripts/local/kept-connections.ts'
import { farProject } from './far/project.config.ts'
import { keepStorageInMemory } from './support/memory-storage.ts'
import { workerProject } from './worker-project.config.ts'

keepStorageInMemory()
keepConnectionsOpen()

export default defineConfig(async () => ({
  test: {
    // Projects run one after the other: only files of one project can share a runtime.
    projects: [
      await workerProject('api', 1),
      await workerProject('alone', 2),
      await farProject('far', 3),
      await farProject('far-alone', 4),
      ...['test/whatsapp', 'test/admin'].map(folder => `${folder}/vitest.config.ts`),
    ],
    // An invocation that a storm has ended goes on there, where on Cloudflare nothing of it would: nobody hears what it rejects.
    onUnhandledError: (error: object) =>
      String(Reflect.get(error, 'VITEST_TEST_PATH')).endsWith('test/far/unkind.test.ts') ? false : undefined,
    maxWorkers: 2 * Math.max(2, os.availableParallelism()),
  },
}))
