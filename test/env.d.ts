declare namespace Cloudflare {
  interface Env {
    TEST_MIGRATIONS: import('cloudflare:test').D1Migration[]
    QUERIES: string
    /** How many requests the fuzzer makes; as many as a run of the suite affords, where it is empty. */
    FUZZ: string
    SEED: string
    /** The emulated provider, for tests to set up and to ask what it received. */
    WHATSAPP: Fetcher
  }
}

declare module '*?raw' {
  const text: string
  export default text
}
