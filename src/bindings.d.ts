/** What an installation has besides its wrangler.toml. */
declare namespace Cloudflare {
  interface Env {
    SECRETS_KEY?: string
  }
}
