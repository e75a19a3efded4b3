declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    /** How many random queries to ask, and the seed to ask them from. */
    QUERIES?: string
    SEED?: string
  }
}
