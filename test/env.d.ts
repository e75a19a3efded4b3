declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** How many requests the fuzzer makes; as many as a run of the suite affords, where it is empty. */
    FUZZ?: string
    /** How many random queries to ask, and the seed to ask them from. */
    QUERIES?: string
    SEED?: string
    /** How many random histories to live through. */
    RUNS?: string
    /** Not empty: the ledger prints its table. */
    LEDGER?: string
    /** The emulated provider, for tests to set up and to ask what it received. */
    WHATSAPP: Fetcher
    /** `full`: every fault there is, not only some of them. */
    CHAOS: string
    /** To repeat a run of the fault suite. */
    CHAOS_SEED: string
  }
}

declare module '*?raw' {
  const text: string
  export default text
}
