import os from 'node:os'
import { defineConfig } from 'vitest/config'

/** What they begin with. Any other line is shown: nobody expects it. */
const OWN_LINES = [
  ...['requestId', 'job', 'chore', 'metrics', 'paused', 'indexBuildOf', 'team', 'webhook'],
  ...['lane', 'pace', 'settledLater', 'settlement', 'unsettled'],
]

export default defineConfig({
  test: {
    projects: [
      ...['api', 'api-grouped'].map(name => `test/vitest.${name}.config.ts`),
      ...['test/far', 'test/whatsapp', 'test/pages'].map(folder => `${folder}/vitest.config.ts`),
    ],
    // Each file is a runtime of its own, which waits for half of its time: for the code to load, for a clock.
    maxWorkers: Math.max(2, os.availableParallelism()),
    // The Worker's own log lines: one for each request, and for each fault that a test injects, would hide what tests say.
    onConsoleLog: (log: string) => !OWN_LINES.some(name => log.startsWith(`{"${name}":`)),
  },
})
