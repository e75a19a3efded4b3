declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** How many requests the fuzzer makes; as many as a run of the suite affords, where it is empty. */
    FUZZ?: string
    /** How many random queries to ask. */
    QUERIES?: string
    /** Of all random choices: to repeat a run of `npm run chaos`. */
    SEED?: string
    /** How many random histories to live through. */
    RUNS?: string
    /** Not empty: two whole years are simulated. */
    YEARS?: string
    /** Not empty: the costs of operations are printed as a table. */
    COSTS?: string
    /** The emulated provider, for tests to set up and to ask what it received. */
    WHATSAPP: Fetcher
    /** `full`: every fault there is, not only some of them, and another seed each time. */
    CHAOS: string
    /** `print`: `test/far/trips.test.ts` prints its table. */
    FAR: string
    /** A copy of the database for sessions to read, in `test/far`. */
    REPLICA: D1Database
    /** The queues of wrangler.toml, for `test/far`. */
    QUEUES: {
      producers: { binding: string; queue: string }[]
      consumers: import('./far/platform/broker.ts').QueueConsumer[]
    }
    /** The rate limits and Durable Objects of wrangler.toml, likewise. */
    RATE_LIMITS: import('./far/platform/rate-limits.ts').RateLimitSetting[]
    OBJECTS: { name: string; class_name: string }[]
    /** The setting of wrangler.toml; in tests every line is logged. */
    LOG_SUCCESS_PERCENT_SHIPPED: string
    /** The queues that wrangler.toml names. */
    QUEUE_CONSUMERS: { queue: string; max_retries?: number; dead_letter_queue?: string }[]
  }
}

declare module '*?raw' {
  const text: string
  export default text
}
