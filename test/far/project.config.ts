import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-pool-workers'
import type { ViteUserConfig } from 'vitest/config'
import { unstable_readConfig as readConfig } from 'wrangler'
import { EMULATOR, whatsappWorker } from '../whatsapp/bundle.ts'
import { hushExpectedExceptions } from '../whatsapp/quiet.ts'
import { ISOLATE_MODULE, isolateModule } from './bundle.ts'

hushExpectedExceptions()

const RESOLVED = `\0${ISOLATE_MODULE}`
/** Both projects run the same bundle. */
const isolate = isolateModule()

/**
 * The Worker as a bundle, behind what `platform/` puts between it and workerd. The files of `far` share a database and its copy; those
 * of `far-alone` have one each.
 */
export async function farProject(name: 'far' | 'far-alone', groupOrder: number): Promise<ViteUserConfig> {
  const isShared = name === 'far'
  const text = await isolate
  const { queues, durable_objects: objects, ratelimits } = readConfig({ config: './wrangler.toml' })
  return {
    plugins: [
      {
        name: 'isolate',
        enforce: 'pre' as const,
        resolveId: (id: string) => (id === ISOLATE_MODULE ? RESOLVED : undefined),
        load: (id: string) => (id === RESOLVED ? text : undefined),
      },
      cloudflareTest({
        main: './test/far/worker.ts',
        wrangler: { configPath: './wrangler.toml' },
        miniflare: {
          bindings: {
            TEST_MIGRATIONS: await readD1Migrations('./drizzle'),
            SECRETS_KEY: btoa('a key of thirty-two bytes, tests'),
            QUEUES: { producers: queues.producers ?? [], consumers: queues.consumers ?? [] },
            OBJECTS: objects.bindings,
            RATE_LIMITS: ratelimits,
            // Rows that are written after a response would disturb the counts of tests.
            REQUEST_RETENTION_DAYS: '0',
            FAR: process.env.FAR ?? '',
            CHAOS: process.env.CHAOS ?? '',
            SEED: process.env.SEED ?? '',
            RUNS: process.env.RUNS ?? '',
          },
          d1Databases: { REPLICA: 'replica' },
          serviceBindings: { WHATSAPP: EMULATOR },
          outboundService: EMULATOR,
          workers: [await whatsappWorker({ api: `vitest-pool-workers-runner-${name}` })],
        },
      }),
    ],
    test: {
      name,
      root: '.',
      sequence: { groupOrder },
      isolate: !isShared,
      include: isShared ? ['test/far/**/!(*.alone).test.ts'] : ['test/far/**/*.alone.test.ts'],
      setupFiles: ['test/support/quiet-logs.ts', 'test/support/quick-pool.ts', 'test/far/set-up.ts'],
      // The limit is that of `test/worker-project.config.ts`.
      testTimeout: 600_000,
      expect: { poll: { timeout: 60_000 } },
      hookTimeout: 600_000,
    },
  }
}
