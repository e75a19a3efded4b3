import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { SEED_OF_THE_SUITE } from './suite-seed.ts'

/** `npm test` makes the same random choices each time. `npm run chaos` makes others, and prints the seed that repeats them. */
export const IS_CHAOS = env.CHAOS === 'full'

export const SEED = Number(env.SEED) || (IS_CHAOS ? 1 + Math.floor(Math.random() * 2 ** 31) : SEED_OF_THE_SUITE)

fc.configureGlobal({ seed: SEED })
if (IS_CHAOS) console.info(`SEED=${SEED}`)
