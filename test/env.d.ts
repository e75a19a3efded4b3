declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** `full`: every fault there is, not only some of them. */
    CHAOS: string
    /** To repeat a run of the fault suite. */
    CHAOS_SEED: string
  }
}
